// All that there is to see of a model and a table, as one JSON document (docs/report.md).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dyad/base/execution.h"
#include "dyad/base/matrix_view.h"
#include "dyad/base/options.h"
#include "dyad/model/model.h"

namespace dyad {

/// Rows as for `scores`, with the class of each, or none.
struct ReportRows {
  Matrix X;
  std::vector<std::int32_t> y;
};

/// Seconds that a step took.
struct Timing {
  std::string group;  ///< "fit" or "report"
  std::string step;
  double seconds = 0;
};

struct ReportOptions {
  std::string title;
  std::vector<std::size_t> rows;  ///< that are shown in any case, from 0
  std::vector<Timing> timings;    ///< of the fit, if they are known
  int n_rows = 60;
  double max_megabytes = 2.5;
  double what_if_megabytes = 8;
  std::uint64_t seed = 1;

  static void describe(auto& o, auto&& field) {
    field("n_rows", o.n_rows, Interval{0, 10000},
          "number of rows to show: the most confident errors, the closest decisions, and others");
    field("max_megabytes", o.max_megabytes, Interval{0, 1000},
          "size limit of the page's data; maps of the least important pairs are left out");
    field("what_if_megabytes", o.what_if_megabytes, Interval{0, 1000},
          "size limit of the model in the page, which predicts changed rows; a larger model is left out");
    field("seed", o.seed, Interval{0, 0x1p53},
          "seed of the subsample of rows that importances are computed on");
  }
};

/// Throws std::invalid_argument if there is no row, a row asked for is not there, or an option is out of
/// range.
[[nodiscard]] std::string report_document(const Model& model, const ReportRows& rows,
                                          const ReportOptions& options, const Execution& execution = {});

}  // namespace dyad
