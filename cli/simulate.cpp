// dyad simulate: rows of two classes, each from a Bayesian network of its own, and the truth about them.
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <cstdint>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/json.h"
#include "dyad/io/output_file.h"
#include "dyad/simulation/scenarios.h"

namespace dyad::cli {
namespace {

/// The rows that are drawn.
struct DrawOptions {
  std::uint64_t n = 1000;
  double imbalance = 0.5;
  std::uint64_t seed = 1;
  std::uint64_t draw = 0;

  static void describe(auto& o, auto&& field) {
    field("n", o.n, Interval{2, 2e9}, "rows in all");
    field("imbalance", o.imbalance, fraction, "share of the rows of class 0");
    field("seed", o.seed, Interval{0, 0x1p53}, "seed of networks and rows");
    field("draw", o.draw, Interval{0, 0x1p53}, "number of the draw: other rows of the same networks");
  }
};

struct SimulateFlags {
  Scenario scenario = Scenario::forest_normal;
  DrawOptions rows;
  SimulationOptions networks;
  bool with_ratio = false;
  std::string truth_path;
};

constexpr std::size_t bayes_rows = 100000;

std::string feature_name(std::size_t j) { return fmt::format("x{}", j + 1); }

Json names_of(const std::vector<std::size_t>& features) {
  Json names = Json::array();
  for (const std::size_t j : features) names.push_back(feature_name(j));
  return names;
}

Json component_json(const Component& component) {
  return {{"probability", component.probability},
          {"noise", name_of(noise_names, component.noise)},
          {"shift", component.shift},
          {"scale", component.scale},
          {"multiplies", component.multiplies},
          {"parents", names_of(component.parents)}};
}

Json network_json(const BayesNet& network, const std::string& label) {
  Json nodes = Json::array();
  for (std::size_t j = 0; j < network.nodes().size(); ++j) {
    const Node& node = network.nodes()[j];
    Json components = Json::array();
    for (const Component& component : node) components.push_back(component_json(component));
    nodes.push_back(
        {{"name", feature_name(j)}, {"parents", names_of(parents_of(node))}, {"components", components}});
  }
  return {{"label", label}, {"nodes", nodes}};
}

Json truth_json(const SimulateFlags& flags, const Simulation& simulation, const Execution& execution) {
  return {{"scenario", name_of(scenario_names, flags.scenario)},
          {"seed", flags.rows.seed},
          {"bayes_error", simulation.bayes_error(bayes_rows, execution)},
          {"classes", {network_json(simulation.network(0), "0"), network_json(simulation.network(1), "1")}}};
}

void write_rows(const LabelledSample& sample, const std::vector<double>& ratio, const Execution& execution,
                Output& output) {
  constexpr std::size_t part_size = 1 << 20;
  std::string text;
  for (std::size_t j = 0; j < sample.n_features(); ++j) text += feature_name(j) + ",";
  text += ratio.empty() ? "label\n" : "log_ratio,label\n";
  for (std::size_t i = 0; i < sample.n_rows(); ++i) {
    for (std::size_t j = 0; j < sample.n_features(); ++j)
      fmt::format_to(std::back_inserter(text), "{},", sample.X(i, j));
    if (!ratio.empty()) fmt::format_to(std::back_inserter(text), "{},", ratio[i]);
    fmt::format_to(std::back_inserter(text), "{}\n", sample.y[i]);
    if (text.size() < part_size) continue;
    throw_if_stopped(execution);
    output.write(text);
    text.clear();
  }
  output.write(text);
}

void simulate(const SimulateFlags& flags, const RunFlags& run, Output& output) {
  if (!flags.truth_path.empty()) require_writable(flags.truth_path);
  const Simulation simulation(flags.scenario, flags.networks, flags.rows.seed);
  const LabelledSample sample =
      simulation.sample(flags.rows.n, flags.rows.imbalance, flags.rows.draw, run.execution);
  std::vector<double> ratio;
  if (flags.with_ratio) ratio = simulation.log_likelihood_ratio(sample.X, run.execution);
  write_rows(sample, ratio, run.execution, output);
  if (!flags.truth_path.empty())
    write_file(flags.truth_path, dumped(truth_json(flags, simulation, run.execution)));
}

void add_scenario_argument(CLI::App& command, Scenario& scenario) {
  const std::vector<std::string> names(scenario_names.begin(), scenario_names.end());
  const auto set = [&scenario](const std::string& name) {
    scenario = static_cast<Scenario>(index_of_name(scenario_names, name, "scenario"));
  };
  command.add_option_function<std::string>("SCENARIO", set, fmt::format("{}", fmt::join(names, ", ")))
      ->required()
      ->type_name("")
      ->check(CLI::IsMember(names).description(""));
}

}  // namespace

Command add_simulate(CLI::App& program) {
  auto flags = std::make_shared<SimulateFlags>();
  auto run_flags = std::make_shared<RunFlags>();
  CLI::App* const command =
      program.add_subcommand("simulate", "Draw rows of two classes from Bayesian networks, as in the paper");
  const SimulationOptions general = calibrated_options(Scenario::general_normal);
  command->footer(
      fmt::format("Prints a header and one line per row, the label last. Nodes have one parent (forest)\n"
                  "or three (general); given its parents a node is normal around their sum, or a mixture\n"
                  "of Student's t and two normals (complex). Defaults of general networks:\n"
                  "--roots {} --root-places {} --window {} --mixture {}.\n\n"
                  "Examples:\n"
                  "  dyad simulate general-normal --n 1000 -o train.csv --truth networks.json\n"
                  "  dyad simulate general-normal --n 5000 -o test.csv --draw 1",
                  general.roots, name_of(root_places_names, general.root_places), general.window,
                  name_of(mixture_draw_names, general.mixture)));
  add_scenario_argument(*command, flags->scenario);
  add_flags(*command, flags->rows);
  add_flags(*command, flags->networks);
  command->parse_complete_callback([command, flags] {
    take_unless_given(*command, flags->networks, calibrated_options(flags->scenario));
  });
  command->add_flag("--log-ratio", flags->with_ratio,
                    "add the true log likelihood ratio of class 1 to class 0, a column before the label");
  command
      ->add_option("--truth", flags->truth_path,
                   "write the networks and the Bayes error of equal classes to this JSON file")
      ->type_name("FILE");
  add_result_flags(*command, *run_flags, false);

  return {command, run_flags, [flags, run_flags](Output& output) { simulate(*flags, *run_flags, output); }};
}

}  // namespace dyad::cli
