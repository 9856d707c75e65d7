test_that("the formula, data frame and matrix methods give one model", {
  by_formula <- slb(Species ~ ., iris)
  expect_identical(slb(iris[1:4], iris$Species)$model, by_formula$model)
  expect_identical(slb(as.matrix(iris[1:4]), iris$Species)$model, by_formula$model)
})

test_that("a formula takes transformed features and leaves columns out", {
  model <- slb(Species ~ log(Petal.Length) + Sepal.Width, iris)
  expect_identical(model$features, c("log(Petal.Length)", "Sepal.Width"))
  expect_identical(slb(Species ~ . - Sepal.Width, iris)$features, setdiff(names(iris), c("Sepal.Width", "Species")))
  expect_gt(mean(predict(model, iris) == iris$Species), 0.9)
})

test_that("names that are no symbols are features, too", {
  table <- setNames(iris, c("a b", "c-d", "1", "if", "the kind"))
  model <- slb(`the kind` ~ ., table)
  expect_identical(model$features, names(table)[1:4])
  expect_identical(predict(model, table), predict(iris_model, iris))
})

test_that("a weight of 2 is the row twice, a weight of 0 no row", {
  twice <- slb(Species ~ ., iris[c(1:150, 11:20), ])
  weights <- ifelse(seq_len(150) %in% 11:20, 2, 1)
  expect_identical(slb(Species ~ ., iris, weights = weights)$model, twice$model)
  zero <- as.double(seq_len(150) > 5)
  expect_identical(slb(iris[1:4], iris$Species, weights = zero)$model, slb(Species ~ ., iris[-(1:5), ])$model)
})

test_that("weights are looked up in the data", {
  table <- cbind(iris, w = rep(1:2, 75))
  expect_identical(slb(Species ~ . - w, table, weights = w)$model,
                   slb(iris[1:4], iris$Species, weights = rep(1:2, 75))$model)
})

test_that("every option of the library is taken by its name, and refused out of range", {
  options <- slb_options(preset = "paper")
  for (k in seq_len(nrow(options))) {
    wrong <- stats::setNames(list(list(1, 2)), options$name[k])
    expect_error(do.call(slb_options, wrong), paste0("^", options$name[k], ": expected"))
    value <- options$default[k]
    given <- if (grepl("^one of", options$values[k])) value else if (value %in% c("true", "false")) value == "true" else as.double(value)
    same <- stats::setNames(list(given), options$name[k])
    result <- tryCatch(do.call(slb_options, c(same, if (options$name[k] != "preset") list(preset = "paper"))),
                       error = function(error) conditionMessage(error))
    if (is.character(result)) expect_match(result, paste0("^", options$name[k], " "))  # it does not apply to these options
    else expect_identical(result$default[k], value)
  }
})

test_that("an unknown option is refused with the nearest name", {
  expect_error(slb(Species ~ ., iris, n_pair = 3), "n_pair: no such option; did you mean 'n_pairs'")
  expect_error(slb(Species ~ ., iris, NULL, 3), "expected options by name")
  expect_error(slb(Species ~ ., iris, pairs = "count", n_pairs = 1, n_pairs = 2), "n_pairs|matched by multiple")
})

test_that("options that do not go together are refused by name", {
  expect_error(slb(Species ~ ., iris, method = "nb", pairs = "all"), "pairs")
  expect_error(slb(Species ~ ., iris, settings = "average", norm_bound = 1), "norm_bound")
})

test_that("a cost C is used once it is given", {
  expect_identical(slb_options(settings = "best", C = 3)$default[slb_options()$name == "cost"], "given")
})

test_that("class weights and costs follow the names of classes", {
  balanced <- slb(kind ~ ., mixed_rows(), class_weights = "balanced")
  expect_identical(balanced$model, slb(kind ~ ., mixed_rows(), optimise = "balanced")$model)
  heavy <- predict(slb(kind ~ count, mixed_rows(), class_weights = c(yes = 50)), mixed_rows())
  expect_gt(mean(heavy == "yes"), 0.9)
  costs <- matrix(c(0, 100, 1, 0), 2, dimnames = list(c("yes", "no"), c("yes", "no")))
  expect_gt(mean(predict(slb(kind ~ count, mixed_rows(), costs = costs), mixed_rows()) == "no"), 0.9)
  swapped <- costs[c("no", "yes"), c("no", "yes")]
  expect_identical(slb(kind ~ ., mixed_rows(), costs = swapped)$model, slb(kind ~ ., mixed_rows(), costs = costs)$model)
})

test_that("wrong class weights and costs are refused", {
  expect_error(slb(Species ~ ., iris, class_weights = c(rose = 2)), "^class_weights: .*'rose'")
  expect_error(slb(Species ~ ., iris, class_weights = c(setosa = -2)), "^class_weights: .*-2")
  expect_error(slb(Species ~ ., iris, class_weights = 2), "^class_weights: expected")
  expect_error(slb(Species ~ ., iris, class_weights = "balanced", optimise = "auc"), "^class_weights: .*contradicts")
  expect_error(slb(Species ~ ., iris, costs = diag(3)), "^costs: expected a matrix")
})

test_that("set.seed neither changes a fit nor is changed by one", {
  set.seed(1)
  before <- .Random.seed
  first <- slb(Species ~ ., iris)
  expect_identical(.Random.seed, before)
  set.seed(2)
  expect_identical(slb(Species ~ ., iris)$model, first$model)
})

test_that("the number of threads does not change a model", {
  expect_identical(slb(kind ~ ., mixed_rows(), threads = 1)$model, slb(kind ~ ., mixed_rows(), threads = 2)$model)
})

test_that("checks of packages use two threads at most", {
  old <- Sys.getenv("_R_CHECK_LIMIT_CORES_", NA)
  on.exit(if (is.na(old)) Sys.unsetenv("_R_CHECK_LIMIT_CORES_") else Sys.setenv("_R_CHECK_LIMIT_CORES_" = old))
  Sys.setenv("_R_CHECK_LIMIT_CORES_" = "TRUE")
  expect_identical(dyad:::thread_count(0), 2L)
  expect_identical(dyad:::thread_count(16), 2L)
  expect_identical(dyad:::thread_count(1), 1L)
  Sys.setenv("_R_CHECK_LIMIT_CORES_" = "false")
  expect_identical(dyad:::thread_count(16), 16L)
  expect_error(slb(Species ~ ., iris, threads = -1), "^threads: expected")
  expect_error(slb(Species ~ ., iris, threads = "two"), "^threads: expected")
})

test_that("bad tables are refused by the argument's name", {
  expect_error(slb(Species ~ ., iris[0, ]), "^data: expected at least one row")
  expect_error(slb(iris[0, 1:4], iris$Species[0]), "^x: expected at least one row")
  expect_error(slb(Species ~ ., iris[1:50, ]), "data: response 'Species': expected two classes or more, got 'setosa' alone")
  expect_error(slb(iris[1:4], iris$Species[1:10]), "^y: expected a class for each of 150 rows, got 10")
  expect_error(slb(iris[1:4]), "^y: expected the classes")
  expect_error(slb(iris[1:4], NULL), "^y: expected")
  expect_error(slb("a", "b"), "^x: expected a data frame or matrix")
  expect_error(slb(Species ~ ., "iris"), "^data: expected a data frame")
  expect_error(slb(~ ., iris), "^formula: expected a response")
  expect_error(slb(Species ~ 1, iris), "^formula: expected at least one feature")
  expect_error(slb(Species ~ a, iris), "^formula: .*'a'")
  expect_error(slb(Species ~ Sepal.Width * Petal.Width, iris), "^formula: .*interaction")
  expect_error(slb(Species ~ Sepal.Width + offset(Petal.Width), iris), "^formula: .*offset")
  expect_error(slb(Species ~ ., transform(iris, Sepal.Width = ifelse(Sepal.Width > 4, Inf, Sepal.Width))),
               "^data: column 'Sepal.Width': expected finite numbers or NA, got Inf in row 16")
  expect_error(slb(cbind(iris[1:4], Sepal.Width = 1), iris$Species), "^x: column names must be distinct")
  expect_error(slb(Species ~ ., iris, categorical = "colour"), "^categorical: .*'colour'")
  expect_error(slb(Species ~ ., iris, categorical = 3), "^categorical: expected names")
  expect_error(slb(Species ~ ., cbind(iris, day = Sys.Date())), "column 'day': expected numbers or categories")
  expect_error(slb(Species ~ poly(Sepal.Width, 2), iris), "expected a vector")
  expect_error(slb(Species ~ ., iris, verbose = "yes"), "^verbose: expected TRUE or FALSE")
})

test_that("wrong weights are refused", {
  expect_error(slb(Species ~ ., iris, weights = rep(-1, 150)), "^weights: .*-1 in row 1")
  expect_error(slb(Species ~ ., iris, weights = rep(0, 150)), "^weights: .*zeros alone")
  expect_error(slb(Species ~ ., iris, weights = c(NA, rep(1, 149))), "^weights: .*NA in row 1")
  expect_error(slb(Species ~ ., iris, weights = 1:3), "^weights: expected one number for each row")
  expect_error(slb(iris[1:4], iris$Species, weights = letters), "^weights: expected numbers")
  expect_warning(slb(Species ~ ., iris, weights = rep(1 / 150, 150)), "weights of class")
})

test_that("columns without information are named in a warning", {
  expect_warning(slb(Species ~ ., cbind(iris, one = 1)), "constant columns carry no information: 'one'")
  expect_warning(slb(Species ~ ., cbind(iris, none = NA)), "columns without values carry no information: 'none'")
})

test_that("progress goes to stderr where it is asked for", {
  expect_output(slb(Species ~ ., iris, verbose = TRUE), NA)
  teller <- dyad:::progress_of(TRUE)
  expect_type(capture.output(teller("fit", 1, 2), type = "message"), "character")
  expect_null(dyad:::progress_of(FALSE))
})

test_that("a model prints its call, summary and weights", {
  expect_output(print(iris_model), "3 classes \\(setosa, versicolor, virginica\\).*slb\\(formula = Species ~ ., data = iris\\)")
  expect_output(print(summary(iris_model)), "coordinates .*settings: .*seconds")
  weights <- coef(iris_model)
  expect_identical(rownames(weights), levels(iris$Species))
  two <- slb(kind ~ ., mixed_rows())
  expect_identical(names(coef(two)), c("(Intercept)", labels(two)))
})

test_that("pairs can be given, and columns and pairs excluded", {
  model <- slb(Species ~ ., iris, pairs = list(c("Sepal.Length", "Petal.Width"), c(2, 3)))
  pairs <- grep(", ", colnames(predict(model, iris[1:2, ], type = "terms")[[1]]), value = TRUE)
  expect_true(all(grepl("Sepal.Length, Petal.Width|Sepal.Width, Petal.Length", pairs)))
  expect_gt(length(pairs), 0)
  without <- slb(Species ~ ., iris, method = "tan", exclude = list("Sepal.Width", c("Petal.Length", "Petal.Width")))
  changed <- transform(iris, Sepal.Width = 1000)
  expect_identical(predict(without, changed, type = "score"), predict(without, iris, type = "score"))
  expect_error(slb(Species ~ ., iris, exclude = "Petal.Lenth"), "did you mean 'Petal.Length'", fixed = TRUE)
  expect_error(slb(Species ~ ., iris, pairs = list(c("Petal.Length", 9))), "no feature '9'", fixed = TRUE)
})

test_that("new rows have p-values of novelty", {
  found <- predict(slb(Species ~ ., iris), transform(iris[c(1, 1), ], Petal.Length = c(1.4, 100)), type = "novelty")
  expect_named(found, c("novelty", "p_value", "term"))
  expect_gt(found$p_value[1], 0.05)
  expect_lt(found$p_value[2], 0.02)
})
