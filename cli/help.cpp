// SPDX-License-Identifier: BSD-3-Clause
#include "cli/help.h"

#include <algorithm>
#include <sstream>
#include <vector>

#include "cli/option_groups.h"

namespace dyad::cli {
namespace {

constexpr std::size_t help_width = 80;
constexpr std::size_t option_indent = 26;  ///< of what options mean
constexpr std::size_t command_indent = 12;
constexpr std::size_t most_options = 24;  ///< of a command whose --help lists all

/// A line of a list: a name, what it means, and notes in parentheses that are not broken.
struct Entry {
  std::string left;
  std::string right;
  std::vector<std::string> notes;
};

std::vector<std::string> words_of(const Entry& entry) {
  std::istringstream text(entry.right);
  std::vector<std::string> words;
  for (std::string word; text >> word;) words.push_back(word);
  for (const std::string& note : entry.notes) words.push_back("(" + note + ")");
  return words;
}

/// The texts side by side, the right one wrapped; below the left one where that is too long.
std::string entry_text(const Entry& entry, std::size_t indent) {
  std::string text = "  " + entry.left;
  if (text.size() + 2 > indent) text += "\n";
  std::size_t column = text.back() == '\n' ? 0 : text.size();
  const auto to_indent = [&] {
    text.append(indent - column, ' ');
    column = indent;
  };
  to_indent();
  for (const std::string& word : words_of(entry)) {
    if (column > indent && column + 1 + word.size() > help_width) {
      text += "\n";
      column = 0;
      to_indent();
    }
    const std::string spaced = (column > indent ? " " : "") + word;
    text += spaced;
    column += spaced.size();
  }
  return text + "\n";
}

std::string section(std::string_view heading, const std::vector<Entry>& entries,
                    std::size_t indent = option_indent) {
  if (entries.empty()) return "";
  std::string text = "\n" + std::string(heading) + ":\n";
  for (const Entry& entry : entries) text += entry_text(entry, indent);
  return text;
}

/// "-o,--output MODEL"; of an argument, its name.
std::string option_name(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const bool takes_value = option.get_items_expected_max() > 0;
  return option.get_name(option.get_positional(), true) + (takes_value && !type.empty() ? " " + type : "");
}

std::string names_of(const std::set<CLI::Option*>& options) {
  std::string names;
  for (const CLI::Option* option : options) names += (names.empty() ? "" : ", ") + option->get_name();
  return names;
}

Entry entry_of(const CLI::Option& option) {
  Entry entry{option_name(option), option.get_description(), {}};
  if (option.get_required()) entry.notes.emplace_back("required");
  if (!option.get_default_str().empty()) entry.notes.push_back("default: " + option.get_default_str());
  if (!option.get_needs().empty()) entry.notes.push_back("requires " + names_of(option.get_needs()));
  if (!option.get_excludes().empty()) entry.notes.push_back("not with " + names_of(option.get_excludes()));
  return entry;
}

/// The arguments, the options that are required, and a mark for the others.
std::string usage_line(const CLI::App& command, const std::string& name) {
  std::string text = "Usage: " + name;
  if (!command.get_subcommands({}).empty()) text += " COMMAND";
  for (const CLI::Option* option : command.get_options()) {
    if (!option->get_positional()) continue;
    const std::string argument = option->get_name(true) + (option->get_expected_max() > 1 ? "..." : "");
    text += option->get_required() ? " " + argument : " [" + argument + "]";
  }
  for (const CLI::Option* option : command.get_options())
    if (option->nonpositional() && option->get_required()) {
      const bool has_short = !option->get_snames().empty();
      text += " " + (has_short ? "-" + option->get_snames().front() : option->get_name()) + " " +
              option->get_type_name();
    }
  return text + " [OPTIONS]\n";
}

/// Commands under the headings of their groups, in the order in which they were added.
std::string commands_text(const CLI::App& program) {
  const auto commands = program.get_subcommands({});
  std::vector<std::string> headings;
  for (const CLI::App* command : commands)
    if (std::ranges::find(headings, command->get_group()) == headings.end())
      headings.push_back(command->get_group());
  std::string text;
  for (const std::string& heading : headings) {
    std::vector<Entry> entries;
    for (const CLI::App* command : commands)
      if (command->get_group() == heading)
        entries.push_back({command->get_name(), command->get_description(), {}});
    text += section(heading, entries, command_indent);
  }
  return text;
}

/// The options to list: neither arguments nor retired flags. Help flags are those of the program only.
std::vector<const CLI::Option*> listed_options(const CLI::App& command) {
  const bool is_program = !command.get_subcommands({}).empty();
  return command.get_options([&](const CLI::Option* option) {
    const bool unlisted =
        option == command.get_help_all_ptr() || (option == command.get_help_ptr() && !is_program);
    return option->nonpositional() && !option->get_group().empty() && !unlisted;
  });
}

std::string arguments_text(const CLI::App& command) {
  std::vector<Entry> entries;
  for (const CLI::Option* option : command.get_options())
    if (option->get_positional()) entries.push_back(entry_of(*option));
  return section("Arguments", entries);
}

}  // namespace

std::string help_text(const CLI::App& command, const std::string& name, Shown shown) {
  const auto options = listed_options(command);
  const bool all = shown == Shown::all || options.size() <= most_options;
  std::string text = command.get_description() + "\n\n" + usage_line(command, name) + commands_text(command) +
                     arguments_text(command);
  std::size_t n_listed = 0;
  for (const OptionGroup& group : grouped(options)) {
    std::vector<Entry> entries;
    for (const auto& [option, main] : group.options)
      if (all || main) entries.push_back(entry_of(*option));
    n_listed += entries.size();
    text += section(group.heading, entries);
  }
  if (!command.get_footer().empty()) text += "\n" + command.get_footer() + "\n";
  if (n_listed < options.size())
    text +=
        "\n" + name + " --help-all lists " + std::to_string(options.size() - n_listed) + " more options\n";
  return text;
}

}  // namespace dyad::cli
