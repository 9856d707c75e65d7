// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/base/text.h"

#include <gtest/gtest.h>

#include <iomanip>
#include <limits>

namespace dyad {
namespace {

TEST(Text, TrimmedHasNoBlanksAtItsEnds) {
  EXPECT_EQ(trimmed(" \ta b\t "), "a b");
  EXPECT_EQ(trimmed(" \t"), "");
  EXPECT_EQ(trimmed("\na "), "\na");
}

TEST(Text, PrintableKeepsLettersOfEveryLanguage) {
  for (const std::string text : {"", "plain",
                                 "Gr\xc3\xb6\xc3\x9f"
                                 "e",
                                 "\xe6\x98\x9f", "\xf0\x9f\x8c\x9f", "a\n\tb"})
    EXPECT_EQ(printable(text), text);
}

TEST(Text, PrintableShowsWhatSteersAsNumbers) {
  EXPECT_EQ(printable("\x1b[2J\x07\x7f"), "\\x1b[2J\\x07\\x7f");
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m"),
            "\\xc2\\x9b31m");  // an 8-bit control
  EXPECT_EQ(printable("\xe2\x80\xae"
                      "x\xe2\x81\xa6"),
            "\\xe2\\x80\\xaex\\xe2\\x81\\xa6");  // directions
  EXPECT_EQ(printable("\xd8\x9c"), "\\xd8\\x9c");
  EXPECT_EQ(printable("a\nb\t", ""), "a\\x0ab\\x09");
}

TEST(Text, PrintableShowsBytesThatAreNoUtf8AsNumbers) {
  EXPECT_EQ(printable("\xff"
                      "a\x80"),
            "\\xffa\\x80");
  EXPECT_EQ(printable("\xc3"), "\\xc3");           // cut
  EXPECT_EQ(printable("\xc0\xaf"), "\\xc0\\xaf");  // longer than needed
  EXPECT_EQ(printable("\xe0\x80\xaf"), "\\xe0\\x80\\xaf");
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");           // half of a pair
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");  // beyond the last
}

TEST(Text, QuotedIsCutBetweenCharacters) {
  EXPECT_EQ(dyad::quoted("a\nb"), "'a\\x0ab'");
  const std::string star = "\xf0\x9f\x8c\x9f";
  EXPECT_EQ(dyad::quoted(std::string(38, 'x') + star), "'" + std::string(38, 'x') + "...'");
  EXPECT_EQ(dyad::quoted(std::string(36, 'x') + star), "'" + std::string(36, 'x') + star + "'");
  EXPECT_EQ(
      dyad::quoted(std::string(41, '\x80')), "'" + [] {
        std::string all;
        for (int k = 0; k < 36; ++k) all += "\\x80";
        return all;
      }() + "...'");
}

TEST(Text, NumbersHaveTheDigitsAskedFor) {
  EXPECT_EQ(rounded_text(1.0 / 3, 3), "0.333");
  EXPECT_EQ(rounded_text(1e20, 3), "1e+20");
  EXPECT_EQ(rounded_text(1234567.0, 3), "1.23e+06");
  EXPECT_EQ(rounded_text(100, 3), "100");
  EXPECT_EQ(fixed_text(1.0 / 3, 4), "0.3333");
  EXPECT_EQ(fixed_text(12, 4), "12.0000");
  EXPECT_EQ(fixed_text(std::numeric_limits<double>::max(), 4).size(), 314U);
}

TEST(Quoted, IsOursForAStringBesideTheStandardOne) {
  const std::string name = "a";
  EXPECT_EQ("column " + quoted(name), "column 'a'");
}

}  // namespace
}  // namespace dyad
