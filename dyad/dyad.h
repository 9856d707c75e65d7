// The public surface, in order of use. Every other header of dyad/<folder>/ is reached by its own include;
// the report page (dyad/report/) is the library dyad::report.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// clang-format off
// IWYU pragma: begin_exports
#include "dyad/data/table.h"                   // Table: features, labels, row weights
#include "dyad/io/csv.h"                       // read_csv: a table from a file
#include "dyad/fit/options.h"                  // FitOptions and the presets
#include "dyad/fit/fit.h"                      // fit: table in, model out
#include "dyad/fit/state.h"                    // State: fits to tables larger than memory, chunk by chunk
#include "dyad/model/prediction.h"             // Model: scores, classes, probabilities, explanations of rows
#include "dyad/data/levels.h"                  // coded_rows: the rows of a table as a model takes them
#include "dyad/io/model_file.h"                // save_model, load_model
#include "dyad/exports/export.h"               // export_model: a model in JSON, C, JavaScript, SQL, ONNX
#include "dyad/explanation/effects.h"          // importances of features and pairs
#include "dyad/explanation/purified_effects.h" // effects that add up to the score, and can be read one by one
#include "dyad/evaluation/cross_validation.h"  // cross_validate
#include "dyad/dependence/screening.h"         // screen_pairs: the pairs that depend on each other, by class
#include "dyad/dependence/counts_hsic.h"       // HSIC of two features (exact: hsic.h)
#include "dyad/density/grid2d.h"               // densities by smoothed counts
#include "dyad/density/kde2d.h"                // densities by exact sums
#include "dyad/version.h"                      // version
// IWYU pragma: end_exports
// clang-format on
