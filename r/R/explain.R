#' Explanations of Predictions
#'
#' @description
#' `explain()` takes scores apart into contributions of the terms, which add up with the intercept to the score.
#' `importances()` says how much terms, features or pairs matter over many rows, and `flips()` which change of one
#' feature, or else of two, would change a prediction.
#'
#' @param object A model of [slb()].
#' @param newdata Rows to explain, as for [predict()][predict.slb]; `explain()` without it lists the terms.
#' @param by What a part is: an `"effect"`, all terms of just one feature or one pair; a `"term"`; or a `"feature"`, all
#'   terms that it is in.
#' @param seed Seed of the rows that are drawn of more than 20000.
#' @param new_levels,threads As for [predict()][predict.slb].
#' @param ... Not used.
#'
#' @return
#' `explain()` a data frame with a row for each row, score and term: `row`, `score` (the class whose score it is),
#' `term`, its `kind`, `class` (`NA` but for densities), `first` and `second` feature, `value`, `weight` and
#' `contribution`, weight times (value - centre); the largest contribution of each row first. The attributes `scores`
#' and `intercepts` have the sums.
#'
#' `importances()` a data frame of `name`, `class` (whose score it matters to most), the `mean` absolute contribution and
#' the ends `low` and `high` of its 95 % interval, the largest first.
#'
#' `flips()` a data frame of `row`, `feature`, its value `from` and the nearest value `to` with another prediction, as
#' text, the `prediction` then, and the `distance` as a share of the feature's range; the nearest of each row first. Rows
#' that no single feature changes have changes of two; `feature_2`, `from_2` and `to_2` are `NA` otherwise.
#' @examples
#' model <- slb(Species ~ ., iris)
#' why <- explain(model, iris[101, ])
#' head(why[why$score == "virginica", c("term", "value", "contribution")], 3)
#' head(importances(model, iris), 3)
#' flips(model, iris[c(71, 101), ])
#' @export
explain <- function(object, ...) UseMethod("explain")

#' @rdname explain
#' @export
explain.slb <- function(object, newdata, new_levels = c("error", "ignore"), threads = NULL, ...) {
  parts <- parts_of(object)
  if (missing(newdata)) return(listed_terms(object))
  X <- new_rows(object, newdata, new_levels)
  pointer <- pointer_of(object)
  values <- .Call(C_row_term_values, pointer, X, thread_count(threads))
  explained <- lapply(match(shown_scores(object), score_names(parts)), function(k) {
    contributions <- .Call(C_row_contributions, pointer, values, k)
    rows <- listed_terms(object, k)[rep(seq_len(ncol(values)), each = nrow(values)), ]
    cbind(row = rep(seq_len(nrow(values)), ncol(values)), rows[c("score", "term", "kind", "class", "first", "second")],
          value = as.vector(values), weight = rows$weight, contribution = as.vector(contributions))
  })
  result <- do.call(rbind, explained)
  result <- result[order(result$row, match(result$score, shown_scores(object)), -abs(result$contribution)), ]
  rownames(result) <- NULL
  attr(result, "intercepts") <- stats::setNames(parts$intercepts, score_names(parts))[shown_scores(object)]
  attr(result, "scores") <- with_classes(.Call(C_row_scores, pointer, X, thread_count(threads)), score_names(parts))
  result
}

# The terms with their weights in one score, or in all.
listed_terms <- function(object, scores = seq_along(score_names(parts_of(object)))) {
  parts <- parts_of(object)
  terms <- parts$terms
  lists <- lapply(scores, function(k) {
    data.frame(score = score_names(parts)[k], term = term_names(parts), kind = terms$kind, class = term_classes(parts),
               first = parts$features[terms$i], second = ifelse(terms$i == terms$j, NA, parts$features[terms$j]),
               centre = terms$centre, weight = parts$weights[k, ])
  })
  do.call(rbind, lists)
}

#' @rdname explain
#' @export
importances <- function(object, newdata, by = c("effect", "term", "feature"), seed = 1,
                        new_levels = c("error", "ignore"), threads = NULL) {
  by <- check_choice(by, c("effect", "term", "feature"), "by")
  X <- new_rows(object, newdata, new_levels)
  parts <- parts_of(object)
  found <- .Call(C_part_importances, pointer_of(object), X, as.double(check_seed(seed)), thread_count(threads))[[by]]
  means <- matrix(vapply(found, function(values) values[, 1L], numeric(nrow(found[[1L]]))), ncol = length(found))
  best <- max.col(means, ties.method = "first")
  of_best <- t(vapply(seq_along(best), function(part) found[[best[part]]][part, ], numeric(3L)))
  result <- data.frame(name = part_names(object, by), class = score_names(parts)[best], mean = of_best[, 1L],
                       low = of_best[, 2L], high = of_best[, 3L])
  result <- result[order(-result$mean), ]
  rownames(result) <- NULL
  result
}

part_names <- function(object, by) {
  parts <- parts_of(object)
  if (by == "term") return(term_names(parts))
  if (by == "feature") return(parts$features)
  places <- .Call(C_effect_places, pointer_of(object))
  ifelse(places$i == places$j, parts$features[places$i],
         paste0(parts$features[places$i], ", ", parts$features[places$j]))
}

#' @rdname explain
#' @export
flips <- function(object, newdata, new_levels = c("error", "ignore"), threads = NULL) {
  X <- new_rows(object, newdata, new_levels)
  parts <- parts_of(object)
  found <- .Call(C_row_flips, pointer_of(object), X, thread_count(threads))
  change <- function(feature, value) {
    texts <- data.frame(feature = parts$features[feature], from = NA_character_, to = NA_character_)
    known <- !is.na(feature)
    texts$from[known] <- value_texts(parts, feature[known], X[cbind(found$row, feature)[known, , drop = FALSE]])
    texts$to[known] <- value_texts(parts, feature[known], value[known])
    texts
  }
  second <- change(found$second, found$second_value)
  names(second) <- paste0(names(second), "_2")
  data.frame(row = found$row, change(found$feature, found$value),
             prediction = decode_labels(parts$classes[found$class], object$response), distance = found$distance, second)
}

# Values of features as text: a number, the name of a level, or NA.
value_texts <- function(parts, features, values) {
  texts <- formatC(values, digits = 6L, format = "g")
  for (k in which(vapply(features, function(j) has_levels(parts, j), NA))) {
    texts[k] <- c(parts$levels[[features[k]]]$names, "(all others)")[values[k] + 1]
  }
  texts[is.nan(values)] <- NA
  texts
}

has_levels <- function(parts, feature) length(parts$levels) > 0L && length(parts$levels[[feature]]$names) > 0L
