// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/data/values.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "dyad/base/random.h"

namespace dyad {
namespace {

using Texts = std::vector<std::string>;

TEST(ParseNumber, TakesFiniteDecimalNumbersOnly) {
  double value = 0;
  EXPECT_TRUE(parse_number("-1.5e3", value));
  EXPECT_EQ(value, -1500);
  EXPECT_TRUE(parse_number("+.5", value));
  EXPECT_EQ(value, 0.5);
  EXPECT_TRUE(parse_number("1e-400", value));
  EXPECT_EQ(value, 0);
  EXPECT_TRUE(parse_number("4.9e-324", value));
  EXPECT_EQ(value, std::numeric_limits<double>::denorm_min());
  for (const char* text : {"", "abc", "1x", "1e400", "inf", "-inf", "nan", "+-1", "++1", "0x10", "1,5", " 1"})
    EXPECT_FALSE(parse_number(text, value)) << text;
}

TEST(NormalForm, OfPlainDecimalsHasNoNeedlessZeros) {
  for (const auto& [text, form] :
       std::vector<std::pair<std::string, std::string>>{{"1", "1"},
                                                        {"1.0", "1"},
                                                        {"1.50", "1.5"},
                                                        {"-2.000", "-2"},
                                                        {"0.0", "0"},
                                                        {"-0", "0"},
                                                        {"-0.0", "0"},
                                                        {"-0.50", "-0.5"},
                                                        {"100", "100"},
                                                        {"10.0", "10"},
                                                        {"12345678901234567890.0", "12345678901234567890"}})
    EXPECT_EQ(normal_form(text), form) << text;
}

TEST(NormalForm, OfOtherTextIsTheText) {
  for (const char* text : {"", "-", ".", "01", "00", "+1", "1e3", "1.", ".5", "1.0.0", "1,0", "1.0x", " 1",
                           "1 ", "0x1", "--1", "True", "nan", "-01.0"})
    EXPECT_EQ(normal_form(text), text);
}

TEST(NormalForm, OfANumberIsThatOfItsText) {
  for (const auto& [value, form] : std::vector<std::pair<double, std::string>>{{1.0, "1"},
                                                                               {-0.0, "0"},
                                                                               {0.5, "0.5"},
                                                                               {-2.25, "-2.25"},
                                                                               {0.1, "0.1"},
                                                                               {0.0001, "0.0001"},
                                                                               {1e16, "10000000000000000"},
                                                                               {1e-5, "1e-05"}})
    EXPECT_EQ(normal_form(value), form);
  Random random(1);
  for (int k = 0; k < 1000; ++k) {
    const double value = std::round((random.uniform() - 0.5) * 1e6) / 1000;
    EXPECT_EQ(normal_form(value), normal_form(std::to_string(value))) << value;
  }
  EXPECT_EQ(normal_form(std::numeric_limits<double>::max()).size(), 309U);
}

TEST(ValueNames, FindASpellingBeforeANormalForm) {
  const Texts names{"1", "1.0", "2.0", "x"};  // as a file of an older version may have them
  const ValueNames index(names);
  EXPECT_EQ(index.find("1"), 0U);
  EXPECT_EQ(index.find("1.0"), 1U);
  EXPECT_EQ(index.find("1.00"), 0U);
  EXPECT_EQ(index.find("2"), 2U);
  for (const char* text : {"01", "+1", "2e0", "X", ""}) EXPECT_FALSE(index.find(text)) << text;
}

TEST(ValueNames, FindTruthsIfAllNamesAreTruths) {
  const Texts words{"False", "True"};
  for (const char* text : {"True", "true", "TRUE", "1", "1.0"})
    EXPECT_EQ(ValueNames(words).find(text), 1U) << text;
  const Texts digits{"0", "1"};
  EXPECT_EQ(ValueNames(digits).find("false"), 0U);
  const Texts three{"0", "1", "2"};
  EXPECT_FALSE(ValueNames(three).find("true"));
  EXPECT_FALSE(ValueNames(words).find("2"));
}

TEST(ValueNames, FindNamesThatDifferInBlanksAlone) {
  const Texts names{" a", " b", "1", "b"};
  const ValueNames index(names);
  EXPECT_FALSE(index.find("a"));
  EXPECT_EQ(index.find_without_blanks("a"), 0U);
  EXPECT_EQ(index.find_without_blanks("a\t"), 0U);
  EXPECT_EQ(index.find_without_blanks("b "), 3U);  // before ' b'
  EXPECT_EQ(index.find_without_blanks(" 1.0"), 2U);
  EXPECT_FALSE(index.find_without_blanks(" c"));
  EXPECT_FALSE(index.find_without_blanks(" "));
}

TEST(ApparentLevelType, IsThatOfNormalForms) {
  EXPECT_EQ(apparent_level_type(Texts{"True", "False"}), ValueType::boolean);
  EXPECT_EQ(apparent_level_type(Texts{"1", "-2.5", "1e-05", "12345678901234567890"}), ValueType::real);
  for (const char* text : {"01", "+1", "1e3", "true", "x", ""})
    EXPECT_EQ(apparent_level_type(Texts{"1", text}), ValueType::text) << text;
}

TEST(FindClass, GoesByValueWhereNoNameFits) {
  const Texts classes{"-1", "+1"};
  EXPECT_EQ(find_class(classes, "1"), 1U);
  EXPECT_EQ(find_class(classes, "-1.0"), 0U);
  EXPECT_FALSE(find_class(classes, "2"));
  EXPECT_EQ(find_class(Texts{"yes ", "no"}, "yes"), 0U);
  const Texts large{"12345678901234567890", "12345678901234567891"};
  EXPECT_EQ(find_class(large, "12345678901234567891"), 1U);
  EXPECT_FALSE(find_class(large, "12345678901234567892"));
}

TEST(ClassOrder, IsOfNumbersByValueUnlessTheirSourceSaysText) {
  const Texts names{"10", "9"};
  using Order = std::vector<std::size_t>;
  EXPECT_EQ(class_order(names, ValueType::unknown), (Order{1, 0}));
  EXPECT_EQ(class_order(names, ValueType::text), (Order{0, 1}));
  EXPECT_EQ(class_order(Texts{"10", "9", "x"}, ValueType::unknown), (Order{0, 1, 2}));
}

TEST(ClassOrder, IsByDigitsWhereNumbersShareADouble) {
  const Texts ascending{
      "-10000000000000000", "-9999999999999999", "-9007199254740993", "-9007199254740992", "0",
      "9007199254740992",   "9007199254740993",  "9999999999999999",  "10000000000000000"};
  Texts names = ascending;
  Random random(1);
  for (int repetition = 0; repetition < 20; ++repetition) {
    random.shuffle(names);
    Texts ordered;
    for (const std::size_t k : class_order(names, ValueType::integer)) ordered.push_back(names[k]);
    EXPECT_EQ(ordered, ascending);
  }
}

TEST(UsualType, IsIntegerOfAscendingWholeNumbers) {
  EXPECT_EQ(usual_type(Texts{"-1", "+1", "9"}), ValueType::integer);
  for (const Texts& names : {Texts{"0", "x"}, Texts{"0.5", "1"}, Texts{"1", "0"}, Texts{"01", "2"},
                             Texts{"1", "+1"}, Texts{"0", "99999999999999999999"}})
    EXPECT_EQ(usual_type(names), ValueType::text) << names[0];
}

TEST(DistinctNumbers, RefusesOneNumberInTwoSpellings) {
  const auto refuses = [](const Texts& names, ValueType type = ValueType::unknown) {
    try {
      require_distinct_numbers(names, type);
      return std::string();
    } catch (const std::invalid_argument& error) {
      return std::string(error.what());
    }
  };
  EXPECT_EQ(refuses({"+1", "0", "1"}), "the labels '+1' and '1' are one number; write them alike");
  EXPECT_NE(refuses({"01", "1"}), "");
  EXPECT_EQ(refuses({"01", "1", "x"}), "");
  EXPECT_EQ(refuses({"01", "1"}, ValueType::text), "");
  EXPECT_EQ(refuses({"12345678901234567890", "12345678901234567891"}), "");
}

TEST(CommonType, OfNumbersAndTruthsIsTheWider) {
  const Texts truths{"False", "True"};
  const Texts digits{"0", "1"};
  const auto common = [](const Texts& a, ValueType of_a, const Texts& b, ValueType of_b) {
    EXPECT_EQ(common_type({a, of_a}, {b, of_b}), common_type({b, of_b}, {a, of_a}));
    return common_type({a, of_a}, {b, of_b});
  };
  EXPECT_EQ(common(digits, ValueType::integer, digits, ValueType::real), ValueType::real);
  EXPECT_EQ(common(truths, ValueType::boolean, digits, ValueType::integer), ValueType::integer);
  EXPECT_EQ(common(digits, ValueType::unknown, digits, ValueType::integer), ValueType::integer);
  EXPECT_EQ(common(digits, ValueType::unknown, truths, ValueType::boolean), ValueType::integer);
  EXPECT_EQ(common(Texts{"0.5"}, ValueType::unknown, digits, ValueType::integer), ValueType::real);
  EXPECT_EQ(common(digits, ValueType::unknown, digits, ValueType::text), ValueType::text);
  EXPECT_EQ(common(digits, ValueType::unknown, Texts{"x"}, ValueType::unknown), ValueType::unknown);
  EXPECT_EQ(common(digits, ValueType::integer, {}, ValueType::real), ValueType::integer);  // no rows
  EXPECT_EQ(class_name("True", ValueType::boolean, ValueType::integer), "1");
  EXPECT_EQ(class_name("True", ValueType::text, ValueType::text), "True");
}

TEST(CommonType, RefusesTextBesideNumbersAndNamesBoth) {
  const Texts digits{"0", "1"};
  const Texts words{"x", "1"};
  for (const ValueType type : {ValueType::text, ValueType::unknown}) try {
      static_cast<void>(common_type({digits, ValueType::integer}, {words, type}));
      ADD_FAILURE();
    } catch (const std::invalid_argument& error) {
      EXPECT_STREQ(
          error.what(),
          "the labels of one part are numbers (0), those of another text ('x'); convert them to one type");
    }
}

}  // namespace
}  // namespace dyad
