# Processor seconds of slb() beside the paper's pipeline of R packages, on tables of the forest-normal scenario:
#   Rscript bench/r/pipeline.R [LIBRARY [ROWS [SHARE]]]
# The pipeline: plug-in bandwidths by ks::hpi and ks::Hpi, log densities by ks::kde, floored, and linear SVMs by e1071,
# on all rows and in each of the three folds of the cross-validation that chooses the number of pairs. SHARE of the pairs is
# computed, and their seconds are divided by it. Left out, in favour of the pipeline: HSIC (dHSIC is not in Debian), and
# the SVMs of the other numbers of pairs.
# SPDX-License-Identifier: BSD-3-Clause
given <- commandArgs(TRUE)
if (length(given) > 0) .libPaths(c(given[1], .libPaths()))
n <- if (length(given) > 1) as.integer(given[2]) else 1000L
share <- if (length(given) > 2) as.double(given[3]) else 0.1
suppressMessages({
  library(dyad)
  library(ks)
})

processor <- function(expression) {
  before <- proc.time()
  force(expression)
  sum((proc.time() - before)[1:2])
}
log_floored <- function(density) log(pmax(density, 1e-16))

# Seconds of the steps on training rows, with the terms of test rows, and the error on those.
pipeline <- function(table, test) {
  d <- ncol(table) - 1L
  rows <- lapply(split(seq_len(nrow(table)), table$class), function(of) as.matrix(table[of, seq_len(d)]))
  points <- as.matrix(rbind(table, test)[seq_len(d)])
  pairs <- merge(data.frame(t(combn(d, 2))), data.frame(class = 1:2))
  timed <- pairs[round(seq(1, nrow(pairs), length.out = max(1, round(share * nrow(pairs))))), ]
  single <- matrix(0, nrow(points), 2 * d)
  seconds <- c("hpi and kde of one" = processor(for (class in 1:2) for (j in seq_len(d)) {
    x <- rows[[class]][, j]
    single[, d * (class - 1) + j] <- log_floored(ks::kde(x, h = hpi(x), eval.points = points[, j])$estimate)
  }))
  scale <- nrow(pairs) / nrow(timed)
  H <- vector("list", nrow(timed))
  seconds["Hpi"] <- scale * processor(for (k in seq_len(nrow(timed))) {
    H[[k]] <- Hpi(rows[[timed$class[k]]][, unlist(timed[k, 1:2])])
  })
  double <- matrix(0, nrow(points), nrow(timed))
  seconds["kde of two"] <- scale * processor(for (k in seq_len(nrow(timed))) {
    j <- unlist(timed[k, 1:2])
    double[, k] <- log_floored(ks::kde(rows[[timed$class[k]]][, j], H = H[[k]], eval.points = points[, j])$estimate)
  })
  features <- cbind(single, double)
  train <- seq_len(nrow(table))
  seconds["svm"] <- processor(svm <- e1071::svm(features[train, ], table$class, kernel = "linear", cost = 1))
  list(seconds = seconds, error = mean(predict(svm, features[-train, ]) != test$class))
}

table <- simulate_table("forest-normal", n, seed = 1)
test <- simulate_table("forest-normal", 1000, seed = 1, draw = 1)
found <- pipeline(table, test)
fold <- rep_len(1:3, n)
inner <- rowSums(sapply(1:3, function(k) pipeline(table[fold != k, ], table[fold == k, ])$seconds))
whole <- sum(found$seconds) + sum(inner)
steps <- function(seconds) paste(names(seconds), round(seconds, 2), collapse = ", ")
cat(sprintf("%d rows, %d features, %g of the pairs timed\nall rows: %.1f processor seconds (%s)\nthree inner folds: %.1f (%s)\n", n,
            ncol(table) - 1L, share, sum(found$seconds), steps(found$seconds), sum(inner), steps(inner)))
if (share == 1) cat(sprintf("error of the pipeline with all pairs on 1000 rows: %.3f\n", found$error))

timed_fit <- function(what, seconds, ...) {
  fits <- vapply(1:5, function(k) processor(model <<- slb(class ~ ., table, threads = 1, ...)), 0)
  cat(sprintf("%s: %.3f processor seconds (median of 5), error %.3f; the pipeline takes %.0f times as long\n", what, median(fits),
              mean(predict(model, test) != test$class), seconds / median(fits)))
}
timed_fit("slb()", whole)
timed_fit("slb(preset = \"paper\")", whole, preset = "paper")
timed_fit("slb(preset = \"paper\", method = \"slb-\"), beside all rows alone", sum(found$seconds), method = "slb-", preset = "paper")
