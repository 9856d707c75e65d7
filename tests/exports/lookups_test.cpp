// The description of a model as look-ups, beside the library's own prediction.
// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/exports/lookups.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "dyad/base/random.h"
#include "dyad/exports/export.h"
#include "dyad/io/model_file.h"
#include "dyad/model/prediction.h"
#include "tests/places.h"

namespace dyad {
namespace {

namespace fs = std::filesystem;

std::vector<Model> kept_models() {
  std::vector<Model> models;
  for (const auto& entry :
       fs::recursive_directory_iterator(fs::path(test::source_folder()) / "tests/data/models"))
    if (entry.path().extension() == ".dyad") models.push_back(load_model(entry.path().string()));
  EXPECT_FALSE(models.empty());
  return models;
}

/// Values near 0 and far from it, codes of levels, and missing values.
Matrix some_rows(const Model& model, std::size_t n_rows) {
  Matrix X(n_rows, model.n_features);
  Random random(7);
  for (std::size_t j = 0; j < X.n_cols; ++j)
    for (std::size_t i = 0; i < X.n_rows; ++i) {
      X(i, j) = is_number(model, j) ? random.normal() * std::exp2(static_cast<double>(i % 7))
                                    : static_cast<double>((3 * i + j) % model.levels[j].size());
      if (random.uniform() < 0.2) X(i, j) = std::numeric_limits<double>::quiet_NaN();
    }
  return X;
}

// ---- the description, followed as slowly and plainly as its header states it ----

double fall(double beyond, double steps, double depth, double rise) {
  const double outward = (beyond > 0 ? rise : -rise) * steps - 0.5 / steps;
  const double steepest = depth < 63 ? outward : std::min(outward, -std::sqrt(2 * depth));
  const double distance = std::min(std::abs(beyond), 1e18);
  return distance * (std::min(steepest, -3.5) - 0.5 * distance);
}

/// Place of t on an axis: the cell, the fraction of it and the bandwidths beyond.
struct At {
  At(double t, const Axis& axis, double bandwidth) : steps(bandwidth / axis.step) {
    if (axis.size < 2) return;
    const double place = axis.position(t);
    const double inside = std::clamp(place, 0.0, static_cast<double>(axis.size - 1));
    cell = std::min(static_cast<std::size_t>(inside), axis.size - 2);
    fraction = inside - static_cast<double>(cell);
    beyond = (place - inside) / steps;
  }
  std::size_t cell = 0;
  double fraction = 0;
  double beyond = 0;
  double steps = 1;
};

double in_table(const Lookups& lookups, const DensityLookup& d, double u, double v) {
  const At at_u(u, d.axis_u, d.bandwidth_u);
  const At at_v(v, d.axis_v, d.bandwidth_v);
  const auto depth = [&](std::size_t a, std::size_t b) {
    const std::size_t column = std::min(at_v.cell + b, d.axis_v.size - 1);
    return static_cast<double>(lookups.depths[d.first + (at_u.cell + a) * d.axis_v.size + column]);
  };
  const auto along_v = [&](std::size_t a) { return std::lerp(depth(a, 0), depth(a, 1), at_v.fraction); };
  const auto along_u = [&](std::size_t b) { return std::lerp(depth(0, b), depth(1, b), at_u.fraction); };
  const double here = d.unit * std::lerp(along_v(0), along_v(1), at_u.fraction);
  double value = d.height - here;
  if (at_u.beyond != 0) value += fall(at_u.beyond, at_u.steps, here, d.unit * (along_v(0) - along_v(1)));
  if (at_v.beyond != 0) value += fall(at_v.beyond, at_v.steps, here, d.unit * (along_u(0) - along_u(1)));
  return value;
}

double log_density(const Lookups& lookups, const DensityLookup& d, const std::vector<double>& z) {
  const auto scaled = [&](double value, double centre, double scale) {
    return std::clamp((value - centre) / scale, -d.limit, d.limit);
  };
  const double u = scaled(z[d.x], d.centre_x, d.scale_x);
  const double v = d.is_pair() ? scaled(z[d.y], d.centre_y, d.scale_y) - d.shear * u : 0;
  if (!d.has_points()) return in_table(lookups, d, u, v);
  std::vector<double> squares;
  for (std::size_t k = d.first; k < d.first + d.n_nodes; ++k)
    squares.push_back(std::pow(u - lookups.points_u[k], 2) + std::pow(v - lookups.points_v[k], 2));
  const double nearest = *std::ranges::min_element(squares);
  double sum = 0;
  for (const double squared : squares) sum += std::exp((nearest - squared) / 2);
  return d.height - nearest / 2 + std::log(sum);
}

double cell_value(const Lookups& lookups, const CellLookup& cell, const std::vector<double>& z) {
  double value = cell.log_share;
  for (const auto& [first, count] : cell.mixtures) {
    double largest = -std::numeric_limits<double>::infinity();
    double sum = 0;
    std::vector<double> parts;
    for (std::size_t p = first; p < first + count; ++p) {
      const MixturePart& part = lookups.parts[p];
      parts.push_back(part.log_weight + log_density(lookups, lookups.densities[part.density], z));
      largest = std::max(largest, parts.back());
    }
    for (const double part : parts) sum += std::exp(part - largest);
    value += largest + std::log(sum);
  }
  return value;
}

std::size_t level_of(const Lookups& lookups, const LevelAxis& levels, const CutLookup& cuts, double z) {
  if (cuts.count == 0 || std::isnan(z)) return levels.level(z);
  std::size_t level = 0;
  for (std::size_t c = cuts.first; c < cuts.first + cuts.count; ++c) level += lookups.cuts[c] <= z ? 1U : 0U;
  return level;
}

double deviation(const Lookups& lookups, std::size_t t, const std::vector<double>& z) {
  const TermLookup& term = lookups.terms[t];
  const double x = z[term.key.i];
  if (term.key.is_linear()) return std::isnan(x) ? 0 : x - term.centre;
  const std::size_t a = level_of(lookups, term.levels_x, term.cuts_x, x);
  const bool has_y = term.levels_y.n_levels > 1 || term.levels_y.is_number;
  const std::size_t b = has_y ? level_of(lookups, term.levels_y, term.cuts_y, z[term.key.j]) : 0;
  if (a < term.levels_x.n_levels && b < term.levels_y.n_levels) {
    const CellLookup& cell = lookups.cells[term.first_cell + a * term.levels_y.n_levels + b];
    return std::max(cell_value(lookups, cell, z), term.floor) - term.centre;
  }
  double sum = 0;
  for (const std::size_t own : {term.own_x, term.own_y})
    if (own != TermLookup::none) sum += deviation(lookups, own, z);
  return sum;
}

TEST(Lookups, GiveTheScoresOfEveryKeptModel) {
  const auto models = kept_models();
  ASSERT_GE(models.size(), 10U);
  for (const Model& model : models) {
    const Lookups lookups = lookups_of(model);
    const Matrix X = some_rows(model, 40);
    const Matrix Z = in_coordinates(model.coordinates, X);
    const Matrix expected = scores(model, X);
    for (std::size_t i = 0; i < X.n_rows; ++i) {
      std::vector<double> z;
      for (std::size_t j = 0; j < X.n_cols; ++j) z.push_back(Z(i, j));
      for (std::size_t k = 0; k < model.n_scores(); ++k) {
        double score = model.intercepts[k];
        double size = std::abs(score);
        for (std::size_t t = 0; t < lookups.terms.size(); ++t) {
          const double part = model.weights(k, t) * deviation(lookups, t, z);
          score += part;
          size += std::abs(part);
        }
        EXPECT_NEAR(score, expected(i, k), 1e-9 * size) << option_of(model, "method") << " row " << i;
      }
    }
  }
}

TEST(Export, WritesTheSameBytesAgainInEveryFormat) {
  for (const Model& model : kept_models())
    for (std::size_t format = 0; format < export_format_names.size(); ++format) {
      const auto of = static_cast<ExportFormat>(format);
      const std::string content = export_model(model, of);
      EXPECT_FALSE(content.empty());
      EXPECT_EQ(content, export_model(model, of)) << export_format_names[format];
    }
}

TEST(Export, AddsContributionsToOnnxAlone) {
  const Model model = kept_models().front();
  const ExportOptions with{.contributions = true};
  EXPECT_GT(export_model(model, ExportFormat::onnx, with).size(),
            export_model(model, ExportFormat::onnx).size());
  EXPECT_THROW(export_model(model, ExportFormat::json, with), std::invalid_argument);
}

TEST(Export, KeepsNamesFromEndingALiteral) {
  Model model = kept_models().front();
  model.features[0] = "a\"b'c\\?*/</script>\n";
  const auto expect_in = [&](ExportFormat format, std::string_view text) {
    EXPECT_NE(export_model(model, format).find(text), std::string::npos) << text;
  };
  expect_in(ExportFormat::c, R"("a\042b'c\134\077*/</script>\012")");
  expect_in(ExportFormat::sql, "'a\"b''c\\?*/</script>\n'");
  expect_in(ExportFormat::sql, "\"a\"\"b'c\\?*/</script>\n\" DOUBLE");
  expect_in(ExportFormat::js, R"("a\"b'c\\?*/\u003c/script>\n")");
}

}  // namespace
}  // namespace dyad
