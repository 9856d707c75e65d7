# Labels: classes as the library knows them, and back as they were given.

label_types <- c(logical = "boolean", integer = "integer", double = "real")

# Codes from 0, names and type of classes in the library's order, and how to give labels back.
encode_labels <- function(y, name) {
  y <- plain(y)
  if (is.null(y)) fail(name, ": expected the classes of the rows, got NULL")
  if (!is.null(dim(y)) || !(is_category(y) || is.numeric(y)) || inherits(y, "integer64")) {
    fail(name, ": expected a factor, text, truths or whole numbers, got ", type_of(y))
  }
  if (anyNA(y)) fail(name, ": expected a class for every row, got NA in row ", which(is.na(y))[1L])
  if (is.double(y) && any(y != floor(y) | is.infinite(y))) {
    fail(name, ": expected classes, got numbers with fractions; dyad does no regression, use factor() if they are classes")
  }
  found <- column_texts(y, name)
  used <- found$texts[sort(unique(found$places))]
  type <- if (is.factor(y) || is.character(y)) "text" else label_types[[typeof(y)]]
  classes <- used[.Call(C_ordered_classes, used, type)]
  if (length(classes) < 2L) {
    fail(name, ": expected two classes or more, got ", if (length(classes) == 1L) paste0("'", classes, "' alone") else "none")
  }
  levels <- if (is.factor(y)) enc2utf8(levels(y)) else classes
  list(codes = match(found$texts, classes)[found$places] - 1L, classes = classes, type = type,
       response = list(type = type, levels = levels, ordered = is.ordered(y)))
}

# Labels by the names of their classes.
decode_labels <- function(names, response) {
  switch(response$type,
    boolean = names == "True",
    integer = as_whole(names),
    real = as.double(names),
    factor(names, levels = response$levels, ordered = response$ordered)
  )
}

# Whole numbers as integers, as doubles where they are too large.
as_whole <- function(names) {
  values <- as.double(names)
  if (all(abs(values) <= .Machine$integer.max)) as.integer(values) else values
}

# Places of classes in the order in which a user expects them: that of the levels of a factor.
shown_order <- function(classes, response) {
  order <- match(response$levels, classes)
  if (response$type == "text") order[!is.na(order)] else seq_along(classes)
}

# Codes from 0 of labels of new rows; NULL gives none.
known_labels <- function(y, classes, name) {
  if (is.null(y)) return(integer())
  if (anyNA(y)) fail(name, ": expected a class for every row, got NA in row ", which(is.na(y))[1L])
  found <- column_texts(plain(y), name)
  codes <- match(found$texts, classes)
  unknown <- unique(found$places[is.na(codes[found$places])])
  if (length(unknown) > 0L) {
    fail(name, ": expected one of the classes ", quoted(classes), ", got '", found$texts[unknown[1L]], "'")
  }
  codes[found$places] - 1L
}
