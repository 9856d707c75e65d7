test_that("caret trains, tunes and predicts", {
  skip_if_not_installed("caret")
  control <- caret::trainControl("cv", number = 3, classProbs = TRUE)
  set.seed(1)
  found <- caret::train(kind ~ size + count, na.omit(mixed_rows()), method = caret_slb(), trControl = control, tuneLength = 2)
  expect_setequal(found$results$method, c("slb", "lu"))
  expect_gt(max(found$results$Accuracy), 0.7)
  expect_identical(levels(predict(found, mixed_rows()[5:9, ])), c("yes", "no"))
  expect_named(predict(found, mixed_rows()[5:9, ], type = "prob"), c("yes", "no"))
})

test_that("caret hands options, weights and gaps to the fit", {
  skip_if_not_installed("caret")
  x <- mixed_rows()[c("size", "colour")]
  found <- caret::train(x, mixed_rows()$kind, method = caret_slb(), weights = rep(2, 300),
                        trControl = caret::trainControl("none"), tuneGrid = data.frame(method = "nb"), grid = 64)
  direct <- slb(x, mixed_rows()$kind, weights = rep(2, 300), method = "nb", grid = 64)
  expect_identical(found$finalModel$model, direct$model)
})

test_that("parsnip fits and predicts", {
  skip_if_not_installed("parsnip")
  specification <- parsnip::set_engine(slb_model(), "dyad", method = "lu")
  fitted <- parsnip::fit(specification, Species ~ ., data = iris)
  expect_identical(predict(fitted, iris)$.pred_class, predict(slb(Species ~ ., iris, method = "lu"), iris))
  expect_named(predict(fitted, iris, type = "prob"), paste0(".pred_", levels(iris$Species)))
})

test_that("parsnip is asked for where it is missing", {
  skip_if(requireNamespace("parsnip", quietly = TRUE))
  expect_error(slb_model(), "parsnip")
})
