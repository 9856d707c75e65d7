// SPDX-License-Identifier: BSD-3-Clause
#include "cli/option_groups.h"

#include <algorithm>
#include <array>
#include <string>

namespace dyad::cli {
namespace {

/// The place of an option in help texts.
struct Place {
  std::string_view heading;
  std::string_view flag;
  bool main = false;  ///< listed by --help of a command with many options; else by --help-all only
};

constexpr std::string_view data = "Data";
constexpr std::string_view folds = "Cross-validation";
constexpr std::string_view method = "Method";
constexpr std::string_view classes = "Classes and probabilities";
constexpr std::string_view pairs = "Pairs of features";
constexpr std::string_view densities = "Densities";
constexpr std::string_view weights = "Weights of the linear model";
constexpr std::string_view output = "Output";
constexpr std::string_view resources = "Resources and random numbers";

constexpr bool main_option = true;

/// Every option of dyad fit, cv and plan, in the order of the help.
constexpr std::array places{
    Place{data, "--label", main_option},
    Place{data, "--categorical", main_option},
    Place{data, "--exclude", main_option},
    Place{data, "--weight"},
    Place{data, "--max-levels"},
    Place{data, "--delimiter"},
    Place{data, "--state"},
    Place{data, "--chunked"},
    Place{data, "--scratch"},
    Place{folds, "--folds", main_option},
    Place{folds, "--repeats", main_option},
    Place{method, "--method", main_option},
    Place{method, "--preset", main_option},
    Place{method, "--optimise", main_option},
    Place{method, "--settings"},
    Place{method, "--n-average"},
    Place{method, "--blend"},
    Place{method, "--inner-folds"},
    Place{classes, "--class-weights"},
    Place{classes, "--class-weight"},
    Place{classes, "--cost-of"},
    Place{classes, "--costs"},
    Place{classes, "--priors"},
    Place{classes, "--calibration"},
    Place{pairs, "--pairs"},
    Place{pairs, "--n-pairs"},
    Place{pairs, "--fdr"},
    Place{pairs, "--min-hsic"},
    Place{pairs, "--max-pairs"},
    Place{pairs, "--forest-beta"},
    Place{densities, "--engine"},
    Place{densities, "--grid"},
    Place{densities, "--transform"},
    Place{densities, "--bandwidth"},
    Place{densities, "--prior-rows"},
    Place{densities, "--level-rows"},
    Place{densities, "--floor"},
    Place{densities, "--feature-mode"},
    Place{densities, "--cross-fit-folds"},
    Place{weights, "--linear-terms"},
    Place{weights, "--term-scale"},
    Place{weights, "--cost"},
    Place{weights, "--C"},
    Place{weights, "--norm-bound"},
    Place{weights, "--loss"},
    Place{weights, "--penalty"},
    Place{weights, "--l1-ratio"},
    Place{weights, "--multiclass"},
    Place{weights, "--tolerance"},
    Place{weights, "--max-iterations"},
    Place{output, "--output", main_option},
    Place{output, "--json"},
    Place{output, "--csv"},
    Place{output, "--quiet"},
    Place{resources, "--threads", main_option},
    Place{resources, "--max-memory", main_option},
    Place{resources, "--seed", main_option},
};

}  // namespace

std::vector<OptionGroup> grouped(std::span<const CLI::Option* const> options) {
  OptionGroup others{"Options", {}};
  for (const CLI::Option* option : options)
    if (std::ranges::find(places, option->get_name(), &Place::flag) == places.end())
      others.options.emplace_back(option, main_option);
  std::vector<OptionGroup> groups;
  if (!others.options.empty()) groups.push_back(std::move(others));
  for (const Place& place : places) {
    const auto found = std::ranges::find_if(
        options, [&](const CLI::Option* option) { return option->get_name() == place.flag; });
    if (found == options.end()) continue;
    if (groups.empty() || groups.back().heading != place.heading) groups.push_back({place.heading, {}});
    groups.back().options.emplace_back(*found, place.main);
  }
  return groups;
}

}  // namespace dyad::cli
