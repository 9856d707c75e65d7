library(testthat)
library(dyad)

test_check("dyad")
