test_that("help names options as R does", {
  expect_false(any(grepl("--", slb_options()$help)))
  expect_match(slb_options()$help[slb_options()$name == "cross_fit_folds"], "feature_mode")
})

test_that("defaults follow preset, method and objective", {
  paper <- slb_options(preset = "paper")
  expect_identical(paper$default[paper$name == "transform"], "none")
  expect_identical(slb_options(n_pairs = 3)$default[paper$name == "pairs"], "count")
  expect_identical(slb_options(method = "nb", optimise = "balanced")$default[paper$name == "priors"], "equal")
})
