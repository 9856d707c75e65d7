// SPDX-License-Identifier: BSD-3-Clause
#include "options.h"

#include "dyad/dependence/screening.h"
#include "module.h"

namespace dyad::r {
namespace {

/// "a value of class character", "NA", "3 values", or a number or text itself.
std::string described_value(SEXP given) {
  if (given == R_NilValue) return "NULL";
  if (Rf_xlength(given) != 1) return std::to_string(Rf_xlength(given)) + " values";
  if (Rf_isFactor(given) || TYPEOF(given) == VECSXP) return "a factor or list";
  if (TYPEOF(given) == LGLSXP) {
    const int truth = LOGICAL_RO(given)[0];
    return truth == NA_LOGICAL ? "NA" : truth != 0 ? "TRUE" : "FALSE";
  }
  if (TYPEOF(given) == STRSXP) return quoted(cpp11::as_cpp<std::string>(given));
  if (TYPEOF(given) == INTSXP && INTEGER_RO(given)[0] == NA_INTEGER) return "NA";
  if (TYPEOF(given) == INTSXP) return number_text(INTEGER_RO(given)[0]);
  if (TYPEOF(given) == REALSXP) return ISNA(REAL_RO(given)[0]) ? "NA" : number_text(REAL_RO(given)[0]);
  return std::string("a value of type ") + Rf_type2char(TYPEOF(given));
}

bool is_single(SEXP given, unsigned type) {
  return TYPEOF(given) == type && Rf_xlength(given) == 1 && !Rf_isFactor(given);
}

}  // namespace

bool has_name(const cpp11::list& given, std::string_view name) {
  if (given.size() == 0) return false;
  return std::ranges::any_of(texts_of(given.names()), [&](const std::string& each) { return each == name; });
}

void refuse(std::string_view name, const std::string& wanted, SEXP given) {
  throw std::invalid_argument(std::string(name) + ": expected " + wanted + ", got " + described_value(given));
}

double number_from(std::string_view name, const std::string& wanted, SEXP given) {
  if (is_single(given, INTSXP) && INTEGER_RO(given)[0] != NA_INTEGER) return INTEGER_RO(given)[0];
  if (is_single(given, REALSXP) && !std::isnan(REAL_RO(given)[0])) return REAL_RO(given)[0];
  refuse(name, wanted, given);
}

std::string text_from(std::string_view name, const std::string& wanted, SEXP given) {
  if (!is_single(given, STRSXP) || STRING_ELT(given, 0) == NA_STRING) refuse(name, wanted, given);
  return cpp11::as_cpp<std::string>(given);
}

bool truth_from(std::string_view name, SEXP given) {
  if (!is_single(given, LGLSXP) || LOGICAL_RO(given)[0] == NA_LOGICAL) refuse(name, "TRUE or FALSE", given);
  return LOGICAL_RO(given)[0] != 0;
}

FitOptions fit_options_from(const cpp11::list& given) {
  const FitOptions named = options_over(preset_options(Preset::automatic), given);
  std::optional<SettingsRule> settings;
  if (has_name(given, "settings")) settings = named.settings;
  FitOptions result =
      options_over(preset_options(named.preset, named.method, named.optimise, settings), given);
  const auto is_given = [&](std::string_view name) { return has_name(given, name); };
  if (is_given("C") && !is_given("cost")) result.cost = CostRule::given;
  if (!is_given("pairs")) infer_pair_rule(result, is_given);
  require_valid(result, is_given);
  return result;
}

cpp11::writable::list fit_options_described(const cpp11::list& given) {
  return described(fit_options_from(given));
}

cpp11::writable::list screen_options_described() { return described(ScreenOptions{}); }

std::vector<Levels> levels_of(const cpp11::list& names) {
  std::vector<Levels> levels;
  bool any = false;
  for (const SEXP of_feature : names) {
    levels.push_back({.names = texts_of(cpp11::strings(of_feature))});
    any = any || !levels.back().is_number();
  }
  if (!any) levels.clear();
  return levels;
}

}  // namespace dyad::r
