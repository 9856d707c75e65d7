test_that("scores, probabilities and classes agree", {
  scores <- predict(iris_model, iris, type = "score")
  expect_identical(dimnames(scores), list(NULL, levels(iris$Species)))
  expect_identical(colnames(scores)[max.col(scores, "first")], as.character(predict(iris_model, iris)))
  probabilities <- predict(iris_model, iris, type = "prob")
  expect_equal(rowSums(probabilities), rep(1, 150), tolerance = 1e-12)
})

test_that("the score of two classes is named after the class of positive scores", {
  model <- slb(kind ~ ., mixed_rows())
  scores <- predict(model, mixed_rows(), type = "score")
  expect_identical(dim(scores), c(300L, 1L))
  expect_identical(scores[, 1] > 0, as.character(predict(model, mixed_rows())) == colnames(scores))
  expect_identical(colnames(predict(model, mixed_rows(), type = "prob")), c("yes", "no"))
})

test_that("terms and intercept add up to the score", {
  terms <- predict(iris_model, iris, type = "terms")
  scores <- predict(iris_model, iris, type = "score")
  for (class in names(terms)) {
    sums <- rowSums(terms[[class]]) + attr(terms[[class]], "constant")
    expect_equal(sums, scores[, class], tolerance = 1e-9)
  }
  two <- predict(slb(kind ~ ., mixed_rows()), mixed_rows(), type = "terms")
  expect_equal(rowSums(two) + attr(two, "constant"),
               predict(slb(kind ~ ., mixed_rows()), mixed_rows(), type = "score")[, 1], tolerance = 1e-9)
})

test_that("rows far away are novel", {
  far <- transform(iris[1, ], Sepal.Length = 30)
  found <- predict(iris_model, rbind(iris[1, ], far), type = "novelty")
  expect_gt(found$novelty[2], found$novelty[1] + 3)
  expect_match(found$term[2], "Sepal.Length")
})

test_that("columns of new rows are found by name, in any order", {
  shuffled <- cbind(other = "x", iris[150:1, c(5, 3, 1, 4, 2)])
  expect_identical(predict(iris_model, shuffled), predict(iris_model, iris)[150:1])
  expect_identical(predict(slb(iris[1:4], iris$Species), shuffled), predict(iris_model, iris)[150:1])
})

test_that("one row is enough, and none is not", {
  expect_length(predict(iris_model, iris[7, ]), 1)
  expect_error(predict(iris_model, iris[0, ]), "^newdata: expected at least one row")
})

test_that("wrong arguments are refused", {
  expect_error(predict(iris_model), "^newdata: expected a data frame or matrix, got nothing")
  expect_error(predict(iris_model, iris[1:3]), "^newdata: .*none named 'Petal.Width'")
  expect_error(predict(iris_model, 1:4), "^newdata: expected a data frame")
  expect_error(predict(iris_model, iris, type = "raw"), "^type: expected one of")
  expect_error(predict(iris_model, iris, new_levels = NA), "^new_levels: expected")
  expect_error(predict(slb(iris[1:4], iris$Species), matrix(1, 2, 3)), "^newdata: ")
})
