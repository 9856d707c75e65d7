# The definitions, as slowly and plainly as the paper states them.
slow_hsic <- function(x, y) {
  kernel <- function(a) {
    squares <- as.matrix(dist(a))^2
    m <- sort(squares[lower.tri(squares)])[floor(choose(length(a), 2) / 2) + 1]
    exp(-squares / m)
  }
  n <- length(x)
  H <- diag(n) - 1 / n
  sum(diag(kernel(x) %*% H %*% kernel(y) %*% H)) / n^2
}

test_that("the exact HSIC is the definition, and that by counts near it", {
  x <- iris$Sepal.Length + 0.01 * seq_len(150)
  y <- iris$Sepal.Width - 0.003 * seq_len(150)
  expect_equal(hsic(x, y, engine = "exact"), slow_hsic(x, y), tolerance = 1e-10)
  expect_equal(hsic(x, y), slow_hsic(x, y), tolerance = 5e-3)
})

test_that("the matrix has HSIC of every pair", {
  found <- hsic_matrix(iris[1:4], engine = "exact")
  expect_equal(found, t(found))
  expect_equal(found["Sepal.Width", "Petal.Width"], hsic(iris$Sepal.Width, iris$Petal.Width, engine = "exact"), tolerance = 1e-12)
  expect_equal(found[2, 2], hsic(iris[[2]], iris[[2]], engine = "exact"), tolerance = 1e-12)
  expect_identical(dim(hsic_matrix(iris)), c(5L, 5L))
})

test_that("tests reject dependence and keep independence", {
  n <- 200
  x <- (seq_len(n) * 7919) %% 997
  y <- (seq_len(n) * 104729) %% 1009
  expect_s3_class(hsic_test(x, x^2), "htest")
  expect_lt(hsic_test(x, (x - 500)^2)$p.value, 1e-10)
  expect_gt(hsic_test(x, y)$p.value, 0.05)
  permuted <- hsic_test(x, y, method = "permutation", permutations = 99, seed = 3)
  expect_equal(permuted$p.value * 100, round(permuted$p.value * 100))
  expect_identical(hsic_test(x, y, method = "permutation", permutations = 99, seed = 3)$p.value, permuted$p.value)
  expect_output(print(hsic_test(x, y)), "data:  x and y")
})

test_that("screening is HSIC within classes", {
  found <- screen_pairs(Species ~ ., iris, engine = "exact")
  expect_identical(nrow(found), 18L)
  row <- found[found$class == "versicolor" & found$first == "Sepal.Length" & found$second == "Petal.Width", ]
  of_class <- iris[iris$Species == "versicolor", ]
  expect_equal(row$hsic, hsic(of_class$Sepal.Length, of_class$Petal.Width, engine = "exact"), tolerance = 1e-10)
  expect_equal(found$q[found$class == "setosa"], stats::p.adjust(found$p[found$class == "setosa"], "BH"), tolerance = 1e-12)
  expect_identical(found$kept, found$q <= 0.05)
  expect_identical(screen_pairs(iris[1:4], iris$Species, engine = "exact"), found)
})

test_that("options of screening are described and checked", {
  expect_true(all(c("engine", "fdr") %in% screen_options()$name))
  expect_error(screen_pairs(Species ~ ., iris, fdr = 2), "^fdr: expected")
  expect_error(screen_pairs(Species ~ ., iris, pairs = "all"), "^pairs: no such option")
})

test_that("mutual information has its bandwidths", {
  by_rule <- mutual_information(iris$Sepal.Length, iris$Petal.Length)
  expect_named(by_rule, c("raw", "corrected"))
  expect_lt(by_rule[["corrected"]], by_rule[["raw"]])
  expect_false(isTRUE(all.equal(mutual_information(iris$Sepal.Length, iris$Petal.Length, c(1, 1)), by_rule)))
})

test_that("wrong arguments are refused", {
  expect_error(hsic(1:3, 1:4), "^y: expected 3 numbers as in x, got 4")
  expect_error(hsic(c(1, NA), 1:2), "^x: expected finite numbers, got NA at position 2")
  expect_error(hsic("a", 1), "^x: expected a vector of numbers")
  expect_error(hsic(double(), double()), "^x: expected at least one")
  expect_error(hsic(1:9, 1:9, engine = "gpu"), "^engine: expected one of")
  expect_error(hsic_test(1:9, 1:9, method = "permutation", permutations = 0), "^permutations: expected")
  expect_error(hsic_matrix(iris[1]), "^x: expected two columns")
  expect_error(mutual_information(1:9, 1:9, 2), "^bandwidths: expected two positive")
  expect_error(mutual_information(1:9, 1:9, c(1, -1)), "^bandwidths: expected two positive")
})

test_that("HSIC and mutual information are those of dHSIC and mpmi", {
  skip_if_not(nzchar(golden()), "no golden values: set DYAD_GOLDEN")
  inputs <- read.csv(file.path(golden(), "inputs_2d.csv"))
  values <- read.csv(file.path(golden(), "hsic.csv"))
  information <- read.csv(file.path(golden(), "cmi.csv"))
  for (name in values$sample[values$n <= 500]) {
    x <- inputs$x[inputs$sample == name]
    y <- inputs$y[inputs$sample == name]
    expect_equal(hsic(x, y, engine = "exact"), values$dHSIC[values$sample == name], tolerance = 1e-6, info = name)
    h <- unlist(information[information$sample == name, c("hx", "hy")])
    found <- mutual_information(x, y, h)
    expect_equal(found[["raw"]], information$mi[information$sample == name], tolerance = 1e-6, info = name)
    expect_equal(found[["corrected"]], information$bcmi[information$sample == name], tolerance = 1e-6, info = name)
  }
})
