#' Model Files and Exports
#'
#' @description
#' `write_model()` and `read_model()` write and read the files of the program `dyad` and of Python, byte for byte.
#' `export_model()` writes a model as C, JavaScript, SQL, ONNX or JSON, which predict without dyad. Files are written
#' whole or not at all, and files from strangers do no harm.
#'
#' @param object A model of [slb()].
#' @param file A path.
#' @param format What to write.
#' @param contributions With `format = "onnx"`, add the contributions of the terms as an output.
#' @return `read_model()` a model. Text labels become a factor with the classes as levels; the formula is not part of
#'   the file, so `newdata` needs the features as columns. The others return `file`, invisibly.
#' @examples
#' model <- slb(Species ~ ., iris)
#' path <- tempfile(fileext = ".dyad")
#' write_model(model, path)
#' again <- read_model(path)
#' identical(predict(again, iris), predict(model, iris))
#' export_model(model, tempfile(fileext = ".c"), "c")
#' @export
write_model <- function(object, file) {
  check_model(object)
  file <- check_path(file, "file")
  .Call(C_write_bytes, file, object$model)
  invisible(file)
}

#' @rdname write_model
#' @export
read_model <- function(file) {
  file <- check_path(file, "file")
  bytes <- .Call(C_file_bytes, file)
  pointer <- .Call(C_model_from_raw, bytes, file)
  parts <- .Call(C_model_parts, pointer)
  new_model(bytes, pointer, list(type = parts$label_type, levels = parts$classes, ordered = FALSE))
}

#' @rdname write_model
#' @export
export_model <- function(object, file, format = c("json", "c", "js", "sql", "onnx"), contributions = FALSE) {
  check_model(object)
  format <- check_text(if (missing(format)) "json" else format, "format")
  bytes <- .Call(C_exported, pointer_of(object), format, check_flag(contributions, "contributions"))
  .Call(C_write_bytes, check_path(file, "file"), bytes)
  invisible(file)
}
