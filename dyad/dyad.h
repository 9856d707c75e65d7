// All of dyad, in the order of the method.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dyad/base/engine.h"                    // IWYU pragma: export
#include "dyad/base/execution.h"                 // IWYU pragma: export
#include "dyad/base/matrix_view.h"               // IWYU pragma: export
#include "dyad/base/options.h"                   // IWYU pragma: export
#include "dyad/base/pairs.h"                     // IWYU pragma: export
#include "dyad/base/random.h"                    // IWYU pragma: export
#include "dyad/base/stopwatch.h"                 // IWYU pragma: export
#include "dyad/data/folds.h"                     // IWYU pragma: export
#include "dyad/data/labelled_sample.h"           // IWYU pragma: export
#include "dyad/data/summary.h"                   // IWYU pragma: export
#include "dyad/data/table.h"                     // IWYU pragma: export
#include "dyad/density/bandwidth.h"              // IWYU pragma: export
#include "dyad/density/functionals.h"            // IWYU pragma: export
#include "dyad/density/kde1d.h"                  // IWYU pragma: export
#include "dyad/density/kde2d.h"                  // IWYU pragma: export
#include "dyad/density/plug_in.h"                // IWYU pragma: export
#include "dyad/dependence/false_discovery.h"     // IWYU pragma: export
#include "dyad/dependence/hsic.h"                // IWYU pragma: export
#include "dyad/dependence/mutual_information.h"  // IWYU pragma: export
#include "dyad/dependence/screening.h"           // IWYU pragma: export
#include "dyad/dependence/spanning_tree.h"       // IWYU pragma: export
#include "dyad/evaluation/cross_validation.h"    // IWYU pragma: export
#include "dyad/evaluation/metrics.h"             // IWYU pragma: export
#include "dyad/evaluation/wilcoxon.h"            // IWYU pragma: export
#include "dyad/io/csv.h"                         // IWYU pragma: export
#include "dyad/io/model_file.h"                  // IWYU pragma: export
#include "dyad/io/output_file.h"                 // IWYU pragma: export
#include "dyad/model/features.h"                 // IWYU pragma: export
#include "dyad/model/fit.h"                      // IWYU pragma: export
#include "dyad/model/fit_options.h"              // IWYU pragma: export
#include "dyad/model/model.h"                    // IWYU pragma: export
#include "dyad/model/selection.h"                // IWYU pragma: export
#include "dyad/model/svm_weights.h"              // IWYU pragma: export
#include "dyad/svm/calibration.h"                // IWYU pragma: export
#include "dyad/svm/dual_svm.h"                   // IWYU pragma: export
#include "dyad/svm/linear_svm.h"                 // IWYU pragma: export
#include "dyad/version.h"                        // IWYU pragma: export
