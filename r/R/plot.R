#' Plots of a Model
#'
#' @description
#' Draws what a model says: the curves of its features, the map of a pair, how much parts matter, or which features depend
#' on each other.
#'
#' @param x A model of [slb()].
#' @param what `"effects"`: contributions of single features to a score, as curves, or bars for categories.
#'   `"pair"`: the contribution of a pair, as a map. `"importances"`: mean absolute contributions with 95 % intervals.
#'   `"dependence"`: features in a circle, joined where a class keeps their pair; a line is as wide as HSIC within the class.
#' @param features Names of features: those to draw for `"effects"` (all, at most 12), two for `"pair"` (the pair of
#'   largest weight).
#' @param class The class whose score is drawn; for two classes by default the one that a positive score predicts,
#'   for more the first.
#' @param newdata Rows for `"importances"`; for `"dependence"` rows that HSIC is computed on, with their classes `y`.
#' @param y Classes of `newdata`.
#' @param n Number of points of a curve, or of an axis of a map.
#' @param ... Further arguments of the plotting functions.
#' @return What is drawn, invisibly: data frames of curves by feature, a list of `x`, `y` and `z`, or a data frame.
#' @examples
#' model <- slb(Species ~ ., iris)
#' plot(model)
#' plot(model, "importances", newdata = iris)
#' plot(model, "dependence", newdata = iris, y = iris$Species)
#' if (any(summary(model)$pairs$weight > 0)) plot(model, "pair", class = "virginica")
#' @export
plot.slb <- function(x, what = c("effects", "pair", "importances", "dependence"), features = NULL, class = NULL,
                     newdata = NULL, y = NULL, n = 101, ...) {
  what <- check_choice(what, c("effects", "pair", "importances", "dependence"), "what")
  n <- as.integer(check_count(n, "n", 2, 2000))
  unknown <- setdiff(features, x$features)
  if (length(unknown) > 0L) fail("features: expected names among ", quoted(x$features), ", got '", unknown[1L], "'")
  score <- score_place(x, class)
  drawn <- switch(what,
    effects = plot_effects(x, features %||% utils::head(x$features, 12L), score, n, ...),
    pair = plot_pair(x, features %||% strongest_pair(x), score, n, ...),
    importances = plot_importances(x, newdata, ...),
    dependence = plot_dependence(x, newdata, y, ...)
  )
  invisible(drawn)
}

# Place and sign of the score of a class: of two classes there is only that of the second.
score_place <- function(object, class) {
  parts <- parts_of(object)
  two <- length(parts$classes) == 2L
  class <- as.character(class %||% if (two) parts$classes[2L] else object$classes[1L])
  if (length(class) != 1L || !class %in% parts$classes) {
    fail("class: expected one of ", quoted(object$classes), ", got ", quoted(class))
  }
  place <- match(class, parts$classes)
  if (two) list(k = 1L, sign = 2 * place - 3, class = class) else list(k = place, sign = 1, class = class)
}

# Points of a feature and how they are labelled: the last may be a missing value.
points_of <- function(object, feature, n) {
  parts <- parts_of(object)
  points <- .Call(C_drawn_points, pointer_of(object), feature, n)
  list(values = points, category = has_levels(parts, feature),
       labels = value_texts(parts, rep(feature, length(points)), points))
}

plot_effects <- function(object, features, score, n, ...) {
  old <- graphics::par(mfrow = grDevices::n2mfrow(length(features)), mar = c(4, 4, 1, 1))
  on.exit(graphics::par(old))
  curves <- lapply(match(features, object$features), function(feature) {
    at <- points_of(object, feature, n)
    effect <- score$sign * .Call(C_curve, pointer_of(object), feature, at$values)[, score$k]
    name <- object$features[feature]
    ylab <- paste("contribution to", score$class)
    if (at$category) {
      graphics::barplot(effect, names.arg = ifelse(is.na(at$labels), "NA", at$labels), xlab = name, ylab = ylab, ...)
    } else {
      known <- !is.nan(at$values)
      plot(at$values[known], effect[known], type = "l", xlab = name, ylab = ylab, ylim = range(effect), ...)
      graphics::abline(h = 0, col = "grey")
      if (any(!known)) graphics::abline(h = effect[!known], lty = 3)
    }
    data.frame(value = at$labels, effect = effect)
  })
  stats::setNames(curves, features)
}

strongest_pair <- function(object) {
  pairs <- pairs_of(object)
  if (nrow(pairs) == 0L) fail("features: expected two names, got none; the model keeps no pair to choose from")
  c(pairs$first[1L], pairs$second[1L])
}

plot_pair <- function(object, features, score, n, ...) {
  if (length(features) != 2L || features[1L] == features[2L]) {
    fail("features: expected two different names, got ", quoted(features))
  }
  places <- sort(match(features, object$features))
  at <- lapply(places, function(feature) points_of(object, feature, min(n, 61L)))
  z <- .Call(C_surface, pointer_of(object), places[1L], places[2L], at[[1L]]$values, at[[2L]]$values)[, score$k]
  z <- matrix(score$sign * z, length(at[[1L]]$values), byrow = TRUE)
  axes <- lapply(at, function(of) if (of$category || anyNA(of$labels)) seq_along(of$values) else of$values)
  limit <- max(abs(z), 1e-12)
  graphics::image(axes[[1L]], axes[[2L]], z, zlim = c(-limit, limit), col = grDevices::hcl.colors(41L, "Blue-Red"),
                  xlab = object$features[places[1L]], ylab = object$features[places[2L]], axes = FALSE,
                  main = paste("contribution to", score$class), ...)
  for (side in 1:2) {
    of <- at[[side]]
    if (is.double(axes[[side]])) graphics::axis(side) else {
      shown <- unique(round(seq(1, length(of$labels), length.out = min(length(of$labels), 8L))))
      graphics::axis(side, shown, ifelse(is.na(of$labels), "NA", of$labels)[shown])
    }
  }
  graphics::box()
  list(x = at[[1L]]$labels, y = at[[2L]]$labels, z = z)
}

plot_importances <- function(object, newdata, ...) {
  if (is.null(newdata)) fail("newdata: expected rows to average over, got NULL")
  found <- importances(object, newdata)
  shown <- utils::head(found, 20L)[rev(seq_len(min(20L, nrow(found)))), ]
  graphics::dotchart(shown$mean, labels = shown$name, xlim = c(0, max(shown$high)), xlab = "mean absolute contribution", ...)
  graphics::segments(shown$low, seq_len(nrow(shown)), shown$high, seq_len(nrow(shown)))
  found
}

# The pairs of the model with their HSIC, on rows if some are given.
pair_dependence <- function(object, newdata, y) {
  pairs <- pairs_of(object)
  if (is.null(newdata)) return(pairs)
  parts <- parts_of(object)
  X <- new_rows(object, newdata, "ignore")
  codes <- known_labels(y, parts$classes, "y")
  if (length(codes) != nrow(X)) fail("y: expected a class for each of ", nrow(X), " rows, got ", length(codes))
  found <- .Call(C_class_dependence, pointer_of(object), X, codes, thread_count())
  places <- utils::combn(length(parts$features), 2L)
  key <- function(i, j) paste(i, j)
  at <- match(key(match(pairs$first, parts$features), match(pairs$second, parts$features)), key(places[1L, ], places[2L, ]))
  # Pairs of no class have no HSIC within one.
  of <- match(pairs$class, parts$classes)
  pairs$hsic <- vapply(seq_along(at), function(k) if (is.na(of[k])) NA_real_ else found[[of[k]]]$hsic[at[k]], 0)
  pairs
}

plot_dependence <- function(object, newdata, y, ...) {
  pairs <- pair_dependence(object, newdata, y)
  angles <- 2 * pi * seq_along(object$features) / length(object$features)
  graphics::plot.default(cos(angles), sin(angles), xlim = c(-1.4, 1.4), ylim = c(-1.2, 1.2), axes = FALSE, xlab = "", ylab = "",
                         asp = 1, type = "n", ...)
  colours <- stats::setNames(grDevices::hcl.colors(length(object$classes), "Dark 3"), object$classes)
  first <- match(pairs$first, object$features)
  second <- match(pairs$second, object$features)
  strength <- if (all(is.na(pairs$hsic))) pairs$weight else pairs$hsic
  width <- 0.5 + 5 * strength / max(strength, 1e-300, na.rm = TRUE)
  width[is.na(width)] <- 1
  # Lines of the classes lie side by side, those of no class in the middle.
  shift <- 0.02 * (match(pairs$class, object$classes) - (length(object$classes) + 1) / 2)
  shift[is.na(shift)] <- 0
  graphics::segments(cos(angles[first]) + shift, sin(angles[first]) + shift, cos(angles[second]) + shift,
                     sin(angles[second]) + shift, lwd = width, col = ifelse(is.na(pairs$class), "grey50", colours[pairs$class]))
  graphics::text(1.15 * cos(angles), 1.1 * sin(angles), object$features)
  graphics::legend("topright", names(colours), col = colours, lwd = 2, bty = "n")
  pairs
}
