// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/fit/state.h"

#include <future>
#include <numeric>

#include "dyad/base/text.h"
#include "dyad/fit/fit.h"
#include "dyad/fit/term_counts.h"
#include "dyad/fit/weigh.h"

namespace dyad {

namespace {

/// Throws std::invalid_argument unless each row of the survey has been counted, once.
void require_all_counted(const Survey& survey, const std::vector<std::uint64_t>& counted) {
  for (std::size_t c = 0; c < counted.size(); ++c)
    if (counted[c] != survey.class_rows[c])
      throw std::invalid_argument("of class " + quoted(survey.classes[c]) + " " + std::to_string(counted[c]) +
                                  " rows were counted, of " + std::to_string(survey.class_rows[c]) +
                                  " that were surveyed; every row has to be counted once");
}

}  // namespace

State::State(std::size_t sample_rows) { survey_.most_rows = sample_rows; }
State::State(Survey survey, AddedRows added) : survey_(std::move(survey)), added_(std::move(added)) {}
State::State(std::shared_ptr<const Plan> plan, TermCounts term_counts, AddedRows added)
    : plan_(std::move(plan)), term_counts_(std::move(term_counts)), added_(std::move(added)) {}

std::uint64_t State::n_rows() const {
  if (!is_planned()) return survey_.n_rows();
  return std::accumulate(term_counts_->class_rows().begin(), term_counts_->class_rows().end(),
                         std::uint64_t{0});
}

const Survey& State::survey() const {
  if (plan_ != nullptr) return plan_->survey;
  return survey_;
}

void State::update(const Chunk& chunk, std::uint64_t first_row, const Execution& execution) {
  AddedRows added = added_;
  added.add(chunk, first_row);
  if (is_planned()) {
    term_counts_->require_whole();
    term_counts_->add(*plan_, chunk, first_row, execution);
  } else {
    add(survey_, chunk, first_row);
  }
  added_ = std::move(added);
}

void State::merge(const State& other) {
  if (is_planned() != other.is_planned())
    throw std::invalid_argument(
        "a survey and the counts of a plan cannot be merged; merge surveys, plan, and merge what is counted "
        "by the plan");
  if (is_planned()) {
    term_counts_->require_whole();
    other.term_counts_->require_whole();
    if (plan_ != other.plan_ && !is_same(*plan_, *other.plan_))
      throw std::invalid_argument("counts of two plans cannot be merged");
  }
  added_.require_apart_from(other.added_);
  if (&other == this) return;  // without rows
  if (is_planned())
    term_counts_->add(*other.term_counts_);
  else
    add(survey_, other.survey_);
  added_.add(other.added_);
}

State State::plan(FitOptions options, const Execution& execution, std::size_t table_bytes) const {
  return State(*this).take_plan(std::move(options), execution, table_bytes);
}

State State::take_plan(FitOptions options, const Execution& execution, std::size_t table_bytes) {
  if (is_planned()) throw std::invalid_argument("the state is planned already");
  auto plan =
      std::make_shared<const Plan>(make_plan(std::move(survey_), std::move(options), table_bytes, execution));
  return {plan, TermCounts(*plan)};
}

Model State::finalize(const Execution& execution) const {
  FitReport report;
  return finalize(execution, report);
}

Model State::finalize(const Execution& execution, FitReport& report) const {
  return finalize_with({}, execution, report);
}

Model State::finalize(const ChunkSource& rows, const std::string& scratch_folder, const Execution& execution,
                      FitReport& report) const {
  const RowSource source{static_cast<std::size_t>(n_rows()), scratch_folder, [&](const auto& use) {
                           const auto next = rows();
                           for (Chunk chunk = next(); chunk.n_rows() > 0; chunk = next()) {
                             throw_if_stopped(execution);
                             use(prepared_rows(*plan_, chunk, execution));
                           }
                         }};
  return finalize_with(source, execution, report);
}

Model State::finalize_with(const RowSource& rows, const Execution& execution, FitReport& report) const {
  if (!is_planned())
    throw std::invalid_argument("rows have been surveyed, but not counted; plan, and count them");
  term_counts_->require_whole();
  require_all_counted(plan_->survey, term_counts_->class_rows());
  for (const BinnedTerm& term : term_counts_->terms())
    if (!has_rows(term)) throw std::invalid_argument("the state has a density without rows");
  report.ended_early = false;
  PreparedTable table{plan_->sample(), plan_->encoding, plan_->kept, plan_->table_stats()};
  table.stats.counts = term_counts_->terms();
  Model model = weigh(table, plan_->chosen, plan_->recipe(), plan_->options, execution, report, rows);
  std::ranges::copy_if(plan_->reduced, std::back_inserter(model.fitted_with),
                       [&](const auto& text) { return option_of(model, text.first).empty(); });
  return with_names(std::move(model), plan_->survey.features, plan_->survey.classes,
                    plan_->survey.label_type);
}

Model State::fit_sample(const FitOptions& options, const Execution& execution, FitReport& report) const {
  require_classes(this->survey());
  const Survey survey = in_order(this->survey());
  LabelledSample sample = sample_of(survey);
  sample.weights = weights_for_all_rows(survey, sample);
  return with_names(fit(std::move(sample), options, execution, report), survey.features, survey.classes,
                    survey.label_type);
}

void add_chunks(State& state, const ChunkSource& source, const Execution& execution,
                std::uint64_t first_row) {
  const auto next = source();
  // One chunk is read while the one before is added.
  const auto policy = thread_count(execution) > 1 ? std::launch::async : std::launch::deferred;
  Chunk chunk = next();
  while (chunk.n_rows() > 0) {
    throw_if_stopped(execution);
    auto upcoming = std::async(policy, [&next] { return next(); });
    state.update(chunk, first_row, execution);
    first_row += chunk.n_rows();
    chunk = upcoming.get();
  }
}

Model fit_surveyed(State survey, const ChunkSource& source, const FitOptions& options,
                   const Execution& execution, FitReport& report, std::size_t table_bytes,
                   const std::string& scratch_folder) {
  const Execution limited = within_max_seconds(execution, options, survey.n_rows());
  if (survey.survey().is_whole()) return survey.fit_sample(options, limited, report);
  State state = survey.take_plan(options, limited, table_bytes);
  add_chunks(state, source, limited);
  return scratch_folder.empty() ? state.finalize(limited, report)
                                : state.finalize(source, scratch_folder, limited, report);
}

}  // namespace dyad
