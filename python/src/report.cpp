// The report page of a model.
// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <vector>

#include "dyad/io/output_file.h"
#include "dyad/report/document.h"
#include "dyad/report/page.h"
#include "python/src/arrays.h"
#include "python/src/files.h"
#include "python/src/fitted_model.h"
#include "python/src/interruptible.h"
#include "python/src/module.h"
#include "python/src/sample.h"

namespace dyad::python {
namespace {

/// Seconds of the steps of the fit, if it was one of this process.
std::vector<Timing> timings_of(const FittedModel& fitted) {
  if (!fitted.report) return {};
  const FitReport& report = *fitted.report;
  return {{"fit", "screen", report.screen},
          {"fit", "density", report.density},
          {"fit", "features", report.features},
          {"fit", "svm", report.svm}};
}

std::string document_of(const FittedModel& fitted, const Rows& X,
                        const std::optional<Values<std::int32_t>>& y, const std::string& title,
                        const std::vector<std::size_t>& rows, int n_rows, double max_megabytes,
                        double what_if_megabytes, std::uint64_t seed, int n_threads,
                        const nb::object& progress) {
  require_columns_of(fitted.model, X);
  const ReportOptions options{.title = title,
                              .rows = rows,
                              .timings = timings_of(fitted),
                              .n_rows = n_rows,
                              .max_megabytes = max_megabytes,
                              .what_if_megabytes = what_if_megabytes,
                              .seed = seed};
  return interruptible(n_threads, progress, [&](const Execution& execution) {
    ReportRows report_rows{matrix_of(X), {}};
    require_not_infinite(report_rows.X, "X");
    if (y) report_rows.y = vector_of<std::int32_t>(*y);
    return report_document(fitted.model, report_rows, options, execution);
  });
}

}  // namespace

void bind_report(nb::module_& module) {
  using namespace nb::literals;

  module.def("report_document", &document_of, "model"_a, "X"_a, "y"_a.none(), nb::kw_only(), "title"_a,
             "rows"_a, "n_rows"_a, "max_megabytes"_a, "what_if_megabytes"_a, "seed"_a, "n_threads"_a = 0,
             "progress"_a = nb::none(),
             "All that a report shows, as JSON; y has the classes of the rows, or is None.");
  module.def(
      "report_page",
      [](const std::string& document, const std::string& title) {
        return without_gil([&] { return report_page(document, title); });
      },
      "document"_a, "title"_a, "The page that shows a document.");
  module.def(
      "write_file",
      [](const std::string& path, const std::string& text) {
        on_file(path, [&] { write_file(path, text); });
      },
      "path"_a, "text"_a, "Writes a file whole or not at all.");
  module.def(
      "write_file",
      [](const std::string& path, const nb::bytes& content) {
        on_file(path, [&] { write_file(path, {content.c_str(), content.size()}); });
      },
      "path"_a, "content"_a, "Writes a file whole or not at all.");
}

}  // namespace dyad::python
