test_that("contributions and intercept add up to the score", {
  for (model in list(iris_model, slb(kind ~ ., mixed_rows()))) {
    rows <- if (identical(model, iris_model)) iris[c(1, 101), ] else mixed_rows()[1:2, ]
    why <- explain(model, rows)
    sums <- tapply(why$contribution, list(why$row, why$score), sum)
    for (class in colnames(sums)) {
      expect_equal(as.vector(sums[, class]) + attr(why, "intercepts")[[class]],
                   as.vector(predict(model, rows, type = "score")[, class]), tolerance = 1e-9)
    }
  }
})

test_that("the largest contribution of a row comes first, and each has its features", {
  why <- explain(iris_model, iris[101, ])
  first <- why[why$score == "virginica", ]
  expect_false(is.unsorted(-abs(first$contribution)))
  expect_true(all(why$first %in% names(iris)))
  expect_true(all(is.na(why$second) | why$second %in% names(iris)))
})

test_that("terms are listed without rows", {
  terms <- explain(iris_model)
  expect_identical(unique(terms$term), labels(iris_model))
  expect_identical(terms$weight[terms$score == "setosa"], unname(coef(iris_model)["setosa", -1]))
})

test_that("importances are means of absolute contributions", {
  found <- importances(iris_model, iris, by = "term")
  contributions <- predict(iris_model, iris, type = "terms")[[found$class[1]]]
  expect_equal(found$mean[1], mean(abs(contributions[, found$name[1]])), tolerance = 1e-9)
  expect_true(all(found$low <= found$mean & found$mean <= found$high))
  expect_setequal(importances(iris_model, iris, by = "feature")$name, names(iris)[1:4])
})

test_that("a flip changes the prediction", {
  found <- flips(iris_model, iris[71, ])[1, ]
  changed <- iris[71, ]
  changed[[found$feature]] <- as.double(found$to) + sign(as.double(found$to) - as.double(found$from)) * 1e-3
  expect_identical(predict(iris_model, changed), found$prediction)
  expect_false(predict(iris_model, iris[71, ]) == found$prediction)
})

test_that("flips of categories name levels", {
  found <- flips(slb(kind ~ ., mixed_rows()), mixed_rows())
  of_colour <- found[found$feature == "colour", ]
  expect_true(all(of_colour$to %in% c("red", "green", "blue", NA)))
})

test_that("wrong arguments are refused", {
  expect_error(importances(iris_model, iris, by = "pair"), "^by: expected one of")
  expect_error(importances(iris_model), "^newdata: expected")
  expect_error(flips(iris, iris), "^object: expected a model")
  expect_error(explain(iris_model, iris[0, ]), "^newdata: expected at least one row")
})
