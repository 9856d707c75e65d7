# Columns of data frames as the library reads them: one matrix of numbers and of codes of levels.

# A list of columns with names, from a data frame or matrix.
columns_of <- function(x, name) {
  if (is.matrix(x)) {
    if (!is.numeric(x) && !is.character(x) && !is.logical(x)) {
      fail(name, ": expected numbers, text or truths, got a matrix of type ", typeof(x))
    }
    names <- if (is.null(colnames(x))) paste0("V", seq_len(ncol(x))) else colnames(x)
    columns <- lapply(seq_len(ncol(x)), function(j) as.vector(x[, j]))
  } else if (is.data.frame(x)) {
    names <- names(x)
    columns <- as.list(x)
  } else {
    fail(name, ": expected a data frame or matrix, got ", type_of(x))
  }
  if (nrow(x) == 0L) fail(name, ": expected at least one row, got none")
  if (anyDuplicated(names)) fail(name, ": column names must be distinct, got '", names[duplicated(names)][1L], "' twice")
  stats::setNames(columns, names)
}

plain <- function(x) {
  if (inherits(x, "AsIs")) class(x) <- setdiff(class(x), "AsIs")
  x
}

is_category <- function(x) is.factor(x) || is.character(x) || is.logical(x)

# Numbers of a column; `what` names it. A column of NA alone may be of any type.
column_numbers <- function(x, what) {
  if (inherits(x, "integer64")) fail(what, ": expected numbers, got integer64; convert it by as.double()")
  if (!is.numeric(x) && !all(is.na(x))) fail(what, ": expected numbers or categories, got ", type_of(x))
  x <- as.double(x)
  infinite <- which(is.infinite(x))
  if (length(infinite) > 0L) {
    fail(what, ": expected finite numbers or NA, got ", x[infinite[1L]], " in row ", infinite[1L])
  }
  x[is.na(x)] <- NaN
  x
}

# The distinct values of a column of categories by their names, and the place of each value among them, NA where
# one is missing. Truths are True and False, numbers have their normal form.
column_texts <- function(x, what) {
  if (is.factor(x)) {
    places <- as.integer(x)
    texts <- levels(x)
    places[is.na(texts)[places]] <- NA
  } else {
    values <- unique(x[!is.na(x)])
    places <- match(x, values, incomparables = NA)
    texts <- if (is.logical(x)) ifelse(values, "True", "False")
             else if (is.numeric(x)) .Call(C_normal_forms, column_numbers(values, what))
             else values
  }
  texts <- enc2utf8(as.character(texts))
  if (!all(validUTF8(texts[!is.na(texts)]))) fail(what, ": expected text in UTF-8 or the native encoding")
  list(texts = texts, places = places)
}

describe_column <- function(name, argument) paste0(argument, ": column '", name, "'")

# One matrix of all columns, and of each the names of its levels, ascending; none of a number.
code_new <- function(columns, categorical, argument) {
  unknown <- setdiff(categorical, names(columns))
  if (length(unknown) > 0L) fail("categorical: expected names of columns, got '", unknown[1L], "'")
  coded <- Map(function(x, name) {
    x <- plain(x)
    what <- describe_column(name, argument)
    if (!is.null(dim(x))) fail(what, ": expected a vector, got ", type_of(x), "; split it into columns")
    if (!is_category(x) && !name %in% categorical) return(list(values = column_numbers(x, what), levels = character()))
    if (!is_category(x)) column_numbers(x, what)
    found <- column_texts(x, what)
    used <- sort(unique(found$texts[found$places[!is.na(found$places)]]), method = "radix")
    codes <- as.double(match(found$texts, used) - 1L)[found$places]
    codes[is.na(codes)] <- NaN
    list(values = codes, levels = used, order = if (is.ordered(x)) enc2utf8(levels(x)) else character())
  }, columns, names(columns))
  values <- matrix(unlist(lapply(coded, `[[`, "values"), use.names = FALSE), ncol = length(columns))
  list(values = values, levels = unname(lapply(coded, `[[`, "levels")),
       orders = unname(lapply(coded, function(column) if (is.null(column$order)) character() else column$order)))
}

# A matrix of columns for a model that knows these levels.
code_known <- function(columns, features, levels, new_levels, argument) {
  values <- Map(function(x, name, known) {
    x <- plain(x)
    what <- describe_column(name, argument)
    if (!is.null(dim(x))) fail(what, ": expected a vector, got ", type_of(x))
    if (length(known$names) == 0L) {
      if (is_category(x) && !all(is.na(x))) {
        fail(what, ": expected numbers, as the model has them, got ", type_of(x))
      }
      return(column_numbers(x, what))
    }
    code_levels(x, name, known, new_levels, what)
  }, columns, features, if (length(levels) == 0L) list(list(names = character())) else levels)
  matrix(unlist(values, use.names = FALSE), ncol = length(columns))
}

code_levels <- function(x, name, known, new_levels, what) {
  if (!is_category(x)) column_numbers(x, what)
  found <- column_texts(x, what)
  codes <- .Call(C_level_codes, known$names, known$has_others, ifelse(is.na(found$texts), "", found$texts))
  met <- found$places[!is.na(found$places)]
  unknown <- unique(met[!(codes[met] < length(known$names)) %in% TRUE])
  if (length(unknown) > 0L && !known$has_others && new_levels == "error") {
    fail(what, ": expected one of the levels ", quoted(known$names), ", got '", found$texts[unknown[1L]],
         "'; new_levels = \"ignore\" takes it for a value that tells nothing")
  }
  if (length(unknown) > 0L && length(unknown) == length(unique(met))) {
    note <- .Call(C_note_on_levels, name, known$names, length(met), found$texts[unknown[1L]])
    if (nzchar(note)) warning(note, call. = FALSE)
  }
  codes <- codes[found$places]
  codes[is.na(codes)] <- NaN
  codes
}

# Refuses what the exact engine does not take.
require_complete <- function(values, levels, names, argument) {
  categories <- names[lengths(levels) > 0L]
  if (length(categories) > 0L) {
    fail(describe_column(categories[1L], argument), ": expected numbers for engine = \"exact\", got categories; \"counts\" takes both")
  }
  gaps <- which(is.nan(values), arr.ind = TRUE)
  if (nrow(gaps) > 0L) {
    fail(describe_column(names[gaps[1L, 2L]], argument), ": expected complete numbers for engine = \"exact\", got NA in row ",
         gaps[1L, 1L], "; \"counts\" takes missing values")
  }
}
