// The commands of the program. Each adds itself with its flags; the returned function does the work and
// writes the result.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <CLI/App.hpp>
#include <functional>
#include <memory>

#include "cli/flags.h"
#include "cli/terminal.h"

namespace dyad::cli {

struct Command {
  CLI::App* parser = nullptr;
  std::shared_ptr<RunFlags> run_flags;
  std::function<void(Output&)> run;
};

[[nodiscard]] Command add_fit(CLI::App& program);
[[nodiscard]] Command add_predict(CLI::App& program);
[[nodiscard]] Command add_cv(CLI::App& program);
[[nodiscard]] Command add_evaluate(CLI::App& program);
[[nodiscard]] Command add_screen(CLI::App& program);
[[nodiscard]] Command add_explain(CLI::App& program);
[[nodiscard]] Command add_edit(CLI::App& program);
[[nodiscard]] Command add_info(CLI::App& program);
[[nodiscard]] Command add_export(CLI::App& program);
[[nodiscard]] Command add_report(CLI::App& program);
[[nodiscard]] Command add_simulate(CLI::App& program);
[[nodiscard]] Command add_count(CLI::App& program);
[[nodiscard]] Command add_merge(CLI::App& program);
[[nodiscard]] Command add_plan(CLI::App& program);

}  // namespace dyad::cli
