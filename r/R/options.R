#' Options of Fits
#'
#' @description
#' The options that `...` of [slb()] takes, as the library describes them: those of `dyad fit` by the same names.
#'
#' @param ... Options by name; defaults of the others follow `preset`, `method` and `optimise`.
#' @return A data frame of `name`, `default` (the value in a fit with the options given), `values` (those allowed) and
#'   `help`.
#' @examples
#' options <- slb_options()
#' options[options$name %in% c("method", "pairs", "n_pairs"), c("name", "default", "values")]
#' # defaults of the paper's experiments
#' slb_options(preset = "paper")[1:6, 1:2]
#' @export
slb_options <- function(...) {
  as_options(.Call(C_fit_options_described, named_options(...)))
}

as_options <- function(found) {
  # Help texts name options as the program does.
  flags <- gregexpr("--[a-zA-Z][a-zA-Z-]*", found$help)
  regmatches(found$help, flags) <- lapply(regmatches(found$help, flags), function(flag) gsub("-", "_", sub("--", "", flag)))
  data.frame(name = found$name, default = found$default, values = found$values, help = found$help)
}
