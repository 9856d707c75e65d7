#' Predictions of a Model
#'
#' @param object A model of [slb()].
#' @param newdata A data frame with the columns of the features, in any order and among others; or a matrix with
#'   these column names, or with as many columns without names.
#' @param type What to return, see Value.
#' @param new_levels What to do with levels that the model does not know: `"error"`, or `"ignore"` to take them
#'   for values that tell nothing, as the program and Python do. Rare levels that a fit has pooled (`max_levels`) stand
#'   for all others, and there are no unknown ones then.
#' @param threads Number of threads, as for [slb()].
#' @param ... Not used.
#'
#' @return
#' \describe{
#'   \item{`"class"`}{The predicted classes, of the type that [slb()] was given: a factor with the same levels in the
#'     same order, truths, or numbers.}
#'   \item{`"prob"`}{A matrix of probabilities with a column a class, in the order of the levels of a factor.}
#'   \item{`"score"`}{A matrix of scores, sums of the intercept and of the terms' contributions: a column a class, or
#'     for two classes one column, positive where the class it is named after is predicted.}
#'   \item{`"terms"`}{A matrix of contributions of the terms to the score, and the intercept as the attribute
#'     `constant`; for more than two classes a list of these by class.}
#'   \item{`"novelty"`}{A data frame of `novelty`, the distance of each row from the training rows in standard
#'     deviations of its most surprising term, `p_value`, the share of new rows from the source of the training rows
#'     that are as novel or more, and the name of this `term`.}
#' }
#' @examples
#' model <- slb(Species ~ ., iris)
#' predict(model, iris[c(1, 51, 101), ])
#' predict(model, iris[c(1, 51, 101), ], type = "score")
#' far <- transform(iris[1, ], Sepal.Length = 20, Petal.Length = NA)
#' predict(model, far, type = "novelty")
#' @export
predict.slb <- function(object, newdata, type = c("class", "prob", "score", "terms", "novelty"),
                        new_levels = c("error", "ignore"), threads = NULL, ...) {
  type <- check_choice(type, c("class", "prob", "score", "terms", "novelty"), "type")
  X <- new_rows(object, newdata, new_levels)
  pointer <- pointer_of(object)
  parts <- parts_of(object)
  threads <- thread_count(threads)
  if (type == "terms") return(terms_of_rows(object, X, threads))
  if (type == "novelty") {
    found <- .Call(C_row_novelty, pointer, X, threads)
    return(data.frame(novelty = found$novelty, p_value = found$p_value, term = term_names(parts)[found$term]))
  }
  scores <- .Call(C_row_scores, pointer, X, threads)
  switch(type,
    class = decode_labels(parts$classes[.Call(C_predicted_classes, pointer, scores)], object$response),
    prob = with_classes(.Call(C_row_probabilities, pointer, scores), parts$classes)[, object$classes, drop = FALSE],
    score = with_classes(scores, score_names(parts))[, shown_scores(object), drop = FALSE]
  )
}

with_classes <- function(values, names) {
  colnames(values) <- names
  values
}

# The classes that scores are of: of two classes the one score is that of the second.
score_names <- function(parts) if (length(parts$classes) == 2L) parts$classes[2L] else parts$classes

shown_scores <- function(object) {
  parts <- parts_of(object)
  if (length(parts$classes) == 2L) score_names(parts) else object$classes
}

# log p(a, b | class), or the feature itself for a term of no class; of another kind its name, as in table(a, b), with
# the class of its score where there are more than two.
term_names <- function(parts) {
  terms <- parts$terms
  features <- ifelse(terms$i == terms$j, parts$features[terms$i],
                     paste0(parts$features[terms$i], ", ", parts$features[terms$j]))
  of_class <- paste0(features, " | ", parts$classes[terms$class])
  of_kind <- if (length(parts$classes) == 2L) features else of_class
  ifelse(is.na(terms$class), features,
         ifelse(terms$kind == "density", paste0("log p(", of_class, ")"), paste0(terms$kind, "(", of_kind, ")")))
}

# The classes that densities are of; NA for other terms.
term_classes <- function(parts) parts$classes[ifelse(parts$terms$kind == "density", parts$terms$class, NA)]

terms_of_rows <- function(object, X, threads) {
  pointer <- pointer_of(object)
  parts <- parts_of(object)
  values <- .Call(C_row_term_values, pointer, X, threads)
  of_scores <- lapply(seq_along(parts$intercepts), function(k) {
    contributions <- with_classes(.Call(C_row_contributions, pointer, values, k), term_names(parts))
    attr(contributions, "constant") <- parts$intercepts[k]
    contributions
  })
  if (length(of_scores) == 1L) return(of_scores[[1L]])
  stats::setNames(of_scores, parts$classes)[object$classes]
}

# New rows as the model takes them.
new_rows <- function(object, newdata, new_levels = c("error", "ignore"), name = "newdata") {
  check_model(object)
  if (missing(newdata)) fail(name, ": expected a data frame or matrix, got nothing; the model keeps no training rows")
  new_levels <- check_choice(new_levels, c("error", "ignore"), "new_levels")
  if (is.matrix(newdata) && is.null(colnames(newdata)) && ncol(newdata) == length(object$features)) {
    colnames(newdata) <- object$features
  }
  columns <- columns_of(newdata, name)
  missing_columns <- setdiff(object$variables %||% object$features, names(columns))
  if (length(missing_columns) > 0L) {
    fail(name, ": expected the columns ", quoted(object$variables %||% object$features), ", got none named '",
         missing_columns[1L], "'")
  }
  if (!is.null(object$terms)) {
    terms <- stats::delete.response(object$terms)
    frame <- stats::model.frame(terms, as.data.frame(newdata, optional = TRUE), na.action = stats::na.pass)
    columns <- as.list(frame)[frame_features(frame, terms)]
  } else {
    columns <- columns[object$features]
  }
  values <- code_known(columns, object$features, parts_of(object)$levels, new_levels, name)
  if (parts_of(object)$options[["engine"]] == "exact") require_complete(values, list(), object$features, name)
  values
}
