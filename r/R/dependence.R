#' Dependence by the Hilbert-Schmidt Independence Criterion
#'
#' @description
#' `hsic()` estimates HSIC of two variables with Gaussian kernels whose bandwidths are medians of distances, `hsic_test()`
#' tests independence by it, and `hsic_matrix()` has it for all pairs of columns.
#'
#' @details
#' HSIC = Tr(K H L H) / n^2, K and L the kernel matrices and H the centring matrix: what `dHSIC::dhsic()` returns, and
#' `dHSIC::dhsic.test()` tests by the same gamma approximation. `engine = "exact"` sums over all pairs of rows and takes the
#' median of all distances, where dHSIC draws a subsample above 1000 rows; `"counts"` works with binned counts, to about
#' 0.1 %, in time that grows with the rows.
#'
#' @param x,y Numbers, as many in each; `hsic_matrix()` takes a data frame or matrix, in which `NA` and categories are
#'   allowed for `engine = "counts"`.
#' @param engine How sums over rows are computed.
#' @param method P-value by the gamma approximation, or by permutations of `y`.
#' @param permutations,seed Number of permutations, and the seed that they are drawn by.
#' @param threads Number of threads, as for [slb()].
#' @return `hsic()` a number; `hsic_matrix()` a matrix, with HSIC of each column with itself on the diagonal;
#'   `hsic_test()` an object of class `htest`.
#' @examples
#' hsic(iris$Sepal.Length, iris$Sepal.Width)
#' hsic_test(iris$Sepal.Length, iris$Sepal.Width)
#' round(hsic_matrix(iris[1:4]), 4)
#' @export
hsic <- function(x, y, engine = c("counts", "exact")) hsic_with_p(x, y, engine)[1L]

hsic_with_p <- function(x, y, engine) {
  engine <- check_choice(engine, c("counts", "exact"), "engine")
  x <- check_numbers(x, "x")
  y <- check_numbers(y, "y")
  check_same_size(x, y)
  .Call(C_hsic_of, x, y, engine)
}

#' @rdname hsic
#' @export
hsic_test <- function(x, y, method = c("gamma", "permutation"), permutations = 1000, seed = 1,
                      engine = c("counts", "exact")) {
  method <- check_choice(method, c("gamma", "permutation"), "method")
  names <- paste(deparse1(substitute(x)), "and", deparse1(substitute(y)))
  found <- hsic_with_p(x, y, if (method == "permutation") "exact" else engine)
  if (method == "permutation") {
    found[2L] <- .Call(C_hsic_permuted, as.double(x), as.double(y), as.integer(check_count(permutations, "permutations")),
                       as.double(check_seed(seed)))
  }
  structure(list(statistic = c(HSIC = found[1L]), p.value = found[2L], data.name = names,
                 method = paste("HSIC test of independence,", if (method == "gamma") "gamma approximation" else "permutations"),
                 alternative = "the variables are dependent"),
            class = "htest")
}

#' @rdname hsic
#' @export
hsic_matrix <- function(x, engine = c("counts", "exact"), threads = NULL) {
  engine <- check_choice(engine, c("counts", "exact"), "engine")
  columns <- columns_of(x, "x")
  if (length(columns) < 2L) fail("x: expected two columns or more, got ", length(columns))
  coded <- code_new(columns, NULL, "x")
  if (engine == "exact") require_complete(coded$values, coded$levels, names(columns), "x")
  result <- .Call(C_hsic_of_columns, coded$values, engine, coded$levels, thread_count(threads))
  dimnames(result) <- list(names(columns), names(columns))
  result
}

#' Screen Pairs of Features
#'
#' @description
#' HSIC of every pair of features within every class, with p-values and q-values: step 1 of the method, and the
#' command `dyad screen`. Values are taken as they are.
#'
#' @inheritParams slb
#' @param ... Options of screening by name: `engine`, `grid`, `fdr`, `min_hsic`, `p_value`, `permutations`, `seed`.
#'   `screen_options()` describes them.
#' @return A data frame with a row for each class and pair: `class`, the features `first` and `second`, `hsic`, `p`, `q`
#'   (over the pairs of the class), and whether it is `kept`; the largest HSIC of each class first.
#' @examples
#' screened <- screen_pairs(Species ~ ., iris)
#' screened[screened$kept, ]
#' @export
screen_pairs <- function(x, ...) UseMethod("screen_pairs")

#' @rdname screen_pairs
#' @export
screen_pairs.formula <- function(formula, data, ..., categorical = NULL, threads = NULL, verbose = FALSE) {
  rows <- formula_rows(match.call(expand.dots = FALSE), parent.frame())
  screen_sample(sample_of(rows, categorical), named_options(...), threads, verbose)
}

#' @rdname screen_pairs
#' @export
screen_pairs.default <- function(x, y, ..., categorical = NULL, threads = NULL, verbose = FALSE) {
  if (missing(y)) fail("y: expected the classes of the rows, got nothing")
  screen_sample(sample_of(matrix_rows(x, y, NULL), categorical), named_options(...), threads, verbose)
}

screen_sample <- function(sample, options, threads, verbose) {
  found <- .Call(C_screened, sample$X, sample$y, sample$features, sample$classes, sample$levels, options,
                 thread_count(threads), progress_of(verbose))
  shown <- sample$classes[shown_order(sample$classes, sample$response)]
  result <- data.frame(class = sample$classes[found$class], first = sample$features[found$i],
                       second = sample$features[found$j], hsic = found$hsic, p = found$p, q = found$q,
                       kept = found$kept == 1L)
  result <- result[order(match(result$class, shown), -result$hsic), ]
  rownames(result) <- NULL
  result
}

#' @rdname screen_pairs
#' @export
screen_options <- function() as_options(.Call(C_screen_options_described))

#' Mutual Information of Two Variables
#'
#' @description
#' Mutual information of two continuous variables by kernel densities with Epanechnikov kernels, as
#' `mpmi::cmi.pw()` estimates it, in nats.
#'
#' @param x,y Numbers, as many in each.
#' @param bandwidths Bandwidths of `x` and `y`; `NULL` takes plug-in ones, as mpmi does.
#' @return The estimate `raw`, in which each point counts its own kernel, and `corrected` by the jackknife: `mi` and
#'   `bcmi` of mpmi.
#' @examples
#' mutual_information(iris$Sepal.Length, iris$Petal.Length)
#' @export
mutual_information <- function(x, y, bandwidths = NULL) {
  x <- check_numbers(x, "x")
  y <- check_numbers(y, "y")
  check_same_size(x, y)
  bandwidths <- if (is.null(bandwidths)) double() else check_numbers(bandwidths, "bandwidths")
  if (!length(bandwidths) %in% c(0L, 2L) || any(bandwidths <= 0)) {
    fail("bandwidths: expected two positive numbers, got ", paste(bandwidths, collapse = ", "))
  }
  stats::setNames(.Call(C_information, x, y, bandwidths), c("raw", "corrected"))
}
