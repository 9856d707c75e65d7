// Model and state files changed at random: clean errors, or models that predict and states that can be used.
// SPDX-License-Identifier: BSD-3-Clause
#include "fuzz/section_mutation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "dyad/io/byte_source.h"
#include "fuzz/model_check.h"
#include "fuzz/state_check.h"
#include "tests/places.h"

namespace dyad::fuzz {
namespace {

using IsSound = bool (*)(std::string_view);

/// Small files of every kind (fuzz/README.md says how to make them anew).
std::vector<std::string> seeds(const std::string& kind, const std::string& extension) {
  std::vector<std::string> files;
  for (const auto& entry :
       std::filesystem::directory_iterator(test::source_folder() + "/fuzz/corpus/" + kind))
    if (entry.path().extension() == extension) files.push_back(entry.path());
  std::ranges::sort(files);
  for (std::string& file : files) file = read_all(file);
  return files;
}

std::size_t n_mutations(std::size_t unless_given) {
  const char* const given = std::getenv("DYAD_MUTATIONS");
  return given == nullptr ? unless_given : std::stoul(given);
}

void expect_sound(const std::vector<std::string>& files, IsSound is_sound) {
  ASSERT_FALSE(files.empty());
  for (const std::string& bytes : files) EXPECT_TRUE(is_sound(bytes));
}

void expect_errors_or_soundness(const std::vector<std::string>& files, IsSound is_sound, std::size_t n) {
  ASSERT_FALSE(files.empty());
  std::size_t n_sound = 0;
  std::string previous = files[0];
  for (std::size_t k = 0; k < n; ++k) {
    Random random = Random(1).split(k);
    const std::string& seed = files[random.below(files.size())];
    // One change in four comes upon another, if that left a sound file; one in sixteen are sections of two
    // files.
    std::string bytes = random.below(16) == 0 ? crossed(seed, files[random.below(files.size())], random)
                                              : mutated(random.below(4) == 0 ? previous : seed, random);
    try {
      if (!is_sound(bytes)) continue;
    } catch (const std::exception& error) {
      FAIL() << "mutation " << k << ": " << error.what();
    }
    ++n_sound;
    previous = std::move(bytes);
  }
  EXPECT_GT(n_sound, n / 20);
}

TEST(ModelMutation, HasSeedsOfTheVersionThatIsRead) { expect_sound(seeds("model", ".dyad"), is_sound_model); }

TEST(ModelMutation, GivesCleanErrorsOrFinitePredictions) {
  expect_errors_or_soundness(seeds("model", ".dyad"), is_sound_model, n_mutations(3000));
}

TEST(StateMutation, HasSeedsOfTheVersionThatIsRead) {
  expect_sound(seeds("state", ".state"), is_sound_state);
}

TEST(StateMutation, GivesCleanErrorsOrStatesThatCanBeUsed) {
  expect_errors_or_soundness(seeds("state", ".state"), is_sound_state, n_mutations(1000));
}

}  // namespace
}  // namespace dyad::fuzz
