drawn <- function(...) {
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  plot(...)
}

test_that("curves of features add up with intercept and pairs to the score", {
  model <- slb(kind ~ ., mixed_rows(), method = "lu")
  curves <- drawn(model, class = "yes")
  expect_named(curves, model$features)
  row <- mixed_rows()[5, ]
  effects <- predict(model, row, type = "terms")
  of_colour <- explain(model, row)
  of_colour <- sum(of_colour$contribution[of_colour$first == "colour" & is.na(of_colour$second)])
  at <- curves$colour$effect[curves$colour$value == as.character(row$colour)]
  expect_equal(at, of_colour * if (colnames(predict(model, row, type = "score")) == "yes") 1 else -1, tolerance = 1e-9)
})

test_that("the map of a pair is the contribution of its terms", {
  model <- slb(Species ~ ., iris, method = "slb-", preset = "paper")
  map <- drawn(model, "pair", features = c("Petal.Width", "Sepal.Length"), class = "virginica", n = 11)
  expect_identical(dim(map$z), c(11L, 11L))
  row <- transform(iris[1, ], Sepal.Length = as.double(map$x[4]), Petal.Width = as.double(map$y[8]))
  why <- explain(model, row)
  wanted <- why$score == "virginica" & why$first == "Sepal.Length" & why$second %in% "Petal.Width"
  expect_equal(map$z[4, 8], sum(why$contribution[wanted]), tolerance = 1e-2)
})

test_that("importances and dependence are drawn", {
  expect_identical(drawn(iris_model, "importances", newdata = iris), importances(iris_model, iris))
  model <- slb(Species ~ ., iris, method = "tan")
  pairs <- drawn(model, "dependence", newdata = iris, y = iris$Species)
  expect_identical(nrow(pairs), sum(!is.na(explain(model)$second[explain(model)$score == "setosa"])))
  expect_true(all(pairs$hsic > 0))
})

test_that("wrong arguments are refused", {
  expect_error(drawn(iris_model, "curve"), "^what: expected one of")
  expect_error(drawn(iris_model, features = "colour"), "^features: .*'colour'")
  expect_error(drawn(iris_model, class = "rose"), "^class: .*'rose'")
  expect_error(drawn(iris_model, "importances"), "^newdata: expected")
  expect_error(drawn(slb(Species ~ ., iris, method = "lu"), "pair"), "^features: .*no pair")
  expect_error(drawn(iris_model, "pair", features = c("Sepal.Width", "Sepal.Width")), "^features: expected two different")
  expect_error(drawn(iris_model, "dependence", newdata = iris, y = rep("rose", 150)), "^y: .*'rose'")
})
