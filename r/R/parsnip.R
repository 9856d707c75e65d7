#' @rdname caret_slb
#' @export
slb_model <- function(mode = "classification") {
  if (!requireNamespace("parsnip", quietly = TRUE)) fail("slb_model: expected the package parsnip, which is not installed")
  check_choice(mode, "classification", "mode")
  register_parsnip()
  parsnip::new_model_spec("slb_model", args = list(), eng_args = NULL, mode = mode, method = NULL, engine = "dyad")
}

# Tells parsnip of the model, once.
register_parsnip <- function() {
  if ("slb_model" %in% parsnip::get_model_env()$models) return(invisible())
  parsnip::set_new_model("slb_model")
  parsnip::set_model_mode("slb_model", "classification")
  parsnip::set_model_engine("slb_model", "classification", "dyad")
  parsnip::set_dependency("slb_model", "dyad", "dyad")
  parsnip::set_fit("slb_model", "dyad", "classification", list(
    interface = "data.frame", protect = c("x", "y", "weights"), func = c(pkg = "dyad", fun = "slb"), defaults = list()
  ))
  parsnip::set_encoding("slb_model", "dyad", "classification", list(
    predictor_indicators = "none", compute_intercept = FALSE, remove_intercept = FALSE, allow_sparse_x = FALSE
  ))
  parsnip::set_pred("slb_model", "dyad", "classification", "class", prediction_of("class"))
  parsnip::set_pred("slb_model", "dyad", "classification", "prob", prediction_of("prob"))
}

# The function that parsnip calls for predictions of a type. Probabilities are a data frame of one column a class.
prediction_of <- function(type) {
  list(
    pre = NULL, post = if (type == "prob") function(x, object) as.data.frame(x), func = c(fun = "predict"),
    args = list(object = quote(object$fit), newdata = quote(new_data), type = type, new_levels = "ignore")
  )
}
