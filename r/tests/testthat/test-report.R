test_that("the data of a page are JSON, with quality where classes are known", {
  path <- temporary(".json")
  report(iris_model, iris, path)
  with_classes <- readLines(path, warn = FALSE)
  report(iris_model, iris[1:4], path)
  expect_gt(nchar(with_classes), nchar(readLines(path, warn = FALSE)) + 1000)
  report(iris_model, iris[1:4], path, y = iris$Species)
  # Seconds of the page's own steps differ by a few digits.
  expect_lt(abs(nchar(readLines(path, warn = FALSE)) - nchar(with_classes)), 50)
})

test_that("a page carries plotly.js, style, document and title", {
  script <- temporary(".js")
  writeLines("/* a plotting library */", script)
  path <- temporary(".html")
  report(iris_model, iris, path, title = "Irises <plotly.js> & others", plotly = script)
  page <- readChar(path, file.size(path), useBytes = TRUE)
  expect_match(page, "/* a plotting library */", fixed = TRUE)
  expect_match(page, "Irises &lt;plotly.js&gt; &amp; others", fixed = TRUE)
  expect_false(grepl("<plotly.js>", page, fixed = TRUE))
  expect_match(page, "Petal.Width", fixed = TRUE)
})

test_that("options of the page are taken by name", {
  few <- temporary(".json")
  many <- temporary(".json")
  report(iris_model, iris, few, n_rows = 1)
  report(iris_model, iris, many, n_rows = 100, rows = 3)
  expect_lt(file.size(few), file.size(many))
  expect_error(report(iris_model, iris, few, n_row = 1), "n_row: no such option; did you mean 'n_rows'")
  expect_error(report(iris_model, iris, few, n_rows = -1), "^n_rows: expected")
})

test_that("wrong arguments are refused", {
  path <- temporary(".html")
  expect_error(report(iris_model, iris, path, plotly = "/nowhere.js"), "^plotly: expected a file")
  old <- temporary(".js")
  writeLines("/**\n* plotly.js v1.31.2\n*/", old)
  expect_error(report(iris_model, iris, path, plotly = old), "^plotly: expected plotly.js 2 or later, got 1.31.2")
  expect_error(report(iris_model, iris, path, rows = 151, plotly = path), "^rows: expected|^plotly: expected")
  expect_error(report(iris_model, iris[1:4], temporary(".json"), y = "rose"), "^y: .*'rose'")
  expect_error(report(iris_model, iris[1:4], temporary(".json"), y = iris$Species[1:5]), "^y: expected a class for each")
  expect_error(report(iris_model, iris, 3), "^file: expected one string")
})
