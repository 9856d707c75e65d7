#' Report Page of a Model
#'
#' @description
#' Writes one HTML page to look at a model, its quality and rows: the command `dyad report`. The page needs nothing
#' else. Its plotting library plotly.js is taken from the package plotly, or from a file.
#'
#' @param object A model of [slb()].
#' @param newdata Rows to show, as for [predict()][predict.slb].
#' @param file The HTML file to write; with the ending `.json` the data of the page instead.
#' @param y The classes of the rows, which the page needs to show quality. A model of a formula finds them in
#'   `newdata`.
#' @param title Title of the page.
#' @param rows Numbers of rows of `newdata` that the page shows in any case.
#' @param ... Options of the page by name: `n_rows`, `max_megabytes`, `seed`.
#' @param plotly Path of `plotly.min.js`, version 2 or later. `NULL` takes that of the package plotly.
#' @param new_levels,threads,verbose As for [predict()][predict.slb] and [slb()].
#' @return `file`, invisibly.
#' @examples
#' model <- slb(Species ~ ., iris)
#' report(model, iris, tempfile(fileext = ".json"))
#' @export
report <- function(object, newdata, file, y = NULL, title = "Model", rows = NULL, ..., plotly = NULL,
                   new_levels = c("error", "ignore"), threads = NULL, verbose = FALSE) {
  X <- new_rows(object, newdata, new_levels)
  file <- check_path(file, "file")
  title <- check_text(title, "title")
  is_page <- !grepl("\\.json$", file)
  script <- if (is_page) plotly_script(plotly)
  y <- y %||% response_of(object, newdata)
  codes <- known_labels(y, parts_of(object)$classes, "y")
  if (length(codes) > 0L && length(codes) != nrow(X)) fail("y: expected a class for each of ", nrow(X), " rows, got ", length(codes))
  for (row in rows) check_count(row, "rows", 1, nrow(X))
  document <- .Call(C_report_json, pointer_of(object), X, codes, title, as.integer(rows), named_options(...),
                    object$report$seconds %||% double(), thread_count(threads), progress_of(verbose))
  text <- if (is_page) .Call(C_page_html, document, title, script) else paste0(document, "\n")
  .Call(C_write_bytes, file, charToRaw(text))
  invisible(file)
}

# The classes of new rows, where the model has a formula and they are among the columns.
response_of <- function(object, newdata) {
  if (is.null(object$terms) || !is.data.frame(newdata)) return(NULL)
  response <- attr(object$terms, "variables")[[attr(object$terms, "response") + 1L]]
  if (!all(all.vars(response) %in% names(newdata))) return(NULL)
  y <- eval(response, newdata, environment(object$terms))
  if (anyNA(y)) NULL else y
}

# The text of plotly.js. Pages forbid scripts to evaluate text, which version 1 does.
plotly_script <- function(path) {
  if (is.null(path)) {
    found <- list.files(system.file("htmlwidgets", "lib", package = "plotly"), "^plotly.*\\.min\\.js$", recursive = TRUE,
                        full.names = TRUE)
    if (length(found) == 0L) {
      fail("plotly: expected the package plotly or the path of plotly.min.js, got neither; install.packages(\"plotly\"), ",
           "or write a file that ends in .json")
    }
    path <- found[1L]
  }
  path <- check_path(path, "plotly")
  if (!file.exists(path)) fail("plotly: expected a file, got '", path, "', which is not there")
  script <- readChar(path, file.size(path), useBytes = TRUE)
  Encoding(script) <- "UTF-8"
  version <- regmatches(script, regexpr("(?<=plotly\\.js v)[0-9.]+", substr(script, 1L, 200L), perl = TRUE))
  if (length(version) == 1L && numeric_version(version) < "2") {
    fail("plotly: expected plotly.js 2 or later, got ", version, "; give the path of another plotly.min.js")
  }
  script
}
