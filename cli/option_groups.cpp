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

constexpr std::string_view data_heading = "Data";
constexpr std::string_view folds_heading = "Cross-validation";
constexpr std::string_view method_heading = "Method";
constexpr std::string_view classes_heading = "Classes and probabilities";
constexpr std::string_view pairs_heading = "Pairs of features";
constexpr std::string_view densities_heading = "Densities";
constexpr std::string_view weights_heading = "Weights of the linear model";
constexpr std::string_view output_heading = "Output";
constexpr std::string_view resources_heading = "Resources and random numbers";

constexpr bool main_option = true;

/// Every option of dyad fit, cv and plan, in the order of the help.
constexpr std::array places{
    Place{data_heading, "--label", main_option},
    Place{data_heading, "--categorical", main_option},
    Place{data_heading, "--exclude", main_option},
    Place{data_heading, "--weight"},
    Place{data_heading, "--max-levels"},
    Place{data_heading, "--delimiter"},
    Place{data_heading, "--state"},
    Place{data_heading, "--chunked"},
    Place{data_heading, "--scratch"},
    Place{folds_heading, "--cv", main_option},
    Place{folds_heading, "--folds", main_option},
    Place{folds_heading, "--repeats", main_option},
    Place{folds_heading, "--groups"},
    Place{method_heading, "--method", main_option},
    Place{method_heading, "--preset", main_option},
    Place{method_heading, "--optimise", main_option},
    Place{method_heading, "--settings"},
    Place{method_heading, "--max-effects"},
    Place{method_heading, "--monotone"},
    Place{method_heading, "--n-average"},
    Place{method_heading, "--blend"},
    Place{method_heading, "--inner-folds"},
    Place{classes_heading, "--class-weights"},
    Place{classes_heading, "--class-weight"},
    Place{classes_heading, "--cost-of"},
    Place{classes_heading, "--costs"},
    Place{classes_heading, "--priors"},
    Place{classes_heading, "--calibration"},
    Place{pairs_heading, "--pairs"},
    Place{pairs_heading, "--pair"},
    Place{pairs_heading, "--n-pairs"},
    Place{pairs_heading, "--fdr"},
    Place{pairs_heading, "--min-hsic"},
    Place{pairs_heading, "--max-pairs"},
    Place{pairs_heading, "--free-tables"},
    Place{pairs_heading, "--forest-beta"},
    Place{densities_heading, "--engine"},
    Place{densities_heading, "--grid"},
    Place{densities_heading, "--transform"},
    Place{densities_heading, "--bandwidth"},
    Place{densities_heading, "--prior-rows"},
    Place{densities_heading, "--level-rows"},
    Place{densities_heading, "--floor"},
    Place{densities_heading, "--feature-mode"},
    Place{densities_heading, "--cross-fit-folds"},
    Place{weights_heading, "--linear-terms"},
    Place{weights_heading, "--term-scale"},
    Place{weights_heading, "--cost"},
    Place{weights_heading, "--C"},
    Place{weights_heading, "--norm-bound"},
    Place{weights_heading, "--loss"},
    Place{weights_heading, "--penalty"},
    Place{weights_heading, "--l1-ratio"},
    Place{weights_heading, "--multiclass"},
    Place{weights_heading, "--tolerance"},
    Place{weights_heading, "--max-iterations"},
    Place{output_heading, "--output", main_option},
    Place{output_heading, "--overwrite-input"},
    Place{output_heading, "--json"},
    Place{output_heading, "--csv"},
    Place{output_heading, "--quiet"},
    Place{resources_heading, "--threads", main_option},
    Place{resources_heading, "--max-memory", main_option},
    Place{resources_heading, "--max-seconds"},
    Place{resources_heading, "--seed", main_option},
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
