#' Bandwidths of Kernel Densities
#'
#' @description
#' Bandwidths of Gaussian kernel densities of one variable or two, by the published plug-in rules.
#'
#' @details
#' Counterparts in ks and KernSmooth: `"plug_in"` is `ks::hpi()`, in two dimensions `ks::Hpi()`; `"plug_in_diagonal"` is
#' `ks::Hpi.diag()`; `"normal_scale"` is `ks::hns()` and `ks::Hns()`. ks 1.14.0 departs from the formulas in two places, which
#' makes its matrices up to 25 % larger; the vignette *pieces* compares both.
#'
#' @param x Numbers, or a matrix or data frame of one column or two.
#' @param rule How the bandwidth is chosen.
#' @param engine `"exact"` sums over all pairs of rows; `"counts"` works with binned counts, to a percent or two.
#' @return A number, the standard deviation of the kernel, for one variable; a 2 x 2 covariance matrix for two.
#' @seealso [kde()]
#' @examples
#' bandwidth(faithful$eruptions)
#' bandwidth(faithful)
#' bandwidth(faithful, "normal_scale")
#' @export
bandwidth <- function(x, rule = c("plug_in", "plug_in_diagonal", "normal_scale"), engine = c("exact", "counts")) {
  x <- check_matrix(x, "x", 1:2)
  rule <- check_choice(rule, c("plug_in", "plug_in_diagonal", "normal_scale"), "rule")
  engine <- check_choice(engine, c("exact", "counts"), "engine")
  as_bandwidth(.Call(C_bandwidth_matrix, x, rule, engine), colnames(x))
}

as_bandwidth <- function(H, names) {
  if (length(H) == 1L) return(as.vector(H))
  dimnames(H) <- if (!is.null(names)) list(names, names)
  H
}

#' Kernel Densities of One Variable or Two
#'
#' @description
#' Gaussian kernel density estimates, evaluated by [predict()]. Counterpart of `ks::kde()`; unlike it the estimate
#' is not cut off at the ends of a grid.
#'
#' @param x Numbers, or a matrix or data frame of one column or two.
#' @param bandwidth A number for one variable, a symmetric 2 x 2 matrix for two; `NULL` takes that of `rule`.
#' @param rule Rule of [bandwidth()].
#' @param engine `"counts"` smooths binned counts, `"exact"` sums over all points.
#' @param grid Nodes of an axis of the counts engine, from 16 to 128; long tails get more.
#' @param object An estimate of `kde()`.
#' @param newdata Points: numbers, or a matrix or data frame with the columns of `x`.
#' @param log Return logarithms.
#' @param ... Not used; for `plot()`, further arguments of [plot()] or [image()].
#' @return `kde()` an object of class `dyad_kde`, a list with `x`, `bandwidth` and how they were made. `predict()` the
#'   densities at points.
#' @examples
#' density <- kde(faithful$eruptions)
#' density$bandwidth
#' predict(density, c(2, 3, 4))
#' both <- kde(faithful)
#' predict(both, data.frame(eruptions = 2, waiting = 50))
#' plot(both)
#' @export
kde <- function(x, bandwidth = NULL, rule = c("plug_in", "plug_in_diagonal", "normal_scale"),
                engine = c("counts", "exact"), grid = 128) {
  x <- check_matrix(x, "x", 1:2)
  rule <- check_choice(rule, c("plug_in", "plug_in_diagonal", "normal_scale"), "rule")
  engine <- check_choice(engine, c("counts", "exact"), "engine")
  grid <- as.integer(check_count(grid, "grid", 16, 128))
  given <- check_bandwidth(bandwidth, ncol(x))
  pointer <- .Call(C_density, x, given, rule, engine, grid)
  core <- new.env(parent = emptyenv())
  core$pointer <- pointer
  structure(list(x = x, bandwidth = as_bandwidth(.Call(C_density_bandwidth, pointer), colnames(x)),
                 given = given, rule = if (is.null(bandwidth)) rule else "given", engine = engine, grid = grid, core = core),
            class = "dyad_kde")
}

# A matrix, without rows if none is given.
check_bandwidth <- function(bandwidth, d) {
  if (is.null(bandwidth)) return(matrix(0, 0L, 0L))
  what <- if (d == 1L) "a positive number" else "a symmetric, positive definite 2 x 2 matrix"
  if (!is.numeric(bandwidth) || length(bandwidth) != d * d || !all(is.finite(bandwidth))) {
    fail("bandwidth: expected ", what, ", got ", type_of(bandwidth), " with ", length(bandwidth), " values")
  }
  H <- matrix(as.double(bandwidth), d, d)
  if (!isSymmetric(H) || H[1L, 1L] <= 0 || det(H) <= 0) fail("bandwidth: expected ", what, ", got ", paste(format(H), collapse = ", "))
  H[upper.tri(H)] <- H[lower.tri(H)]  # isSymmetric() lets rounding pass
  H
}

density_pointer <- function(object) {
  if (.Call(C_is_lost, object$core$pointer)) {
    rule <- if (object$rule == "given") "plug_in" else object$rule
    object$core$pointer <- .Call(C_density, object$x, object$given, rule, object$engine, object$grid)
  }
  object$core$pointer
}

#' @rdname kde
#' @export
predict.dyad_kde <- function(object, newdata, log = FALSE, ...) {
  if (missing(newdata)) newdata <- object$x
  if (ncol(object$x) == 2L && is.numeric(newdata) && is.null(dim(newdata)) && length(newdata) == 2L) {
    newdata <- matrix(newdata, 1L)
  }
  newdata <- check_matrix(newdata, "newdata", ncol(object$x))
  found <- .Call(C_log_densities_at, density_pointer(object), newdata)
  if (check_flag(log, "log")) found else exp(found)
}

#' @export
print.dyad_kde <- function(x, ...) {
  cat("Gaussian kernel density of", nrow(x$x), if (ncol(x$x) == 1L) "numbers" else "points in two dimensions")
  cat("\nBandwidth (", x$rule, "): ", sep = "")
  if (ncol(x$x) == 1L) cat(format(x$bandwidth), "\n") else {
    cat("\n")
    print(x$bandwidth)
  }
  invisible(x)
}

#' @rdname kde
#' @export
plot.dyad_kde <- function(x, ...) {
  ranges <- apply(x$x, 2L, grDevices::extendrange, f = 0.1)
  at <- lapply(seq_len(ncol(x$x)), function(j) seq(ranges[1L, j], ranges[2L, j], length.out = if (ncol(x$x) == 1L) 200L else 60L))
  names <- colnames(x$x) %||% c("x", "y")
  if (ncol(x$x) == 1L) {
    plot(at[[1L]], predict(x, at[[1L]]), type = "l", xlab = names[1L], ylab = "density", ...)
  } else {
    z <- matrix(predict(x, as.matrix(expand.grid(at))), length(at[[1L]]))
    graphics::image(at[[1L]], at[[2L]], z, xlab = names[1L], ylab = names[2L], ...)
    graphics::contour(at[[1L]], at[[2L]], z, add = TRUE)
  }
  invisible(x)
}
