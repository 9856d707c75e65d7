#' Classification with Sparse Pairwise Dependencies
#'
#' @description
#' [slb()] fits classifiers that are sums of log densities of single features and of pairs of features.
#' They take numbers, categories and missing values as they are, predict probabilities, and explain every
#' prediction: [explain()], [importances()], [flips()], [plot()][plot.slb] and [report()]. The steps of the
#' method are functions of their own: [hsic()], [hsic_test()], [screen_pairs()], [bandwidth()], [kde()] and
#' [mutual_information()].
#'
#' Results are those of the library, program and Python package dyad: the same table, options and seed give
#' the same model, on any number of threads. R's random numbers are neither used nor changed.
#'
#' @references Tenzer, Moscovich, Dorn, Nadler and Spiegelman (2020). Beyond Trees: Classification with
#'   Sparse Pairwise Dependencies. Journal of Machine Learning Research 21.
#' @importFrom stats coef predict
#' @useDynLib dyad, .registration = TRUE, .fixes = "C_"
#' @keywords internal
"_PACKAGE"
