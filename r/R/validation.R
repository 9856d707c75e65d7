#' Cross-Validation
#'
#' @description
#' Stratified cross-validation of [slb()], the command `dyad cv`: everything is fitted anew outside each fold,
#' folds run in parallel.
#'
#' @inheritParams slb
#' @param folds,repeats Number of folds, and of repeats with other folds. Both are drawn by the option `seed`.
#' @param ... Options of [slb()] by name.
#' @return A data frame with a row for each `repetition` and `fold`: `error` and balanced error rate `ber` as fractions, `auc`,
#'   `log_loss`, the number of `pairs` and `seconds`.
#' @examples
#' colMeans(cross_validate(Species ~ ., iris))[c("error", "log_loss")]
#' @export
cross_validate <- function(x, ...) UseMethod("cross_validate")

#' @rdname cross_validate
#' @export
cross_validate.formula <- function(formula, data, weights = NULL, folds = 5, repeats = 1, ..., categorical = NULL,
                                   threads = NULL, verbose = FALSE) {
  rows <- formula_rows(match.call(expand.dots = FALSE), parent.frame())
  validate_sample(sample_of(rows, categorical), folds, repeats, named_options(...), threads, verbose)
}

#' @rdname cross_validate
#' @export
cross_validate.default <- function(x, y, weights = NULL, folds = 5, repeats = 1, ..., categorical = NULL,
                                   threads = NULL, verbose = FALSE) {
  if (missing(y)) fail("y: expected the classes of the rows, got nothing")
  rows <- matrix_rows(x, y, weights)
  validate_sample(sample_of(rows, categorical), folds, repeats, named_options(...), threads, verbose)
}

validate_sample <- function(sample, folds, repeats, options, threads, verbose) {
  folds <- as.integer(check_count(folds, "folds", 2, 100000))
  repeats <- as.integer(check_count(repeats, "repeats", 1, 100000))
  result <- as.data.frame(.Call(C_cross_validated, sample$X, sample$y, rule_options(options), sample$weights,
                                sample$features, sample$classes, sample$levels,
                                structure_of(options, sample$features), folds, repeats, thread_count(threads), progress_of(verbose)))
  names(result)[1L] <- "repetition"
  result
}

#' Tables from the Paper's Simulations
#'
#' @description
#' Rows of two classes, each a Bayesian network of its own (section 5.1 of the paper): the command `dyad simulate`.
#'
#' @param scenario `"forest-normal"`, `"forest-complex"`, `"general-normal"` or `"general-complex"`.
#' @param n Number of rows.
#' @param ... Options of the scenario by name, such as `d`, the number of features, and `shared`.
#' @param seed Seed of the networks and rows.
#' @param imbalance Share of the rows in the first class.
#' @param draw Number of the draw: another one gives other rows of the same networks, such as test rows.
#' @return A data frame of features `x1`, `x2`, ... and the factor `class` with the levels `a` and `b`.
#' @examples
#' table <- simulate_table("forest-normal", 200, d = 5)
#' head(table)
#' @export
simulate_table <- function(scenario, n, ..., seed = 1, imbalance = 0.5, draw = 0) {
  n <- as.integer(check_count(n, "n", 2))
  if (!is.numeric(imbalance) || length(imbalance) != 1L || is.na(imbalance) || imbalance < 0 || imbalance > 1) {
    fail("imbalance: expected a number between 0 and 1, got ", format(imbalance))
  }
  found <- .Call(C_simulated, check_text(scenario, "scenario"), n, as.double(imbalance),
                 as.integer(check_count(draw, "draw", 0)), as.double(check_seed(seed)), named_options(...))
  table <- as.data.frame(found$X)
  names(table) <- paste0("x", seq_along(table))
  table$class <- factor(c("a", "b")[found$y], levels = c("a", "b"))
  table
}
