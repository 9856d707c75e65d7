# A model that several tests read, and tables of every kind of column.
iris_model <- slb(Species ~ ., iris)

mixed_rows <- function(n = 300) {
  seeds <- (seq_len(n) * 7919) %% 997 / 997
  more <- (seq_len(n) * 104729) %% 1009 / 1009
  kind <- ifelse(seeds + 0.3 * more > 0.65, "yes", "no")
  data.frame(
    size = ifelse(more < 0.1, NA, 10 * seeds + more),
    count = as.integer(20 * more),
    colour = factor(c("red", "green", "blue")[1 + floor(2.99 * seeds)], levels = c("red", "green", "blue")),
    grade = factor(c("low", "mid", "high")[1 + floor(2.99 * more)], levels = c("low", "mid", "high"), ordered = TRUE),
    open = more > seeds,
    note = ifelse(seeds < 0.2, NA, ifelse(seeds > 0.6, "long", "short")),
    kind = factor(kind, levels = c("yes", "no"))
  )
}

share <- function(name) system.file("extdata", name, package = "dyad")

# A path for a file of one test.
temporary <- function(ending) tempfile("dyad", fileext = ending)

# The folder of stored values of R packages, empty where there is none.
golden <- function() Sys.getenv("DYAD_GOLDEN")
