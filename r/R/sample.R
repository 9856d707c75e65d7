# From what users pass to labelled rows.

# Columns, labels and weights that a formula names. `call` has them as arguments of the caller's.
formula_rows <- function(call, env) {
  kept <- match(c("formula", "data", "weights"), names(call), 0L)
  frame_call <- call[c(1L, kept)]
  frame_call[[1L]] <- quote(stats::model.frame)
  frame_call$na.action <- quote(stats::na.pass)
  data <- eval(call$data, env)
  if (!is.null(data) && !is.data.frame(data) && !is.environment(data) && !is.list(data)) {
    fail("data: expected a data frame, got ", type_of(data))
  }
  frame <- model_frame(frame_call, env)
  terms <- attr(frame, "terms")
  if (attr(terms, "response") == 0L) fail("formula: expected a response, as in class ~ ., got none")
  if (!is.null(attr(terms, "offset"))) fail("formula: expected features, got an offset; dyad has none")
  if (any(attr(terms, "order") > 1L)) {
    fail("formula: expected features, got the interaction ", attr(terms, "term.labels")[attr(terms, "order") > 1L][1L],
         "; pairs are found by the method")
  }
  if (nrow(frame) == 0L) fail("data: expected at least one row, got none")
  used <- frame_features(frame, terms)
  if (length(used) == 0L) fail("formula: expected at least one feature, got none")
  list(columns = as.list(frame)[used], y = frame[[attr(terms, "response")]], weights = frame[["(weights)"]],
       terms = terms, variables = intersect(all.vars(stats::delete.response(terms)), names(data)),
       argument = "data", label = paste0("data: response '", names(frame)[attr(terms, "response")], "'"))
}

# The model frame of a call, with errors about weights in the words of the argument.
model_frame <- function(call, env) {
  tryCatch(eval(call, env), error = function(error) {
    text <- conditionMessage(error)
    if (grepl("(weights)", text, fixed = TRUE)) fail("weights: expected one number for each row; ", text)
    fail("formula: ", text)
  })
}

# The columns of a model frame that are features, in the order of the formula.
frame_features <- function(frame, terms) {
  factors <- attr(terms, "factors")
  if (length(factors) == 0L) return(character())
  names(frame)[apply(factors != 0L, 2L, function(used) which(used)[1L])]
}

matrix_rows <- function(x, y, weights) {
  columns <- columns_of(x, "x")
  if (length(columns) == 0L) fail("x: expected at least one column, got none")
  if (NROW(y) != nrow(x)) fail("y: expected a class for each of ", nrow(x), " rows, got ", NROW(y))
  list(columns = columns, y = y, weights = weights, argument = "x", label = "y")
}

check_weights <- function(weights, n) {
  if (is.null(weights)) return(NULL)
  if (!is.numeric(weights) || is.factor(weights)) fail("weights: expected numbers, got ", type_of(weights))
  if (length(weights) != n) fail("weights: expected one number for each of ", n, " rows, got ", length(weights))
  wrong <- which(!is.finite(weights) | weights < 0 | weights > 2^20)
  if (length(wrong) > 0L) {
    fail("weights: expected numbers of rows from 0 to ", 2^20, ", got ", weights[wrong[1L]], " in row ", wrong[1L])
  }
  if (all(weights == 0)) fail("weights: expected a positive one, got zeros alone")
  if (all(weights == 1)) NULL else as.double(weights)
}

# Rows as the library takes them; those of weight 0 are left out, as if they had not been passed.
sample_of <- function(rows, categorical = NULL) {
  weights <- check_weights(rows$weights, NROW(rows$y))
  if (!is.null(categorical) && !is.character(categorical)) {
    fail("categorical: expected names of columns, got ", type_of(categorical))
  }
  if (!is.null(weights) && any(weights == 0)) {
    kept <- weights > 0
    rows$columns <- lapply(rows$columns, function(x) if (is.null(dim(x))) x[kept] else x)
    rows$y <- rows$y[kept]
    weights <- weights[kept]
  }
  labels <- encode_labels(rows$y, rows$label)
  coded <- code_new(rows$columns, categorical, rows$argument)
  names <- enc2utf8(names(rows$columns))
  warn_constant(coded$values, names)
  warn_light(weights, labels)
  list(X = coded$values, levels = coded$levels, orders = coded$orders, features = names, y = labels$codes, classes = labels$classes,
       type = labels$type, response = labels$response, weights = if (is.null(weights)) double() else weights)
}

warn_constant <- function(values, names) {
  constant <- apply(values, 2L, function(x) !is.nan(x[1L]) && isTRUE(all(x == x[1L])))
  empty <- apply(values, 2L, function(x) all(is.nan(x)))
  if (any(constant)) warning("constant columns carry no information: ", quoted(names[constant]), call. = FALSE)
  if (any(empty)) warning("columns without values carry no information: ", quoted(names[empty]), call. = FALSE)
}

warn_light <- function(weights, labels) {
  if (is.null(weights)) return()
  totals <- tapply(weights, labels$codes, sum)
  light <- which(totals < 2 & tabulate(labels$codes + 1L) >= 2L)
  if (length(light) > 0L) {
    warning("weights of class ", labels$classes[light[1L]], " add up to ", format(totals[light[1L]], digits = 3),
            ": weights are numbers of rows; multiply them by the number of rows if they are shares", call. = FALSE)
  }
}
