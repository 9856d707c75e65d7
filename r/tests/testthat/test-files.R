test_that("a model from a file predicts the same and has the same bytes", {
  path <- temporary(".dyad")
  write_model(iris_model, path)
  again <- read_model(path)
  expect_identical(again$model, iris_model$model)
  expect_identical(readBin(path, "raw", file.size(path)), iris_model$model)
  expect_identical(predict(again, iris), predict(iris_model, iris))
  expect_identical(predict(again, iris, type = "terms"), predict(iris_model, iris, type = "terms"))
})

test_that("labels of a file have their type", {
  x <- iris[1:4]
  for (y in list(iris$Species == "setosa", as.integer(iris$Species), as.double(iris$Species))) {
    path <- temporary(".dyad")
    write_model(slb(x, y), path)
    expect_identical(predict(read_model(path), x), predict(slb(x, y), x))
  }
})

test_that("saveRDS and serialize keep a model", {
  path <- temporary(".rds")
  saveRDS(iris_model, path)
  again <- readRDS(path)
  expect_identical(predict(again, iris), predict(iris_model, iris))
  expect_identical(summary(again)$description, summary(iris_model)$description)
  expect_identical(predict(unserialize(serialize(iris_model, NULL)), iris), predict(iris_model, iris))
})

test_that("a model in a file that was read by another process predicts the same", {
  skip_on_os("windows")
  path <- temporary(".rds")
  saveRDS(iris_model, path)
  code <- sprintf("cat(as.integer(predict(readRDS('%s'), iris)))", path)
  libraries <- paste0("R_LIBS=", paste(.libPaths(), collapse = ":"))
  found <- system2(file.path(R.home("bin"), "Rscript"), c("-e", shQuote(paste0("library(dyad);", code))), stdout = TRUE, env = libraries)
  expect_identical(as.integer(strsplit(paste(found, collapse = " "), " ")[[1]]), as.integer(predict(iris_model, iris)))
})

test_that("files that are no models are refused with their path", {
  path <- temporary(".dyad")
  expect_error(read_model(path), path, fixed = TRUE)
  writeLines("no model", path)
  expect_error(read_model(path), path, fixed = TRUE)
  expect_error(read_model(c("a", "b")), "^file: expected one string, got 2 values")
  expect_error(write_model(iris_model, file.path(path, "none", "a.dyad")), "none")
  expect_error(write_model(iris, path), "^object: expected a model of slb")
})

test_that("a model that was cut short or changed is refused, not read", {
  broken <- iris_model
  broken$core <- list2env(list(pointer = NULL), parent = emptyenv())
  for (bytes in list(raw(), as.raw(1:100), head(iris_model$model, 200), replace(iris_model$model, 300, as.raw(255)))) {
    broken$model <- bytes
    expect_error(predict(broken, iris))
  }
  broken$model <- "text"
  expect_error(predict(broken, iris), "^object: expected a model")
})

test_that("exports are written, and unknown formats refused", {
  for (format in c("json", "c", "js", "sql", "onnx")) {
    path <- temporary(format)
    export_model(iris_model, path, format)
    expect_gt(file.size(path), 1000)
  }
  expect_error(export_model(iris_model, path, "pmml"), "format")
  expect_error(export_model(iris_model, path, "c", contributions = TRUE), "contributions")
})
