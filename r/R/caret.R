#' Models for caret and parsnip
#'
#' @description
#' `caret_slb()` is the model list that `caret::train(method = caret_slb())` takes. `slb_model()` is a model
#' specification of parsnip with the engine `"dyad"`.
#'
#' @details
#' Further arguments of `caret::train()`, and of `parsnip::set_engine("dyad", ...)`, are options of [slb()] by name. Both
#' take levels that a fold's model does not know for values that tell nothing.
#'
#' @param mode Only `"classification"`.
#' @return A list for caret, whose tuning parameter is `method`, "slb" first; a specification for parsnip.
#' @examplesIf requireNamespace("caret", quietly = TRUE)
#' control <- caret::trainControl("cv", number = 3)
#' caret::train(iris[1:4], iris$Species, method = caret_slb(), trControl = control, tuneLength = 2)
#' @export
caret_slb <- function() {
  list(
    label = "Sparse log-bivariate densities", library = "dyad", type = "Classification",
    parameters = data.frame(parameter = "method", class = "character", label = "Method"),
    grid = function(x, y, len = NULL, search = "grid") {
      data.frame(method = utils::head(c("slb", "lu", "tan", "nb"), len %||% 1L))
    },
    fit = function(x, y, wts, param, lev, last, weights, classProbs, ...) {
      slb(as.data.frame(x), y, weights = wts, method = as.character(param$method), ...)
    },
    predict = function(modelFit, newdata, submodels = NULL) {
      predict(modelFit, as.data.frame(newdata), new_levels = "ignore")
    },
    prob = function(modelFit, newdata, submodels = NULL) {
      as.data.frame(predict(modelFit, as.data.frame(newdata), type = "prob", new_levels = "ignore"))
    },
    levels = function(x) x$classes, predictors = function(x, ...) x$features,
    sort = function(x) x, tags = c("Kernel Density", "Accepts Case Weights", "Handle Missing Predictor Data")
  )
}
