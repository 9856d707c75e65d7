test_that("exact densities are the definition, and those by counts near them", {
  x <- faithful$eruptions
  h <- 0.3
  at <- c(1.5, 2, 3.3, 5)
  slow <- sapply(at, function(u) mean(dnorm(u, x, h)))
  expect_equal(predict(kde(x, h, engine = "exact"), at), slow, tolerance = 1e-12)
  expect_equal(predict(kde(x, h), at), slow, tolerance = 5e-3)
})

test_that("exact densities of two variables are the definition", {
  X <- as.matrix(faithful)
  H <- matrix(c(0.1, 0.5, 0.5, 9), 2)
  at <- rbind(c(2, 50), c(4.4, 82))
  slow <- apply(at, 1, function(u) {
    mean(exp(-mahalanobis(X, u, H) / 2) / (2 * pi * sqrt(det(H))))
  })
  expect_equal(predict(kde(X, H, engine = "exact"), at), slow, tolerance = 1e-10)
  expect_equal(predict(kde(X, H), at), slow, tolerance = 2e-2)
  expect_equal(predict(kde(X, H, engine = "exact"), at, log = TRUE), log(slow), tolerance = 1e-10)
})

test_that("a bandwidth matrix may be symmetric up to rounding", {
  H <- matrix(c(0.1, 0.5, 0.5, 9), 2)
  rounded <- H
  rounded[1, 2] <- 0.5 + .Machine$double.eps
  expect_identical(predict(kde(faithful, rounded)), predict(kde(faithful, H)))
})

test_that("bandwidths of a rule are those of the density", {
  expect_equal(kde(faithful, rule = "normal_scale", engine = "exact")$bandwidth, bandwidth(faithful, "normal_scale"), tolerance = 1e-9)
  n <- nrow(faithful)
  expect_equal(bandwidth(faithful$waiting, "normal_scale"), (4 / (3 * n))^(1 / 5) * sd(faithful$waiting), tolerance = 1e-9)
  expect_equal(bandwidth(faithful, engine = "counts"), bandwidth(faithful), tolerance = 0.03)
  expect_identical(dimnames(bandwidth(faithful)), list(names(faithful), names(faithful)))
})

test_that("a density survives a file, prints and is drawn", {
  estimate <- kde(faithful)
  again <- unserialize(serialize(estimate, NULL))
  expect_identical(predict(again), predict(estimate))
  given <- unserialize(serialize(kde(faithful$waiting, 3), NULL))
  expect_identical(predict(given, 60), predict(kde(faithful$waiting, 3), 60))
  expect_output(print(estimate), "272 points in two dimensions")
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  expect_identical(plot(estimate), estimate)
  expect_s3_class(plot(kde(faithful$waiting)), "dyad_kde")
})

test_that("wrong arguments are refused", {
  expect_error(kde(iris[1:3]), "^x: expected 1 or 2 columns, got 3")
  expect_error(kde(c(1, NA)), "^x: expected finite numbers")
  expect_error(kde(1:9, -1), "^bandwidth: expected a positive number")
  expect_error(kde(faithful, diag(3)), "^bandwidth: expected a symmetric")
  expect_error(kde(faithful, matrix(c(1, 2, 2, 1), 2)), "^bandwidth: expected a symmetric")
  expect_error(kde(1:9, grid = 5), "^grid: expected a whole number from 16")
  expect_error(kde(1:9, rule = "silverman"), "^rule: expected one of")
  expect_error(predict(kde(1:9), faithful), "^newdata: expected 1 columns, got 2")
  expect_error(predict(kde(1:9), Inf), "^newdata: expected finite")
  expect_error(bandwidth("a"), "^x: expected")
})

test_that("bandwidths and densities are those of ks with the intended formulas", {
  skip_if_not(nzchar(golden()), "no golden values: set DYAD_GOLDEN")
  inputs <- read.csv(file.path(golden(), "inputs_1d.csv"))
  expected <- read.csv(file.path(golden(), "bandwidths_1d.csv"))
  for (k in seq_len(nrow(expected))) {
    x <- inputs$x[inputs$sample == expected$sample[k]]
    expect_equal(bandwidth(x, "normal_scale"), expected$hns[k], tolerance = 1e-6, info = expected$sample[k])
    # With an interquartile range of 0, ks stops with an error.
    if (expected$iqr[k] > 0) expect_equal(bandwidth(x), expected$dpi_exact[k], tolerance = 1e-6, info = expected$sample[k])
  }
})
