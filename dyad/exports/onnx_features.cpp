// Features of a graph: numbers in their coordinates, texts as codes of levels.
// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/exports/internal/onnx_operators.h"

namespace dyad::internal {
namespace {

constexpr double farthest_coordinate = 1e100;

class FeatureGraph {
 public:
  FeatureGraph(Operators& o, const Model& model) : o_(o), model_(model) {}

  /// Values in their coordinates and codes of levels, 0 where a value is missing; and where that is.
  OnnxFeatures run() {
    for (std::size_t j = 0; j < model_.n_features; ++j)
      (is_number(model_, j) ? numbers_ : categories_).push_back(j);
    std::vector<Value> values;
    std::vector<Value> missing;
    if (!numbers_.empty()) {
      const Value x = o_.graph.input("numbers", TensorType::real, {n_table_rows, signed_size(numbers_)});
      missing.push_back(o_.op("IsNaN", x));
      values.push_back(coordinates(o_.where(missing.back(), o_.zero(), x)));
    }
    if (!categories_.empty()) {
      const Value codes = codes_of_levels(
          o_.graph.input("levels", TensorType::text, {n_table_rows, signed_size(categories_)}));
      missing.push_back(o_.op("Less", codes, o_.zero()));
      values.push_back(o_.op("Max", codes, o_.zero()));
    }
    std::vector<std::size_t> order(model_.n_features);
    for (std::size_t k = 0; k < order.size(); ++k)
      order[k < numbers_.size() ? numbers_[k] : categories_[k - numbers_.size()]] = k;
    return {o_.rows(o_.op("Transpose", o_.beside(values)), order),
            o_.rows(o_.op("Transpose", o_.beside(missing)), order)};
  }

 private:
  /// z = (t - mean) / deviation, t = (x - centre) / spread, its asinh, or log max(x, lowest).
  Value coordinates(const Value& x) {
    if (model_.coordinates.empty()) return o_.clip(x, farthest_coordinate);
    const auto of = [&](const auto& number) { return each<std::size_t>(numbers_, number); };
    const auto of_coordinate = [&](double Coordinate::*member) {
      return o_.graph.reals(of([&](std::size_t j) { return model_.coordinates[j].*member; }));
    };
    const auto has_curve = [&](Curve curve) {
      std::vector<bool> result;
      for (const std::size_t j : numbers_) result.push_back(model_.coordinates[j].curve == curve);
      return o_.graph.truths(result);
    };
    const Value centre = o_.graph.reals(of([&](std::size_t j) {
      return std::clamp(model_.coordinates[j].centre / model_.coordinates[j].spread, -farthest_coordinate,
                        farthest_coordinate);
    }));
    const Value nothing = o_.graph.reals(of([&](std::size_t j) {
      constexpr double rounding = 1e-12;
      return rounding * std::max(std::abs(model_.coordinates[j].mean), model_.coordinates[j].deviation);
    }));
    const Value linear = o_.subtract(
        o_.clip(o_.op("Div", x, of_coordinate(&Coordinate::spread)), farthest_coordinate), centre);
    const Value size = o_.op("Abs", linear);
    const Value root = o_.op("Sqrt", o_.add(o_.multiply(size, size), o_.graph.real(1)));
    const Value asinh = o_.multiply(o_.op("Sign", linear), o_.op("Log", o_.add(size, root)));
    // `lowest` may be 0 for other curves, which never use its logarithm.
    const Value logarithm = o_.op("Log", o_.op("Max", x, of_coordinate(&Coordinate::lowest)));
    const Value t =
        o_.where(has_curve(Curve::log), logarithm, o_.where(has_curve(Curve::asinh), asinh, linear));
    const Value distance = o_.subtract(t, of_coordinate(&Coordinate::mean));
    const Value is_nothing = o_.op("LessOrEqual", o_.op("Abs", distance), nothing);
    return o_.where(
        is_nothing, o_.zero(),
        o_.clip(o_.op("Div", distance, of_coordinate(&Coordinate::deviation)), farthest_coordinate));
  }

  /// Codes of levels, negative for missing values: texts are found with the number of their feature before
  /// them.
  Value codes_of_levels(const Value& texts) {
    constexpr std::int64_t is_missing = -2;
    std::vector<std::string> prefixes;
    std::vector<std::string> keys;
    std::vector<std::int64_t> codes;
    std::vector<double> others;
    for (const std::size_t j : categories_) {
      const Levels& levels = model_.levels[j];
      const std::string prefix = std::to_string(j) + ":";
      prefixes.push_back(prefix);
      others.push_back(levels.has_others ? static_cast<double>(levels.names.size()) : is_missing);
      for (std::size_t code = 0; code < levels.names.size(); ++code) {
        keys.push_back(prefix + levels.names[code]);
        codes.push_back(static_cast<std::int64_t>(code));
      }
      if (std::ranges::find(levels.names, "") != levels.names.end()) continue;
      keys.push_back(prefix);
      codes.push_back(is_missing);
    }
    const Value named = o_.op("StringConcat", o_.graph.texts(prefixes), texts);
    const Value found = o_.graph.node(
        "LabelEncoder", {named},
        {attribute("keys_strings", keys), attribute("values_int64s", codes), attribute("default_int64", -1)},
        "ai.onnx.ml");
    const Value code = o_.cast(found, TensorType::real);
    return o_.where(o_.op("Equal", found, o_.graph.integer(-1)), o_.graph.reals(others), code);
  }

  Operators& o_;
  const Model& model_;
  std::vector<std::size_t> numbers_;
  std::vector<std::size_t> categories_;
};

}  // namespace

OnnxFeatures add_features(Operators& o, const Model& model) { return FeatureGraph(o, model).run(); }

}  // namespace dyad::internal
