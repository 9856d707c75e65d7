test_that("an interrupt ends a fit at once, and the session goes on", {
  skip_on_os("windows")
  script <- temporary(".R")
  writeLines(c(
    "library(dyad)",
    "table <- simulate_table('general-normal', 20000, d = 100)",
    "system(sprintf('(sleep 2; kill -INT %d) &', Sys.getpid()))",
    "start <- proc.time()[['elapsed']]",
    "ended <- tryCatch({ slb(class ~ ., table, preset = 'paper', engine = 'exact'); 'fitted' }, interrupt = function(i) 'interrupted')",
    "seconds <- proc.time()[['elapsed']] - start",
    "after <- mean(predict(slb(Species ~ ., iris), iris) == iris$Species)",
    "cat(ended, seconds < 60, after > 0.9)"
  ), script)
  libraries <- paste0("R_LIBS=", paste(.libPaths(), collapse = ":"))
  found <- system2(file.path(R.home("bin"), "Rscript"), script, stdout = TRUE, env = libraries)
  expect_identical(tail(found, 1), "interrupted TRUE TRUE")
})
