// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/terms/structure.h"

#include "dyad/base/nearest_name.h"
#include "dyad/base/text.h"

namespace dyad {
namespace {

constexpr std::string_view pairs_name_of_text = "given_pairs";
constexpr std::string_view exclude_name_of_text = "exclude";

/// Takes a name from the front of `text`, in quotes or up to a comma or semicolon.
std::string take_name(std::string_view& text) {
  std::string name;
  if (!text.starts_with('"')) {
    name = text.substr(0, text.find_first_of(",;"));
    text.remove_prefix(name.size());
    return name;
  }
  for (text.remove_prefix(1); !text.empty(); text.remove_prefix(1)) {
    if (text.front() != '"') {
      name += text.front();
    } else if (text.size() > 1 && text[1] == '"') {
      name += '"';
      text.remove_prefix(1);
    } else {
      text.remove_prefix(1);
      return name;
    }
  }
  throw std::invalid_argument("a quote is not closed");
}

/// Lists of names, separated by semicolons.
std::vector<NamedStructure::Names> lists_in(std::string_view text) {
  std::vector<NamedStructure::Names> lists(text.empty() ? 0 : 1);
  while (!text.empty()) {
    lists.back().push_back(take_name(text));
    if (text.empty()) break;
    const char separator = text.front();
    if (separator != ',' && separator != ';')
      throw std::invalid_argument("expected a comma behind the quotes around " + quoted(lists.back().back()));
    text.remove_prefix(1);
    if (separator == ';') lists.emplace_back();
    if (text.empty()) lists.back().emplace_back();
  }
  return lists;
}

std::string written_name(const std::string& name) {
  if (!name.empty() && name.find_first_of(",;\"") == std::string::npos) return name;
  std::string text = "\"";
  for (const char c : name) text += c == '"' ? std::string("\"\"") : std::string(1, c);
  return text + "\"";
}

std::string written_lists(std::span<const NamedStructure::Names> lists) {
  std::string text;
  for (const auto& names : lists) {
    if (&names != lists.data()) text += ";";
    for (std::size_t k = 0; k < names.size(); ++k) text += (k == 0 ? "" : ",") + written_name(names[k]);
  }
  return text;
}

/// Finds features by their names, for the parameter `what`.
class FeatureNumbers {
 public:
  FeatureNumbers(std::string what, std::span<const std::string> features)
      : what_(std::move(what)), features_(features) {}

  [[nodiscard]] std::size_t of(const std::string& name) const {
    const auto found = std::ranges::find(features_, name);
    if (found == features_.end())
      throw std::invalid_argument(what_ + ": no feature " + quoted(name) + "; " +
                                  advice_on_name(name, "the features are", features_));
    return static_cast<std::size_t>(found - features_.begin());
  }

  [[nodiscard]] FeaturePair of_pair(const NamedStructure::Names& names) const {
    if (names.size() != 2)
      throw std::invalid_argument(what_ + ": expected two features, got " + written_lists({&names, 1}));
    const auto [i, j] = std::minmax({of(names[0]), of(names[1])});
    if (i == j)
      throw std::invalid_argument(what_ + ": expected two different features, got " + quoted(names[0]) +
                                  " twice");
    return {i, j};
  }

 private:
  std::string what_;
  std::span<const std::string> features_;
};

template <class Value>
void sort_distinct(std::vector<Value>& values) {
  std::ranges::sort(values);
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

/// Throws std::invalid_argument if a pair that is given is excluded, or a feature of it.
void require_apart(const Structure& structure, std::span<const std::string> features) {
  for (const FeaturePair& pair : *structure.pairs)
    if (std::ranges::binary_search(structure.excluded_pairs, pair) ||
        std::ranges::binary_search(structure.excluded, pair.i) ||
        std::ranges::binary_search(structure.excluded, pair.j))
      throw std::invalid_argument("exclude: the pair " + quoted(features[pair.i]) + ", " +
                                  quoted(features[pair.j]) + " is among pairs; leave it out of one of them");
}

std::string_view text_of(const Provenance& texts, std::string_view name) {
  const auto found = std::ranges::find(texts, name, &Provenance::value_type::first);
  return found == texts.end() ? std::string_view() : std::string_view(found->second);
}

}  // namespace

bool Structure::allows(std::size_t i, std::size_t j) const {
  const FeaturePair pair{i, j};
  return !(pairs && !std::ranges::binary_search(*pairs, pair)) &&
         !std::ranges::binary_search(excluded_pairs, pair);
}

Structure structure_of(const NamedStructure& named, std::span<const std::string> features) {
  Structure result;
  const FeatureNumbers excluded("exclude", features);
  for (const auto& names : named.exclude)
    if (names.size() == 1)
      result.excluded.push_back(excluded.of(names[0]));
    else
      result.excluded_pairs.push_back(excluded.of_pair(names));
  sort_distinct(result.excluded);
  sort_distinct(result.excluded_pairs);
  if (result.excluded.size() == features.size())
    throw std::invalid_argument("exclude: every feature is excluded; leave one at least");
  if (named.pairs) {
    const FeatureNumbers given("pairs", features);
    result.pairs.emplace();
    for (const auto& names : *named.pairs) result.pairs->push_back(given.of_pair(names));
    sort_distinct(*result.pairs);
    require_apart(result, features);
    result.texts.emplace_back(pairs_name_of_text, written_lists(*named.pairs));
  }
  if (!named.exclude.empty()) result.texts.emplace_back(exclude_name_of_text, written_lists(named.exclude));
  return result;
}

Structure among(const Structure& structure, std::span<const std::size_t> kept) {
  const auto renumbered = [&](std::span<const FeaturePair> pairs) {
    std::vector<FeaturePair> result;
    for (const FeaturePair& pair : pairs) {
      const auto i = std::ranges::lower_bound(kept, pair.i);
      const auto j = std::ranges::lower_bound(kept, pair.j);
      if (i != kept.end() && *i == pair.i && j != kept.end() && *j == pair.j)
        result.push_back(
            {static_cast<std::size_t>(i - kept.begin()), static_cast<std::size_t>(j - kept.begin())});
    }
    return result;
  };
  Structure result{.excluded_pairs = renumbered(structure.excluded_pairs)};
  if (structure.pairs) result.pairs = renumbered(*structure.pairs);
  return result;
}

NamedStructure named_structure(const Provenance& fitted_with) {
  NamedStructure named{.exclude = lists_in(text_of(fitted_with, exclude_name_of_text))};
  const auto has_name = [](const auto& text) { return text.first == pairs_name_of_text; };
  if (std::ranges::any_of(fitted_with, has_name))
    named.pairs = lists_in(text_of(fitted_with, pairs_name_of_text));
  return named;
}

std::vector<std::size_t> excluded_features(const Model& model) {
  std::vector<std::size_t> result;
  for (const auto& names : named_structure(model.fitted_with).exclude) {
    const auto found = std::ranges::find(model.features, names[0]);
    if (names.size() == 1 && found != model.features.end())
      result.push_back(static_cast<std::size_t>(found - model.features.begin()));
  }
  sort_distinct(result);
  return result;
}

std::vector<std::string> names_in(std::string_view text) {
  auto lists = lists_in(text);
  if (lists.size() > 1)
    throw std::invalid_argument("a name with a semicolon is put in double quotes, got " + quoted(text));
  return lists.empty() ? std::vector<std::string>() : std::move(lists.front());
}

}  // namespace dyad
