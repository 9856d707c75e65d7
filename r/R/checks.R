# Checks of arguments. Errors have the form "argument: expected this, got that; what to do".

fail <- function(...) stop(..., call. = FALSE)

quoted <- function(texts, most = 6L) {
  shown <- paste0("'", utils::head(texts, most), "'", collapse = ", ")
  if (length(texts) > most) paste0(shown, ", ...") else shown
}

type_of <- function(x) {
  if (is.null(x)) return("NULL")
  paste("an object of class", class(x)[1L])
}

check_text <- function(x, name) {
  if (!is.character(x) || length(x) != 1L || is.na(x)) {
    fail(name, ": expected one string, got ", if (length(x) == 1L) type_of(x) else paste(length(x), "values"))
  }
  enc2utf8(x)
}

check_path <- function(path, name) path.expand(check_text(path, name))

check_flag <- function(x, name) {
  if (!is.logical(x) || length(x) != 1L || is.na(x)) fail(name, ": expected TRUE or FALSE, got ", type_of(x))
  x
}

check_choice <- function(x, choices, name) {
  if (identical(x, choices)) return(choices[1L])
  x <- check_text(x, name)
  if (!x %in% choices) fail(name, ": expected one of ", quoted(choices), ", got '", x, "'")
  x
}

check_count <- function(x, name, least = 1, most = .Machine$integer.max) {
  if (!is.numeric(x) || length(x) != 1L || is.na(x) || x != floor(x) || x < least || x > most) {
    fail(name, ": expected a whole number from ", least, " to ", format(most, scientific = FALSE), ", got ",
         if (is.numeric(x) && length(x) == 1L) format(x) else type_of(x))
  }
  x
}

check_seed <- function(seed) check_count(seed, "seed", 0, 2^53)

# Finite numbers, as doubles.
check_numbers <- function(x, name) {
  if (!is.numeric(x) || inherits(x, c("factor", "integer64")) || length(dim(x)) > 1L) {
    fail(name, ": expected a vector of numbers, got ", type_of(x))
  }
  if (length(x) == 0L) fail(name, ": expected at least one number, got none")
  if (!all(is.finite(x))) {
    row <- which(!is.finite(x))[1L]
    fail(name, ": expected finite numbers, got ", format(x[row]), " at position ", row)
  }
  as.double(x)
}

check_same_size <- function(x, y) {
  if (length(x) != length(y)) fail("y: expected ", length(x), " numbers as in x, got ", length(y))
}

# A matrix of finite numbers with one of the numbers of columns that are allowed.
check_matrix <- function(x, name, columns = NULL) {
  if (is.data.frame(x)) x <- as.matrix(x)
  if (!is.matrix(x)) x <- matrix(check_numbers(x, name), ncol = 1L)
  if (!is.numeric(x)) fail(name, ": expected a matrix of numbers, got one of type ", typeof(x))
  if (!is.null(columns) && !ncol(x) %in% columns) {
    fail(name, ": expected ", paste(columns, collapse = " or "), " columns, got ", ncol(x))
  }
  if (nrow(x) == 0L) fail(name, ": expected at least one row, got none")
  if (!all(is.finite(x))) fail(name, ": expected finite numbers, got ", format(x[!is.finite(x)][1L]))
  storage.mode(x) <- "double"
  x
}

# Threads that `threads` asks for, 0 for one per core. Checks of packages may use two.
thread_count <- function(threads = NULL) {
  if (is.null(threads)) threads <- getOption("dyad.threads", 0L)
  threads <- as.integer(check_count(threads, "threads", 0, 1024))
  limited <- tolower(Sys.getenv("_R_CHECK_LIMIT_CORES_"))
  if (!limited %in% c("", "false") && (threads == 0L || threads > 2L)) threads <- 2L
  threads
}

# The arguments in `...`, all named.
named_options <- function(...) {
  options <- list(...)
  unnamed <- length(options) > 0L && (is.null(names(options)) || any(names(options) == ""))
  if (unnamed) fail("...: expected options by name, as in n_pairs = 10, got a value without a name")
  repeated <- names(options)[duplicated(names(options))]
  if (length(repeated) > 0L) fail(repeated[1L], ": expected once, got twice")
  lapply(options, function(value) if (is.character(value)) enc2utf8(value) else value)
}

# A function of step, done and total that shows how far a computation is, or NULL.
progress_of <- function(verbose) {
  if (!check_flag(verbose, "verbose")) return(NULL)
  function(step, done, total) {
    cat(sprintf("\r%s: %d of %d    %s", step, as.integer(done), as.integer(total), if (done >= total) "\n" else ""),
        file = stderr())
  }
}
