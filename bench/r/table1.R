# A row of the paper's table 1, SLB on the table vertebral: the pipeline of R packages beside slb(), on the same folds.
#   Rscript bench/r/table1.R [LIBRARY]
# The pipeline: ks::hpi and ks::Hpi, ks::kde, floored log densities, pairs by HSIC with a share chosen by an inner
# cross-validation of three folds, and a linear SVM by e1071. HSIC is that of dyad, which is dHSIC's to 1e-6.
# SPDX-License-Identifier: BSD-3-Clause
given <- commandArgs(TRUE)
if (length(given) > 0) .libPaths(c(given[1], .libPaths()))
suppressMessages({
  library(dyad)
  library(ks)
})

table <- read.csv(gzfile("data/vertebral.csv.gz"))
X <- as.matrix(table[names(table) != "label"])
y <- factor(table$label)
shares <- c(0, 0.03, 0.06, 0.12, 0.25, 0.5, 0.75, 1)

folds_of <- function(y, k) {
  folds <- integer(length(y))
  for (class in levels(y)) folds[y == class] <- sample(rep_len(seq_len(k), sum(y == class)))
  folds
}
balanced_error <- function(predicted, y) mean(tapply(predicted != y, y, mean))
log_floored <- function(density) log(pmax(density, 1e-16))

# Log densities of all features and pairs of both classes, for training and test rows, and HSIC of the pairs.
terms_of <- function(X, y, test) {
  rows <- rbind(X, test)
  pairs <- combn(ncol(X), 2)
  found <- lapply(levels(y), function(class) {
    own <- X[y == class, ]
    single <- sapply(seq_len(ncol(X)), function(j) {
      log_floored(ks::kde(own[, j], h = hpi(own[, j]), eval.points = rows[, j])$estimate)
    })
    double <- apply(pairs, 2, function(of) log_floored(ks::kde(own[, of], H = Hpi(own[, of]), eval.points = rows[, of])$estimate))
    list(single = single, double = double, hsic = hsic_matrix(own, engine = "exact")[t(pairs)])
  })
  list(single = do.call(cbind, lapply(found, `[[`, "single")), double = do.call(cbind, lapply(found, `[[`, "double")),
       hsic = unlist(lapply(found, `[[`, "hsic")), train = seq_len(nrow(X)))
}
predicted_with <- function(terms, y, share) {
  kept <- order(-terms$hsic)[seq_len(round(share * length(terms$hsic)))]
  features <- cbind(terms$single, terms$double[, kept, drop = FALSE])
  svm <- e1071::svm(features[terms$train, ], y, kernel = "linear", cost = 1)
  predict(svm, features[-terms$train, , drop = FALSE])
}
pipeline <- function(X, y, test) {
  inner <- folds_of(y, 3)
  errors <- sapply(1:3, function(fold) {
    terms <- terms_of(X[inner != fold, ], y[inner != fold], X[inner == fold, ])
    sapply(shares, function(share) balanced_error(predicted_with(terms, y[inner != fold], share), y[inner == fold]))
  })
  predicted_with(terms_of(X, y, test), y, shares[which.min(rowMeans(errors))])
}

set.seed(1)
folds <- folds_of(y, 5)
methods <- list(
  "R pipeline" = pipeline,
  "slb(preset = \"paper\", engine = \"exact\")" = function(X, y, test) predict(slb(X, y, preset = "paper", engine = "exact", threads = 1), test),
  "slb(preset = \"paper\")" = function(X, y, test) predict(slb(X, y, preset = "paper", threads = 1), test),
  "slb(optimise = \"balanced\")" = function(X, y, test) predict(slb(X, y, optimise = "balanced", threads = 1), test)
)
for (name in names(methods)) {
  before <- proc.time()
  errors <- sapply(1:5, function(fold) balanced_error(methods[[name]](X[folds != fold, ], y[folds != fold], X[folds == fold, ]), y[folds == fold]))
  seconds <- sum((proc.time() - before)[1:2])
  cat(sprintf("%-45s balanced error %.1f +- %.1f %%, %.2f processor seconds a fold\n", name, 100 * mean(errors), 100 * sd(errors), seconds / 5))
}
