test_that("predictions have the type and levels of the labels", {
  x <- iris[51:150, 1:4]
  y <- iris$Species[51:150]
  expect_identical(levels(predict(slb(x, y), x)), levels(y))
  expect_identical(predict(slb(x, y == "virginica"), x), predict(slb(x, y), x) == "virginica")
  expect_type(predict(slb(x, as.integer(y)), x), "integer")
  expect_type(predict(slb(x, as.double(y)), x), "double")
  expect_identical(levels(predict(slb(x, as.character(y)), x)), c("versicolor", "virginica"))
  reversed <- factor(y, levels = c("virginica", "versicolor"))
  expect_identical(predict(slb(x, reversed), x), factor(predict(slb(x, y), x), levels = levels(reversed)))
  expect_s3_class(predict(slb(x, factor(y, ordered = TRUE)), x), "ordered")
})

test_that("the order of levels does not change a model, but the order of columns", {
  x <- iris[1:4]
  reversed <- factor(iris$Species, levels = rev(levels(iris$Species)))
  expect_identical(slb(x, reversed)$model, slb(x, iris$Species)$model)
  expect_identical(colnames(predict(slb(x, reversed), x, type = "prob")), levels(reversed))
  expect_identical(predict(slb(x, reversed), x, type = "prob")[, levels(iris$Species)], predict(iris_model, iris, type = "prob"))
})

test_that("numbers are ordered by value and named by their normal form", {
  y <- c(10, 9, 100)[as.integer(iris$Species)]
  model <- slb(iris[1:4], y)
  expect_identical(model$classes, c("9", "10", "100"))
  expect_identical(slb(iris[1:4], as.double(y == 9))$classes, c("0", "1"))
  expect_identical(unique(predict(model, iris)), unique(y))
})

test_that("labels that cannot be classes are refused", {
  expect_error(slb(iris[1:4], replace(iris$Species, 3, NA)), "^y: expected a class for every row, got NA in row 3")
  expect_error(slb(iris[1:4], iris$Sepal.Width), "^y: expected classes, got numbers with fractions")
  expect_error(slb(Species ~ ., transform(iris, Species = replace(Species, 3, NA))), "response 'Species': expected a class for every row")
  expect_error(slb(iris[1:4], as.list(1:150)), "^y: expected a factor")
  expect_error(slb(iris[1:4], Sys.Date() + 1:150), "^y: expected a factor")
})
