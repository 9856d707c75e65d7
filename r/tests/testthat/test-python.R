# Bytes of models from R and from Python, which DYAD_PYTHON names, must be the same.
python_script <- '
import sys
import pandas as pd
from dyad import SLBClassifier, LUClassifier, NaiveBayesKDE, TANClassifier

table = pd.read_csv(sys.argv[1], keep_default_na=False, dtype=str)
kinds = sys.argv[3].split(",")
for name, kind in zip(table.columns, kinds):
    column = table[name].astype(object).where(table[name] != "", None)
    if kind == "number":
        table[name] = [float("nan") if v is None else float.fromhex(v) for v in column]
    elif kind == "truth":
        table[name] = [v == "TRUE" for v in column]
    elif kind.startswith("ordered "):
        table[name] = pd.Categorical(column, kind.split(" ")[1:], ordered=True)
    else:
        table[name] = column
y = table.pop(table.columns[-1])
estimator = eval(sys.argv[4])
estimator.fit(table, y.to_numpy(dtype=object)).save(sys.argv[2])
'

python_bytes <- function(table, estimator) {
  script <- temporary(".py")
  data <- temporary(".csv")
  model <- temporary(".dyad")
  writeLines(python_script, script)
  kinds <- vapply(table, function(x) {
    if (is.numeric(x)) return("number")
    if (is.logical(x)) return("truth")
    if (is.ordered(x)) paste(c("ordered", levels(x)), collapse = " ") else "text"
  }, "")
  texts <- lapply(table, function(x) ifelse(is.na(x), "", if (is.numeric(x)) sprintf("%a", as.double(x)) else as.character(x)))
  write.csv(as.data.frame(texts, optional = TRUE), data, row.names = FALSE)
  arguments <- c(script, data, model, shQuote(paste(kinds, collapse = ",")), shQuote(estimator))
  # Libraries of R that the loader finds first are not those that Python was built with.
  output <- system2(Sys.getenv("DYAD_PYTHON"), arguments, stdout = TRUE, stderr = TRUE, env = "LD_LIBRARY_PATH=")
  if (!file.exists(model)) stop(paste(output, collapse = "\n"))
  readBin(model, "raw", file.size(model))
}

expect_same_bytes <- function(table, estimator, ...) {
  formula <- stats::reformulate(".", as.name(names(table)[ncol(table)]))
  ours <- suppressWarnings(slb(formula, table, ...))
  expect_identical(ours$model, python_bytes(table, estimator))
}

test_that("models of iris are those of Python", {
  skip_if_not(nzchar(Sys.getenv("DYAD_PYTHON")), "no Python with dyad: set DYAD_PYTHON")
  expect_same_bytes(iris, "SLBClassifier()")
  expect_same_bytes(iris, "LUClassifier()", method = "lu")
  expect_same_bytes(iris, "NaiveBayesKDE()", method = "nb")
  expect_same_bytes(iris, "TANClassifier()", method = "tan")
  expect_same_bytes(iris, "SLBClassifier(preset=\"paper\", pairs=\"count\", n_pairs=3, random_state=1)",
                    preset = "paper", pairs = "count", n_pairs = 3)
  expect_same_bytes(iris, "SLBClassifier(class_weight=\"balanced\")", class_weights = "balanced")
})

test_that("models of the example tables are those of Python", {
  skip_if_not(nzchar(Sys.getenv("DYAD_PYTHON")), "no Python with dyad: set DYAD_PYTHON")
  for (name in c("stars.csv", "trees.csv")) {
    expect_same_bytes(read.csv(share(name), na.strings = ""), "SLBClassifier()")
  }
  expect_same_bytes(mixed_rows(), "SLBClassifier()")
})

test_that("models of tables of the suite are those of Python", {
  skip_if_not(nzchar(Sys.getenv("DYAD_PYTHON")), "no Python with dyad: set DYAD_PYTHON")
  tables <- file.path(Sys.getenv("DYAD_DATA"), c("credit-approval.csv", "glass.csv", "horse-colic-surgical.csv"))
  skip_if_not(nzchar(Sys.getenv("DYAD_DATA")) && all(file.exists(tables)), "no tables of the suite: set DYAD_DATA")
  for (path in tables) expect_same_bytes(read.csv(path, na.strings = ""), "SLBClassifier()")
})
