// The program `dyad`.
// SPDX-License-Identifier: BSD-3-Clause
#include "cli/run.h"

int main(int argc, char** argv) { return dyad::cli::run(argc, argv); }
