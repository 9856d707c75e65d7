#' @export
print.slb <- function(x, ...) {
  parts <- parts_of(x)
  pairs <- sum(parts$terms$i != parts$terms$j)
  cat("Model of ", length(x$classes), " classes (", paste(utils::head(x$classes, 6L), collapse = ", "),
      if (length(x$classes) > 6L) ", ...", ") by the method ", parts$options[["method"]], "\n", sep = "")
  cat(length(x$features), if (length(x$features) == 1L) "feature," else "features,", length(parts$terms$i), "terms,",
      pairs, "of them pairs\n")
  if (!is.null(x$call)) {
    cat("Call: ")
    print(x$call)
  }
  invisible(x)
}

#' Summary of a Model
#'
#' @param object A model of [slb()].
#' @param ... Not used.
#' @return An object of class `summary.slb`: the library's `description` of the model, a data frame of its `pairs`
#'   with their class, HSIC (where the fit chose them by it) and weight, and one of the `settings` that were tried,
#'   the best first.
#' @examples
#' summary(slb(Species ~ ., iris))
#' @export
summary.slb <- function(object, ...) {
  parts <- parts_of(object)
  structure(list(call = object$call, description = .Call(C_model_description, pointer_of(object)),
                 pairs = pairs_of(object), settings = settings_of(parts), seconds = object$report$seconds),
            class = "summary.slb")
}

# The terms of two features, those of largest weight first.
pairs_of <- function(object) {
  parts <- parts_of(object)
  kept <- which(parts$terms$i != parts$terms$j)
  hsic <- object$report$hsic
  pairs <- data.frame(
    class = term_classes(parts)[kept],
    first = parts$features[parts$terms$i[kept]], second = parts$features[parts$terms$j[kept]],
    hsic = if (length(hsic) == length(kept)) hsic else rep(NA_real_, length(kept)),
    weight = apply(abs(parts$weights[, kept, drop = FALSE]), 2L, max)
  )
  pairs <- pairs[order(-pairs$weight), ]
  rownames(pairs) <- NULL
  pairs
}

settings_of <- function(parts) {
  settings <- as.data.frame(parts$settings)
  settings$averaged <- settings$averaged == 1L
  settings
}

#' @export
print.summary.slb <- function(x, ...) {
  if (!is.null(x$call)) {
    cat("Call: ")
    print(x$call)
    cat("\n")
  }
  cat(x$description, if (!endsWith(x$description, "\n")) "\n", sep = "")
  if (nrow(x$pairs) > 0L) {
    cat("\nPairs of largest weight\n")
    print(utils::head(x$pairs, 10L), digits = 3L)
  }
  if (!is.null(x$seconds)) cat("\nFitted in ", format(x$seconds[["total"]], digits = 2L), " seconds\n", sep = "")
  invisible(x)
}

#' Weights of a Model
#'
#' @param object A model of [slb()].
#' @param ... Not used.
#' @return The intercept and the weight of each term, by their names. For more than two classes a matrix with a row a
#'   class. The score of a row is the intercept and the sum of weight times (value of the term - its centre); the centres
#'   are the attribute `centre`.
#' @examples
#' head(coef(slb(Species ~ ., iris, method = "lu"))[, 1:3])
#' @export
coef.slb <- function(object, ...) {
  parts <- parts_of(object)
  weights <- cbind(parts$intercepts, parts$weights)
  dimnames(weights) <- list(score_names(parts), c("(Intercept)", term_names(parts)))
  result <- if (nrow(weights) == 1L) weights[1L, ] else weights[object$classes, , drop = FALSE]
  attr(result, "centre") <- parts$terms$centre
  result
}

#' @export
labels.slb <- function(object, ...) term_names(parts_of(object))
