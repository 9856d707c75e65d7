// SPDX-License-Identifier: BSD-3-Clause
#include "fuzz/state_check.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <thread>

#include "dyad/io/model_file.h"
#include "dyad/io/state_file.h"
#include "fuzz/model_check.h"
#include "fuzz/require.h"

namespace dyad::fuzz {
namespace {

std::optional<State> read(std::string_view bytes) {
  try {
    return state_from_bytes(bytes, "s.state");
  } catch (const std::runtime_error&) {
    return std::nullopt;
  }
}

/// Of rows added up there may be more than are read.
enum class IfNotRead { fail, pass };

void require_lasting(const State& state, IfNotRead if_not_read) {
  const std::string written = state_bytes(state);
  const auto again = read(written);
  require(again.has_value() || if_not_read == IfNotRead::pass, "a state that was written is not read");
  require(!again || state_bytes(*again) == written, "a state changes when it is written and read");
}

/// The rows of a state's sample.
Chunk sampled_rows(const Survey& survey) {
  const std::size_t n = survey.sample.size();
  Chunk rows{.classes = survey.classes,
             .X = Matrix(n, survey.features.size()),
             .y = survey.sample.y,
             .weights = survey.sample.weights,
             .label_type = survey.label_type};
  for (const SurveyedFeature& feature : survey.features) {
    rows.features.push_back(feature.name);
    rows.levels.push_back({.names = feature.levels});
  }
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < rows.X.n_cols; ++j)
      rows.X(i, j) = survey.sample.values[i * rows.X.n_cols + j];
  return rows;
}

/// A state without the identity of its rows, as older files have it: it can be merged with any rows.
State without_added_rows(const State& state) {
  if (!state.is_planned()) return State(state.survey());
  return {std::make_shared<const Plan>(*state.plan_of()), *state.term_counts()};
}

/// The rows of a state's sample with levels of a type, and labels of it if their names allow it.
Chunk rows_of_type(const Survey& survey, ValueType type) {
  Chunk rows = sampled_rows(survey);
  if (are_of_type(rows.classes, type)) rows.label_type = type;
  rows.level_types.assign(rows.features.size(), type);
  return rows;
}

/// Runs a piece of work that may refuse to be done, or be stopped when it has taken a second.
template <class Work>
void attempt(const Work& work) {
  std::atomic<bool> stop = false;
  const std::jthread clock([&stop](const std::stop_token& done) {
    std::mutex mutex;
    std::unique_lock lock(mutex);
    std::condition_variable_any().wait_for(lock, done, std::chrono::seconds(1), [] { return false; });
    stop = true;
  });
  try {
    work(Execution{.threads = 1, .stop = &stop});
  } catch (const Interrupted&) {
  } catch (const std::invalid_argument&) {
  }
}

void require_sound(const Model& model) {
  require(is_sound_model(model_bytes(model)), "a model that was fitted is not read");
}

}  // namespace

bool is_sound_state(std::string_view bytes) {
  const auto state = read(bytes);
  if (!state) return false;
  require_lasting(*state, IfNotRead::fail);
  attempt([&](const Execution& execution) {
    State more = *state;
    more.update(sampled_rows(state->survey()), execution);
    require_lasting(more, IfNotRead::pass);
  });
  for (std::size_t type = 0; type < value_type_names.size(); ++type)
    attempt([&](const Execution& execution) {
      State more = *state;
      more.update(rows_of_type(state->survey(), static_cast<ValueType>(type)), execution);
      require_lasting(more, IfNotRead::pass);
      if (!more.is_planned()) {
        State both = more;
        both.merge(without_added_rows(*state));
        require_lasting(both, IfNotRead::pass);
      }
    });
  attempt([&](const Execution&) {
    State twice = *state;
    twice.merge(without_added_rows(*state));
    require_lasting(twice, IfNotRead::pass);
  });
  attempt([&](const Execution&) {
    State twice = *state;
    twice.merge(*state);
    require(state->added_rows().runs().empty(), "a state is merged with itself");
  });
  attempt([&](const Execution& execution) {
    if (state->is_planned()) return require_sound(state->finalize(execution));
    FitOptions options = preset_options(Preset::automatic);
    options.grid = 16;
    require_lasting(state->plan(options, execution), IfNotRead::fail);
  });
  return true;
}

}  // namespace dyad::fuzz
