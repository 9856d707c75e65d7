#' Fit a Classifier of Sparse Pairwise Dependencies
#'
#' @description
#' Fits the classifier SLB of Tenzer et al. (2020), or one of its relatives: a sum of log densities of single
#' features and of the pairs of features that add something. The defaults predict well without tuning;
#' `preset = "paper"` does what the paper did with ks, dHSIC, mpmi and e1071.
#'
#' @details
#' Numbers are features as they are; factors, ordered factors, text and truths are categories; `NA` is a
#' missing value of its own, and no row is left out. Names of levels and classes are those of the program and
#' of Python: truths are `True` and `False`, the number 1.0 is `1`.
#'
#' `...` takes every option of the program `dyad fit` by its name: [slb_options()] lists them with their
#' defaults. Partial names are not accepted.
#'
#' Results do not depend on `set.seed()`: random folds are drawn by the option `seed`, 1 by default, and R's
#' random numbers stay as they are. The same table, options and seed give the model that Python and the program
#' give, on any number of threads.
#'
#' Ctrl-C (or Esc) ends a fit.
#'
#' @param x A data frame or matrix of features, or a formula.
#' @param formula Response and features, as in `class ~ .` or `class ~ age + log(income)`. There are no
#'   interactions: the method finds pairs.
#' @param data A data frame with the variables of the formula.
#' @param y The class of each row: a factor, text, truths or whole numbers. [predict()][predict.slb] gives
#'   classes of the same type, factors with the same levels in the same order; text becomes a factor.
#' @param weights Numbers of rows that each row counts as, from 0 to 2^20; a row of weight 2 counts as two equal
#'   rows. In the formula method, looked up in `data` first. `NULL` counts each row once.
#' @param ... Options by name, see [slb_options()]. `pairs` is also a list of pairs of columns, by name or number, which are
#'   those of every class, such as `list(c("age", "income"))`; `exclude` is a list of columns and pairs of columns that no
#'   term has, such as `list("id", c("age", "income"))`.
#' @param categorical Names of columns of numbers to take as categories.
#' @param class_weights `"balanced"`, the same as `optimise = "balanced"`: classes count alike; or factors of the
#'   frequencies of classes by their names, 1 for those not named.
#' @param costs Matrix of the costs of predictions, rows for true and columns for predicted classes, with their
#'   names. The class of least expected cost is predicted.
#' @param threads Number of threads, 0 for one per core. `NULL` takes `getOption("dyad.threads")`, else 0; checks
#'   of packages use two at most.
#' @param verbose Show progress.
#'
#' @return An object of class `slb`, a list with the bytes of a model file in `model`, the names of `features`
#'   and `classes`, and how the fit went in `report`. It has no training rows unless `engine = "exact"`, and can be
#'   kept by [saveRDS()] or [write_model()].
#' @seealso [predict.slb()], [explain()], [plot.slb()], [report()], [cross_validate()], [slb_options()]
#' @examples
#' model <- slb(Species ~ ., iris)
#' model
#' table(predict(model, iris), iris$Species)
#' round(predict(model, iris[c(1, 51, 101), ], type = "prob"), 3)
#'
#' # naive Bayes by kernel densities, and the paper's settings
#' slb(Species ~ ., iris, method = "nb")
#' slb(Species ~ ., iris, preset = "paper", n_pairs = 2)
#' @export
slb <- function(x, ...) UseMethod("slb")

#' @rdname slb
#' @export
slb.formula <- function(formula, data, weights = NULL, ..., categorical = NULL, class_weights = NULL, costs = NULL,
                        threads = NULL, verbose = FALSE) {
  call <- match.call()
  rows <- formula_rows(match.call(expand.dots = FALSE), parent.frame())
  options <- named_options(...)
  fit_sample(sample_of(rows, categorical), options, class_weights, costs, threads, verbose, call, rows)
}

#' @rdname slb
#' @export
slb.default <- function(x, y, weights = NULL, ..., categorical = NULL, class_weights = NULL, costs = NULL,
                        threads = NULL, verbose = FALSE) {
  call <- match.call()
  if (missing(y)) fail("y: expected the classes of the rows, got nothing")
  rows <- matrix_rows(x, y, weights)
  options <- named_options(...)
  fit_sample(sample_of(rows, categorical), options, class_weights, costs, threads, verbose, call, rows)
}

fit_sample <- function(sample, options, class_weights, costs, threads, verbose, call, rows) {
  if (identical(class_weights, "balanced")) {
    if (!identical(options$optimise %||% "balanced", "balanced")) {
      fail("class_weights: \"balanced\" contradicts optimise = \"", options$optimise, "\"; give one of them")
    }
    options$optimise <- "balanced"
    class_weights <- NULL
  }
  if (identical(options$engine, "exact")) require_complete(sample$X, sample$levels, sample$features, rows$argument)
  structure <- structure_of(options, sample$features)
  fitted <- .Call(
    C_fit_rows, sample$X, sample$y, rule_options(options), sample$weights, class_weights_of(class_weights, sample$classes),
    costs_of(costs, sample$classes), sample$features, sample$classes, sample$type, sample$levels, sample$orders,
    structure, thread_count(threads), progress_of(verbose)
  )
  if (!fitted$report$converged) {
    warning("the solver of the weights stopped before its tolerance; a larger max_iterations or tolerance, or a smaller C may help",
            call. = FALSE)
  }
  new_model(fitted$bytes, fitted$pointer, sample$response, terms = rows$terms, variables = rows$variables,
            call = named_call(call), report = fitted$report)
}

# Pairs given as a list, and excluded columns and pairs, by name.
structure_of <- function(options, features) {
  by_name <- function(columns, argument) {
    if (is.character(columns)) return(enc2utf8(columns))
    if (!is.numeric(columns) || anyNA(columns) || !all(columns %in% seq_along(features))) {
      fail(argument, ": expected columns by name or number, got ", deparse(columns))
    }
    features[columns]
  }
  list(
    pairs = if (is.list(options$pairs)) unname(lapply(options$pairs, by_name, "pairs")),
    exclude = unname(lapply(as.list(options$exclude), by_name, "exclude"))
  )
}

# The options of the library.
rule_options <- function(options) {
  options$exclude <- NULL
  if (is.list(options$pairs)) options$pairs <- NULL
  options
}

# The call as users write it, of the generic function.
named_call <- function(call) {
  call[[1L]] <- quote(slb)
  call
}

`%||%` <- function(a, b) if (is.null(a)) b else a

# Weights by class; none if none is given.
class_weights_of <- function(weights, classes) {
  if (is.null(weights)) return(double())
  if (!is.numeric(weights) || is.null(names(weights))) {
    fail("class_weights: expected \"balanced\" or numbers with names of classes, got ", type_of(weights))
  }
  unknown <- setdiff(names(weights), classes)
  if (length(unknown) > 0L) fail("class_weights: expected names of the classes ", quoted(classes), ", got '", unknown[1L], "'")
  if (!all(is.finite(weights) & weights >= 0)) {
    fail("class_weights: expected finite numbers of at least 0, got ", weights[!is.finite(weights) | weights < 0][1L])
  }
  result <- stats::setNames(rep(1, length(classes)), classes)
  result[names(weights)] <- weights
  unname(result)
}

# Costs in the order of the classes; a matrix without rows if none are given.
costs_of <- function(costs, classes) {
  if (is.null(costs)) return(matrix(0, 0L, 0L))
  named <- is.matrix(costs) && is.numeric(costs) && setequal(rownames(costs), classes) && setequal(colnames(costs), classes)
  if (!named || any(dim(costs) != length(classes))) {
    fail("costs: expected a matrix of numbers with the classes ", quoted(classes), " as names of rows and columns, got ",
         type_of(costs))
  }
  if (!all(is.finite(costs) & costs >= 0)) fail("costs: expected finite numbers of at least 0, got ", costs[!(is.finite(costs) & costs >= 0)][1L])
  costs <- costs[classes, classes, drop = FALSE]
  storage.mode(costs) <- "double"
  costs
}

# A model object. The library's model lives in an environment: it is read from the bytes again where it is missing, as
# after readRDS().
new_model <- function(bytes, pointer, response, terms = NULL, variables = NULL, call = NULL, report = NULL) {
  core <- new.env(parent = emptyenv())
  core$pointer <- pointer
  core$parts <- .Call(C_model_parts, pointer)
  structure(
    list(model = bytes, core = core, features = core$parts$features,
         classes = core$parts$classes[shown_order(core$parts$classes, response)], response = response,
         terms = terms, variables = variables, call = call, report = report),
    class = "slb"
  )
}

check_model <- function(object, name = "object") {
  if (!inherits(object, "slb") || !is.raw(object$model)) fail(name, ": expected a model of slb(), got ", type_of(object))
  object
}

pointer_of <- function(object) {
  core <- check_model(object)$core
  if (.Call(C_is_lost, core$pointer)) core$pointer <- .Call(C_model_from_raw, object$model, "object")
  core$pointer
}

parts_of <- function(object) {
  pointer_of(object)
  object$core$parts
}
