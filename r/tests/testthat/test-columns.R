test_that("columns of every type are features", {
  table <- mixed_rows()
  model <- slb(kind ~ ., table)
  expect_gt(mean(predict(model, table) == table$kind), 0.8)
  expect_identical(model$features, setdiff(names(table), "kind"))
})

test_that("types of columns with the same values give the same predictions", {
  table <- mixed_rows()
  expected <- predict(slb(kind ~ ., table), table, type = "prob")
  as_text <- transform(table, colour = as.character(colour), grade = as.character(grade), count = as.double(count))
  expect_identical(predict(slb(kind ~ ., as_text), table, type = "prob"), expected)
  expect_identical(predict(slb(kind ~ ., table), as_text, type = "prob"), expected)
})

test_that("truths are known as True, False, TRUE, 1 and 0", {
  table <- mixed_rows()
  model <- slb(kind ~ ., table)
  expected <- predict(model, table, type = "score")
  expect_identical(predict(model, transform(table, open = as.character(open)), type = "score"), expected)
  expect_identical(predict(model, transform(table, open = as.integer(open)), type = "score"), expected)
  expect_identical(predict(model, transform(table, open = ifelse(open, "True", "False")), type = "score"), expected)
})

test_that("levels of numbers have their normal form", {
  table <- transform(mixed_rows(), count = (count %% 3) / 2)
  model <- slb(kind ~ ., table, categorical = "count")
  expected <- predict(model, table, type = "score")
  expect_identical(predict(model, transform(table, count = format(count, nsmall = 3)), type = "score"), expected)
  expect_identical(predict(model, transform(table, count = factor(count)), type = "score"), expected)
})

test_that("levels without rows and their order do not change a model", {
  table <- mixed_rows()
  more <- transform(table, colour = factor(colour, levels = c("blue", "violet", "red", "green")))
  expect_identical(slb(kind ~ ., more)$model, slb(kind ~ ., table)$model)
})

test_that("missing values of any kind are missing", {
  table <- mixed_rows()
  with_level <- transform(table, note = addNA(factor(note)))
  expect_identical(slb(kind ~ ., with_level)$model, slb(kind ~ ., table)$model)
  gaps <- transform(table, size = NaN)[1:3, ]
  expect_identical(predict(slb(kind ~ ., table), gaps), predict(slb(kind ~ ., table), transform(gaps, size = NA)))
})

test_that("an unknown level is an error unless it is to be ignored", {
  table <- mixed_rows()
  model <- slb(kind ~ ., table)
  new <- transform(table[1:2, ], colour = c("red", "pink"))
  expect_error(predict(model, new), "^newdata: column 'colour': expected one of the levels .*got 'pink'; new_levels")
  expect_length(predict(model, new, new_levels = "ignore"), 2)
  all_new <- transform(table[1:2, ], colour = c("pink", "violet"))
  expect_warning(predict(model, all_new, new_levels = "ignore"), "colour")
})

test_that("levels that were pooled stand for all others", {
  table <- mixed_rows()
  model <- slb(kind ~ ., table, max_levels = 2)
  expect_length(predict(model, transform(table[1:2, ], colour = c("blue", "pink"))), 2)
})

test_that("text where the model has numbers is refused, and matrices are columns", {
  expect_error(predict(iris_model, transform(iris, Sepal.Width = "wide")), "^newdata: column 'Sepal.Width': expected numbers")
  expect_error(predict(iris_model, transform(iris, Sepal.Width = Inf)), "^newdata: column 'Sepal.Width': expected finite")
  expect_identical(predict(iris_model, as.matrix(iris[1:4])), predict(iris_model, iris))
  expect_identical(predict(slb(iris[1:4], iris$Species), unname(as.matrix(iris[1:4]))), predict(iris_model, iris))
})

test_that("the exact engine refuses gaps and categories by column", {
  gaps <- transform(iris, Sepal.Width = replace(Sepal.Width, 7, NA))
  wanted <- "column 'Sepal.Width': expected complete numbers for engine = \"exact\", got NA in row 7"
  expect_error(slb(Species ~ ., gaps, engine = "exact"), paste0("^data: ", wanted))
  expect_error(predict(slb(Species ~ ., iris, preset = "paper", engine = "exact", n_pairs = 1), gaps), paste0("^newdata: ", wanted))
  expect_error(hsic_matrix(gaps[1:4], engine = "exact"), paste0("^x: ", wanted))
  expect_error(slb(kind ~ ., mixed_rows(), engine = "exact"), "^data: column 'colour': expected numbers for engine")
})

test_that("text that is not ASCII is text, in any encoding", {
  table <- mixed_rows()
  levels(table$colour) <- c("rot", "gr\u00fcn", "\u9752")
  model <- slb(kind ~ ., table)
  latin <- transform(table, colour = as.character(colour))[table$colour != "\u9752", ]
  latin$colour <- iconv(latin$colour, "UTF-8", "latin1")
  expect_identical(predict(model, latin), predict(model, table[table$colour != "\u9752", ]))
  broken <- "\xff\xfe"
  Encoding(broken) <- "UTF-8"
  expect_error(slb(kind ~ ., transform(table, colour = broken)), "column 'colour': expected text in UTF-8")
})

test_that("integer64 is refused with what to do", {
  big <- structure(double(150), class = "integer64")
  expect_error(slb(data.frame(a = 1:150, b = I(big)), iris$Species), "integer64; convert it by as.double")
})

test_that("ordered factors keep the order of their levels", {
  model <- slb(kind ~ grade + size, mixed_rows())
  grDevices::pdf(NULL)
  curves <- plot(model, features = "grade")
  grDevices::dev.off()
  expect_identical(curves$grade$value, c("low", "mid", "high"))
})
