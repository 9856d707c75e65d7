// Model files changed at random: clean errors, or models that predict.
// SPDX-License-Identifier: BSD-3-Clause
#include "fuzz/model_mutation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "dyad/io/byte_source.h"
#include "fuzz/model_check.h"

namespace dyad::fuzz {
namespace {

/// Small files of every kind (fuzz/README.md says how to make them anew).
std::vector<std::string> seeds() {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(DYAD_SOURCE "/fuzz/corpus/model"))
    if (entry.path().extension() == ".dyad") files.push_back(entry.path());
  std::ranges::sort(files);
  for (std::string& file : files) file = read_all(file);
  return files;
}

std::size_t n_mutations() {
  const char* const given = std::getenv("DYAD_MUTATIONS");
  return given == nullptr ? 3000 : std::stoul(given);
}

TEST(ModelMutation, HasSeedsOfTheVersionThatIsRead) {
  ASSERT_FALSE(seeds().empty());
  for (const std::string& bytes : seeds()) EXPECT_TRUE(is_sound_model(bytes));
}

TEST(ModelMutation, GivesCleanErrorsOrFinitePredictions) {
  const auto files = seeds();
  std::size_t n_models = 0;
  std::string previous = files[0];
  for (std::size_t k = 0; k < n_mutations(); ++k) {
    Random random = Random(1).split(k);
    const std::string& seed = files[random.below(files.size())];
    // One change in four comes upon another, if that left a model; one in sixteen are sections of two files.
    std::string bytes = random.below(16) == 0 ? crossed(seed, files[random.below(files.size())], random)
                                              : mutated(random.below(4) == 0 ? previous : seed, random);
    try {
      if (!is_sound_model(bytes)) continue;
    } catch (const std::exception& error) {
      FAIL() << "mutation " << k << ": " << error.what();
    }
    ++n_models;
    previous = std::move(bytes);
  }
  EXPECT_GT(n_models, n_mutations() / 20);
}

}  // namespace
}  // namespace dyad::fuzz
