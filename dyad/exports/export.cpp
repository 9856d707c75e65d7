// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/exports/export.h"

#include "dyad/exports/internal/formats.h"

namespace dyad {

std::string export_model(const Model& model, ExportFormat format, const ExportOptions& options) {
  if (options.contributions && format != ExportFormat::onnx)
    throw std::invalid_argument("contributions requires the format onnx, got " +
                                std::string(name_of(export_format_names, format)));
  const Lookups lookups = lookups_of(model);
  const bool interpolates = format != ExportFormat::sql && format != ExportFormat::onnx;
  if (!interpolates && std::ranges::any_of(lookups.terms, &TermLookup::has_nodes))
    throw std::invalid_argument(
        "the model was edited: its tables with nodes need the format json, c or js, got " +
        std::string(name_of(export_format_names, format)));
  switch (format) {
    case ExportFormat::json:
      return internal::json_export(lookups);
    case ExportFormat::c:
      return internal::c_export(lookups);
    case ExportFormat::js:
      return internal::js_export(lookups);
    case ExportFormat::sql:
      return internal::sql_export(lookups);
    case ExportFormat::onnx:
      break;
  }
  return internal::onnx_export(lookups, options.contributions);
}

namespace internal {

std::string filled_template(std::string_view text, std::string_view mark, std::string_view inserted) {
  const std::size_t at = text.find(mark);
  return std::string(text.substr(0, at)) + std::string(inserted) + std::string(text.substr(at + mark.size()));
}

bool is_at_origin(const Lookups& lookups, const DensityLookup& density) {
  return density.has_points() && density.n_nodes == 1 && lookups.points_u[density.first] == 0 &&
         lookups.points_v[density.first] == 0;
}

std::vector<Calibration> calibrations_of(const Model& model) {
  return model.calibrations.empty() ? std::vector<Calibration>(model.n_scores()) : model.calibrations;
}

bool is_one_against_rest(const Model& model) {
  return model.n_scores() > 1 && !std::ranges::all_of(model.calibrations, [](const Calibration& calibration) {
           return calibration.steps.empty();
         });
}

}  // namespace internal
}  // namespace dyad
