// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/base/options.h"

#include <gtest/gtest.h>

namespace dyad {
namespace {

enum class Colour { red, green };
constexpr Names<2> colour_names{"red", "green"};

struct ExampleOptions {
  double C = 1;
  int steps = 10;
  Colour colour = Colour::red;

  static void describe(auto& o, auto&& field) {
    field("C", o.C, positive, "a cost");
    field("steps", o.steps, at_least_one, "a count");
    field("colour", o.colour, colour_names, "a choice");
  }
};

std::string message_of(const ExampleOptions& options) {
  try {
    validate(options);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "valid";
}

TEST(Options, ValidateNamesTheFieldOutOfRange) {
  EXPECT_EQ(message_of({}), "valid");
  EXPECT_EQ(message_of({.C = 0}), "C must be greater than 0 and finite, got 0");
  EXPECT_EQ(message_of({.C = std::numeric_limits<double>::quiet_NaN()}),
            "C must be greater than 0 and finite, got nan");
  EXPECT_EQ(message_of({.C = std::numeric_limits<double>::infinity()}),
            "C must be greater than 0 and finite, got inf");
  EXPECT_EQ(message_of({.steps = 0}), "steps must be at least 1, got 0");
}

TEST(Options, NamesOfChoicesAreFoundOrListed) {
  EXPECT_EQ(index_of_name(colour_names, "green", "colour"), 1U);
  try {
    index_of_name(colour_names, "blue", "colour");
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "colour: no such value 'blue'; choose from red, green");
  }
}

TEST(Options, TruthIsReadAsItIsWritten) {
  bool value = false;
  for (const bool given : {true, false}) {
    set_option(value, truth, "flag", option_text(given, truth));
    EXPECT_EQ(value, given);
  }
  EXPECT_EQ(option_text(true, truth), "true");
  for (const char* text : {"", "1", "yes", "True", "true "})
    EXPECT_THROW(set_option(value, truth, "flag", text), std::invalid_argument) << text;
}

}  // namespace
}  // namespace dyad
