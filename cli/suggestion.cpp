// SPDX-License-Identifier: BSD-3-Clause
#include "cli/suggestion.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "dyad/base/nearest_name.h"

namespace dyad::cli {
namespace {

/// Words of other programs for one of ours.
struct Synonym {
  std::string_view word;
  std::string_view meant;
};

constexpr std::array command_synonyms{
    Synonym{"train", "fit"},         Synonym{"learn", "fit"},        Synonym{"build", "fit"},
    Synonym{"test", "cv"},           Synonym{"score", "cv"},         Synonym{"validate", "cv"},
    Synonym{"crossval", "cv"},       Synonym{"crossvalidate", "cv"}, Synonym{"cross-validate", "cv"},
    Synonym{"classify", "predict"},  Synonym{"apply", "predict"},    Synonym{"infer", "predict"},
    Synonym{"show", "info"},         Synonym{"describe", "info"},    Synonym{"inspect", "info"},
    Synonym{"summary", "info"},      Synonym{"plot", "report"},      Synonym{"view", "report"},
    Synonym{"visualise", "report"},  Synonym{"html", "report"},      Synonym{"importance", "explain"},
    Synonym{"interpret", "explain"}, Synonym{"pairs", "screen"},     Synonym{"dependence", "screen"},
    Synonym{"generate", "simulate"}, Synonym{"sample", "simulate"},  Synonym{"survey", "count"},
    Synonym{"combine", "merge"},
};

constexpr std::array flag_synonyms{
    Synonym{"target", "label"},
    Synonym{"y", "label"},
    Synonym{"class", "label"},
    Synonym{"response", "label"},
    Synonym{"outcome", "label"},
    Synonym{"drop", "exclude"},
    Synonym{"ignore", "exclude"},
    Synonym{"weights", "weight"},
    Synonym{"sample-weight", "weight"},
    Synonym{"metric", "optimise"},
    Synonym{"objective", "optimise"},
    Synonym{"classifier", "method"},
    Synonym{"separator", "delimiter"},
    Synonym{"sep", "delimiter"},
    Synonym{"jobs", "threads"},
    Synonym{"n-jobs", "threads"},
    Synonym{"cores", "threads"},
    Synonym{"memory", "max-memory"},
    Synonym{"mem", "max-memory"},
    Synonym{"random-state", "seed"},
    Synonym{"k", "folds"},
    Synonym{"probabilities", "proba"},
    Synonym{"silent", "quiet"},
};

/// The one of `names` that `unknown` may stand for; empty if none.
std::string suggested(const std::vector<std::string>& names, std::span<const Synonym> synonyms,
                      std::string_view unknown) {
  const auto is_name = [&](std::string_view word) { return std::ranges::find(names, word) != names.end(); };
  std::vector<std::string> words = names;
  for (const Synonym& synonym : synonyms)
    if (is_name(synonym.meant)) words.emplace_back(synonym.word);
  const auto meaning_of = [&](std::string_view word) -> std::string {
    const auto synonym = std::ranges::find(synonyms, word, &Synonym::word);
    return std::string(is_name(word) || synonym == synonyms.end() ? word : synonym->meant);
  };
  if (std::ranges::find(words, unknown) != words.end()) return meaning_of(unknown);
  if (const auto near = nearest_name(words, unknown); !near.empty()) return meaning_of(near);
  constexpr std::size_t shortest_beginning = 3;
  const auto begins = [&](std::string_view name) { return name.starts_with(unknown); };
  if (unknown.size() < shortest_beginning || std::ranges::count_if(names, begins) != 1) return "";
  return *std::ranges::find_if(names, begins);
}

}  // namespace

std::string suggested_flag(const CLI::App& command, const std::string& unknown) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options())
    if (!option->get_group().empty())
      for (const std::string& name : option->get_lnames()) names.push_back(name);
  std::string_view word = unknown;
  word.remove_prefix(std::min(word.find_first_not_of('-'), word.size()));
  word = word.substr(0, word.find('='));
  const std::string meant = suggested(names, flag_synonyms, word);
  return meant.empty() ? "" : "--" + meant;
}

std::string suggested_command(const CLI::App& program, const std::string& unknown) {
  std::vector<std::string> names;
  for (const CLI::App* command : program.get_subcommands({})) names.push_back(command->get_name());
  return suggested(names, command_synonyms, unknown);
}

}  // namespace dyad::cli
