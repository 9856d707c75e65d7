// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/io/csv.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>

#include "dyad/base/random.h"
#include "tests/folder.h"

namespace dyad {
namespace {

/// A source that hands out `text` in pieces of at most `piece` bytes.
ByteSource text_source(std::string text, std::size_t piece = 1 << 20) {
  auto rest = std::make_shared<std::string>(std::move(text));
  return {"t.csv", [rest, piece](std::span<char> buffer) {
            const std::size_t size = std::min({piece, buffer.size(), rest->size()});
            std::memcpy(buffer.data(), rest->data(), size);
            rest->erase(0, size);
            return size;
          }};
}

Table read(const std::string& text, const CsvOptions& options = {}) {
  return read_csv(text_source(text), options);
}

std::string error_in(const std::string& text, const CsvOptions& options = {}) {
  try {
    read(text, options);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "no error";
}

const std::vector<double>& numbers(const Table& table, std::size_t j) {
  return std::get<NumericColumn>(table.features.at(j).data).values;
}

const CategoricalColumn& categories(const Table& table, std::size_t j) {
  return std::get<CategoricalColumn>(table.features.at(j).data);
}

TEST(Csv, ReadsNumbersCategoriesLabelsAndWeights) {
  const Table table =
      read("x,colour,y,w\n1,red,yes,2\n-2.5e1,blue,no,0\n+3,red,yes,1.5\n", {.label = "y", .weight = "w"});
  EXPECT_EQ(table.n_rows, 3U);
  ASSERT_EQ(table.features.size(), 2U);
  EXPECT_EQ(table.features[0].name, "x");
  EXPECT_EQ(numbers(table, 0), (std::vector<double>{1, -25, 3}));
  EXPECT_EQ(categories(table, 1).levels, (std::vector<std::string>{"red", "blue"}));
  EXPECT_EQ(categories(table, 1).codes, (std::vector<std::int32_t>{0, 1, 0}));
  EXPECT_EQ(table.labels.classes, (std::vector<std::string>{"no", "yes"}));
  EXPECT_EQ(table.labels.codes, (std::vector<std::int32_t>{1, 0, 1}));
  EXPECT_EQ(table.weights, (std::vector<double>{2, 0, 1.5}));
}

TEST(Csv, ReadsQuotedFields) {
  const Table table = read("\"a, b\",\"c \"\"d\"\"\"\n\"1\",\"x\ny\"\n2,\"\"\"\"\n");
  EXPECT_EQ(table.features[0].name, "a, b");
  EXPECT_EQ(table.features[1].name, "c \"d\"");
  EXPECT_EQ(numbers(table, 0), (std::vector<double>{1, 2}));
  EXPECT_EQ(categories(table, 1).levels, (std::vector<std::string>{"x\ny", "\""}));
}

TEST(Csv, FindsTheDelimiterOrTakesTheGivenOne) {
  for (const std::string delimiter : {",", ";", "\t"}) {
    const std::string text = "a" + delimiter + "b" + delimiter + "c\n1" + delimiter + "2" + delimiter + "3\n";
    EXPECT_EQ(read(text).features.size(), 3U) << delimiter;
  }
  EXPECT_EQ(read("a,a;b,b\n1;2\n", {.delimiter = ';'}).features[0].name, "a,a");
  EXPECT_EQ(read("\"a,b,c\";d\n1;2\n").features.size(), 2U);
}

TEST(Csv, TakesAllLineEndsByteOrderMarkBlanksAndBlankLines) {
  const Table table = read("\xEF\xBB\xBF a , b\r\n\r\n1 , 2\r\n 3,4");
  EXPECT_EQ(table.features[0].name, "a");
  EXPECT_EQ(numbers(table, 0), (std::vector<double>{1, 3}));
  EXPECT_EQ(numbers(table, 1), (std::vector<double>{2, 4}));
}

TEST(Csv, KeepsMissingValuesInBothKindsOfColumns) {
  const Table table = read("x,c,empty\n,NA,?\n1,red,\nnan,?,NaN\n?,,NA\nNA,blue,nan\n");
  ASSERT_EQ(numbers(table, 0).size(), 5U);
  EXPECT_TRUE(std::isnan(numbers(table, 0)[0]));
  EXPECT_EQ(numbers(table, 0)[1], 1);
  EXPECT_TRUE(std::isnan(numbers(table, 0)[4]));
  EXPECT_EQ(categories(table, 1).codes, (std::vector<std::int32_t>{-1, 0, -1, -1, 1}));
  ASSERT_EQ(numbers(table, 2).size(), 5U);
  for (const double value : numbers(table, 2)) EXPECT_TRUE(std::isnan(value));
}

TEST(Csv, TakesNumbersAsCategoriesAndLeavesColumnsOutWhenTold) {
  const Table table = read("id,zip,x\n7,123,1\n8,abc,2\n", {.categorical = {"zip"}, .exclude = {"id"}});
  ASSERT_EQ(table.features.size(), 2U);
  EXPECT_EQ(categories(table, 0).levels, (std::vector<std::string>{"123", "abc"}));
}

TEST(Csv, AColumnWithoutValuesIsOfNumbersUnlessNamed) {
  const Table table = read("a,b,x\n,NA,1\n?,,2\n", {.categorical = {"b"}});
  EXPECT_EQ(std::get<NumericColumn>(table.features[0].data).values.size(), 2U);
  const auto& named = std::get<CategoricalColumn>(table.features[1].data);
  EXPECT_EQ(named.codes, (std::vector{CategoricalColumn::missing, CategoricalColumn::missing}));
  EXPECT_TRUE(named.levels.empty());
}

TEST(Csv, ReadsTheSameWhateverThePiecesOfTheSource) {
  std::string text = "x,c,y\r\n";
  for (int k = 0; k < 500; ++k) text += std::to_string(k) + ".25,\"q\n" + std::to_string(k % 7) + "\",l\r\n";
  for (const std::size_t piece : {1U, 2U, 3U, 17U, 4096U}) {
    const Table table = read_csv(text_source(text, piece), {.label = "y"});
    ASSERT_EQ(table.n_rows, 500U);
    EXPECT_EQ(numbers(table, 0)[499], 499.25);
    EXPECT_EQ(categories(table, 1).levels.size(), 7U);
  }
}

TEST(Csv, ReadsRecordsLongerThanItsBuffer) {
  std::string header = "y";
  std::string row = "a";
  for (int j = 0; j < 90000; ++j) {
    header += ",feature_with_a_long_name_" + std::to_string(j);
    row += "," + std::to_string(j);
  }
  const Table table = read(header + "\n" + row + "\n", {.label = "y"});
  ASSERT_EQ(table.features.size(), 90000U);
  EXPECT_EQ(numbers(table, 89999)[0], 89999);
}

TEST(Csv, ReadsGzipFilesAndRefusesCutOnes) {
  const test::Folder folder;
  const std::string path = folder.path("t.csv.gz");
  std::string text = "x,y\n";
  for (int k = 0; k < 20000; ++k) text += std::to_string(k * 7919 % 10007) + ",a\n";
  const gzFile file = gzopen(path.c_str(), "wb");
  ASSERT_EQ(gzwrite(file, text.data(), static_cast<unsigned>(text.size())), static_cast<int>(text.size()));
  gzclose(file);
  EXPECT_EQ(read_csv(path, {.label = "y"}).n_rows, 20000U);
  std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
  try {
    read_csv(path, {.label = "y"});
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_EQ(std::string(error.what()), path + ": the gzip data end too early");
  }
}

// --- what is refused, with file, line and column ---

TEST(Csv, NamesFileLineAndColumnOfAnError) {
  EXPECT_EQ(error_in(""), "t.csv: the file is empty");
  EXPECT_EQ(error_in("\n\n"), "t.csv: the file is empty");
  EXPECT_EQ(error_in("a,b\n"), "t.csv: the file has a header but no rows");
  EXPECT_EQ(error_in("a,b\n1,2\n3\n"),
            "t.csv: line 3, column 1 ('a'): the line ends after 1 fields; the header has 2");
  EXPECT_EQ(error_in("a,b\n1,2,3\n"), "t.csv: line 2, column 3: too many fields; the header has 2");
  EXPECT_EQ(error_in("a,b\n1,2\n3,x\n"),
            "t.csv: line 3, column 2 ('b'): 'x' is not a number, as the values above it are; for a column of "
            "categories use --categorical 'b'");
  EXPECT_EQ(error_in("a,b\n1,x\n\n2,y\n3,7\n"),
            "t.csv: line 2, column 2 ('b'): 'x' is not a number, but line 5 has '7'; for a column of "
            "categories use "
            "--categorical 'b'");
  EXPECT_EQ(error_in("a,b\n1,2\n1,inf\n"), "t.csv: line 3, column 2 ('b'): 'inf' is not a finite number");
  EXPECT_EQ(error_in("a,b\n1,-Infinity\n"),
            "t.csv: line 2, column 2 ('b'): '-Infinity' is not a finite number");
  EXPECT_EQ(error_in("a,b\n1,1e999\n"), "t.csv: line 2, column 2 ('b'): '1e999' is not a finite number");
  EXPECT_EQ(error_in("a,b,a\n1,2,3\n"),
            "t.csv: line 1, column 3 ('a'): the name is taken by column 1 already");
  EXPECT_EQ(error_in("a,,c\n1,2,3\n"),
            "t.csv: line 1, column 2 ('column2'): the column has no name; leave it out with --exclude "
            "column2, or name it");
  EXPECT_EQ(error_in("1,2\n3,4\n"),
            "t.csv: line 1, column 1 ('1'): the first line holds numbers only; a header line with the column "
            "names is "
            "needed");
  EXPECT_EQ(error_in("a,b\n\"x,1\n"),
            "t.csv: line 2 has a quoted field that is not closed before the end of the file");
  EXPECT_EQ(error_in("a,b\n\"x\"y,1\n"), "t.csv: line 2, column 1 ('a'): text after the closing quote: 'y'");
  EXPECT_EQ(error_in("a,b\nx\"y\",1\n"),
            "t.csv: line 2, column 1 ('a'): a quote inside a field that does not begin with one: 'x\"y\"'");
  EXPECT_EQ(error_in(std::string("a,b\nx\0,1\n", 9)),
            "t.csv: line 2, column 1 ('a'): the field holds a NUL byte; is this a text file in UTF-8?");
  EXPECT_EQ(error_in("\xFF\xFE"
                     "a,b\n1,2\n"),
            "t.csv: line 1, column 1: the file is UTF-16; save it as UTF-8");
}

TEST(Csv, SaysWhatIsOftenWrong) {
  EXPECT_EQ(error_in("x;y\n1,5;2\n"),
            "t.csv: line 2, column 1 ('x'): '1,5' has a decimal comma; numbers need a decimal point; for a "
            "column of "
            "categories use --categorical 'x'");
  EXPECT_EQ(error_in("a,b\r1,2\r"),
            "t.csv: line 1, column 2: the lines end in CR alone; save the file with LF or CRLF line ends");
  EXPECT_EQ(error_in("a,b\n1,+1e400\n"), "t.csv: line 2, column 2 ('b'): '+1e400' is not a finite number");
  EXPECT_EQ(error_in("a,\xe9\n1,2\n"), "t.csv: line 1, column 2: the name is not UTF-8 text");
  EXPECT_EQ(error_in("a,b\n1,\xff\n"), "t.csv: line 2, column 2 ('b'): the text is not UTF-8");
  EXPECT_EQ(error_in("a,\x1b[31m\n1,x\n1,2\n").substr(0, 36), "t.csv: line 2, column 2 ('\\x1b[31m')");
}

TEST(Csv, TakesColumnsWithoutANameThatAreLeftOut) {
  EXPECT_EQ(read(",x\n1,5\n2,6\n", {.exclude = {"column1"}}).features.size(), 1U);
}

TEST(Csv, ReadsOnlyTheColumnsAskedForInTheirOrder) {
  const Table table = read("a,b,c,y\n1,x,3,u\n2,4,5,v\n", {.label = "y", .columns = {"c", "a"}});
  ASSERT_EQ(table.features.size(), 2U);
  EXPECT_EQ(table.features[0].name, "c");
  EXPECT_EQ(numbers(table, 1), (std::vector<double>{1, 2}));
  EXPECT_EQ(table.labels.classes.size(), 2U);
  EXPECT_EQ(error_in("a,b\n1,2\n", {.columns = {"z"}}),
            "t.csv: line 1: no column 'z' (feature); the columns are 'a', 'b'");
}

TEST(Csv, KeepsFieldsThatAreKnownLevelsAsTheyStand) {
  const std::string text = "a,b\n?,1\n red,2\nred ,3\n\"?\",4\nNA,5\n\" red\",6\n ? ,7\n,8\n";
  const Table table = read(text, {.categorical = {"a"}, .known_levels = {{"a", {"?", " red", "blue", ""}}}});
  const auto& column = std::get<CategoricalColumn>(table.features[0].data);
  EXPECT_EQ(column.levels, (std::vector<std::string>{"?", " red", "red"}));
  const auto gap = CategoricalColumn::missing;
  EXPECT_EQ(column.codes, (std::vector<std::int32_t>{0, 1, 2, 0, gap, 1, 0, gap}));
  const Table blank =
      read("a,b\n?,1\n NA ,2\n,3\n", {.categorical = {"a"}, .known_levels = {{"a", {" ?", "NA", " "}}}});
  EXPECT_EQ(std::get<CategoricalColumn>(blank.features[0].data).codes,
            (std::vector<std::int32_t>{0, 1, gap}));
  const Table plain = read(text, {.categorical = {"a"}});
  EXPECT_EQ(std::get<CategoricalColumn>(plain.features[0].data).levels,
            (std::vector<std::string>{"red", " red"}));  // only quotes keep blanks
}

TEST(Csv, ReadsIntegersOfAnyLengthExactly) {
  const Table table =
      read("x\n0\n-0\n7\n-123456789012345\n1234567890123456\n12345678901234567890\n1.5\n1e3\n-nan\n");
  const std::vector<double> expected{0,   -0.0, 7, -123456789012345, 1234567890123456, 12345678901234567890.0,
                                     1.5, 1000};
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(numbers(table, 0)[i], expected[i]) << i;
  EXPECT_TRUE(std::signbit(numbers(table, 0)[1]));
  EXPECT_TRUE(std::isnan(numbers(table, 0)[8]));
}

TEST(Csv, ReadsEveryNumberAsTheNearestDouble) {
  Random random(1);
  std::string text = "x\n";
  std::vector<double> expected;
  for (int k = 0; k < 20000; ++k) {
    std::array<char, 64> number{};
    const int digits = 1 + static_cast<int>(random.below(20));
    const double value = random.normal() * std::pow(10.0, static_cast<double>(random.below(12)) - 6);
    std::snprintf(number.data(), number.size(), k % 2 == 0 ? "%.*f" : "%.*g", digits, value);
    text += std::string(number.data()) + "\n";
    expected.push_back(std::strtod(number.data(), nullptr));
  }
  EXPECT_EQ(numbers(read(text + "5.\n.5\n-.25\n"), 0), [&] {
    expected.insert(expected.end(), {5, 0.5, -0.25});
    return expected;
  }());
  for (const std::string broken : {"1.2.3", "1..2", "-", ".", "1e", "--1"})
    EXPECT_NE(error_in("x\n1\n" + broken + "\n").find("is not a number"), std::string::npos) << broken;
}

TEST(Csv, TellsAQuotedLevelFromOneWithQuotes) {
  const Table table = read("c,x\n\"\"\"a\"\"\",1\n\"a\",2\na,3\n");
  EXPECT_EQ(categories(table, 0).codes, (std::vector<std::int32_t>{0, 1, 1}));
}

TEST(Csv, CountsTheLinesOfQuotedFields) {
  EXPECT_EQ(error_in("a,b\n\"x\ny\",1\nz,w\n"),
            "t.csv: line 4, column 2 ('b'): 'w' is not a number, as the values above it are; for a column of "
            "categories "
            "use --categorical 'b'");
}

TEST(Csv, NamesTheColumnsThatAreThereWhenOneIsNot) {
  const std::string wide = "age,a,b,c,d,e,f,g,h,i,j,k,l,m,subscribed\n";
  EXPECT_EQ(error_in(wide, {.label = "subscribd"}),
            "t.csv: line 1: no column 'subscribd' (label); did you mean 'subscribed'? the columns are 'age', "
            "'a', 'b', 'c', 'd', 'e', ..., 'i', 'j', 'k', 'l', 'm', 'subscribed'");
  EXPECT_EQ(error_in("a,b\n1,2\n", {.label = "y"}),
            "t.csv: line 1: no column 'y' (label); the columns are 'a', 'b'");
  EXPECT_EQ(error_in("a,b\n1,2\n", {.categorical = {"c"}}),
            "t.csv: line 1: no column 'c' (categorical); the columns are 'a', 'b'");
  EXPECT_EQ(error_in("a,b\n1,2\n", {.label = "b", .exclude = {"b"}}),
            "t.csv: line 1, column 2 ('b'): the column cannot be excluded and something else");
}

TEST(Csv, RefusesMissingLabelsAndBadWeights) {
  EXPECT_EQ(error_in("x,y\n1,\n", {.label = "y"}), "t.csv: line 2, column 2 ('y'): the value is missing");
  EXPECT_EQ(error_in("x,w\n1,1\n1,-1\n", {.weight = "w"}),
            "t.csv: line 3, column 2 ('w'): a weight cannot be negative, got '-1'");
  EXPECT_EQ(error_in("x,w\n1,a\n", {.weight = "w"}),
            "t.csv: line 2, column 2 ('w'): a weight must be a number, got 'a'");
}

TEST(Csv, EnforcesItsLimits) {
  EXPECT_EQ(error_in("a,b\n1,2\n3,4\n5,6\n", {.limits = {.max_rows = 2}}),
            "t.csv: line 4, column 1 ('a'): more than 2 rows");
  EXPECT_EQ(error_in("a,b,c\n1,2,3\n", {.limits = {.max_columns = 2}}),
            "t.csv: line 1, column 3: more than 2 columns");
  EXPECT_EQ(error_in("a,b\nx,yyyy\n", {.limits = {.max_field_bytes = 3}}),
            "t.csv: line 2, column 2 ('b'): the field is longer than 3 bytes");
  EXPECT_EQ(error_in("a,b\nx,yyyyyyyyyy\n", {.limits = {.max_line_bytes = 10}}),
            "t.csv: line 2 is longer than 10 bytes");
  EXPECT_EQ(error_in("a,b\nx,\"yyyyyyyyyy\n", {.limits = {.max_line_bytes = 10}}),
            "t.csv: line 2 is longer than 10 bytes; is a quote not closed?");
  EXPECT_EQ(error_in("x,y\n1,a\n2,b\n3,c\n", {.label = "y", .limits = {.max_classes = 2}}),
            "t.csv: line 4, column 2 ('y'): more than 2 distinct labels; is this a number to predict rather "
            "than a class?");
}

TEST(Csv, SaysWhyAFileCannotBeOpened) {
  const auto message = [](const std::string& path) {
    try {
      read_csv(path, {});
    } catch (const std::runtime_error& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_EQ(message("/no/such/file.csv"), "/no/such/file.csv: No such file or directory");
  EXPECT_EQ(message("/"), "/: is a folder, not a file");
}

/// The text of a file as a source.
ByteSource source_of(const std::string& text) {
  return {"t.csv", [text, at = std::size_t{0}](std::span<char> buffer) mutable {
            const std::size_t count = std::min(buffer.size(), text.size() - at);
            std::copy_n(text.data() + at, count, buffer.data());
            at += count;
            return count;
          }};
}

TEST(CsvChunks, AreTheTableSomeRowsAtATime) {
  const std::string text =
      "a,late,c,empty,w,y\n1,,u,,1,no\n2,,v,,2,yes\n,3,u,,0.5,no\n4,,,,1,maybe\n5,7,x,,1,yes\n";
  const CsvOptions options{.label = "y", .weight = "w"};
  const Table whole = read_csv(source_of(text), options);
  for (const std::size_t most : {1U, 2U, 3U, 5U, 9U}) {
    CsvChunks chunks(source_of(text), options);
    EXPECT_EQ(chunks.n_columns(), 6U);
    std::size_t row = 0;
    for (Table part = chunks.next(most); part.n_rows > 0; part = chunks.next(most)) {
      ASSERT_EQ(part.features.size(), whole.features.size());
      EXPECT_LE(part.n_rows, most);
      for (std::size_t i = 0; i < part.n_rows; ++i, ++row) {
        const auto label = [](const Table& table, std::size_t k) {
          return table.labels.classes[static_cast<std::size_t>(table.labels.codes[k])];
        };
        EXPECT_EQ(label(part, i), label(whole, row));
        EXPECT_EQ(part.weights[i], whole.weights[row]);
        for (const std::size_t j : {0U, 1U, 3U}) {
          const double value = std::get<NumericColumn>(part.features[j].data).values[i];
          const double expected = std::get<NumericColumn>(whole.features[j].data).values[row];
          EXPECT_TRUE(value == expected || (std::isnan(value) && std::isnan(expected)));
        }
        const auto& text_part = std::get<CategoricalColumn>(part.features[2].data);
        const auto& text_whole = std::get<CategoricalColumn>(whole.features[2].data);
        EXPECT_EQ(text_part.codes[i], text_whole.codes[row]);
        if (text_part.codes[i] >= 0) {
          EXPECT_EQ(text_part.levels[static_cast<std::size_t>(text_part.codes[i])],
                    text_whole.levels[static_cast<std::size_t>(text_whole.codes[row])]);
        }
      }
    }
    EXPECT_EQ(row, whole.n_rows);
  }
}

TEST(CsvChunks, NameTheLineOfAWrongValueInAnyChunk) {
  CsvChunks chunks(source_of("a,y\n1,u\n2,v\n3,u\nx,v\n"), {.label = "y"});
  EXPECT_EQ(chunks.next(3).n_rows, 3U);
  try {
    static_cast<void>(chunks.next(3));
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("t.csv: line 5, column 1 ('a'): 'x' is not a number"),
              std::string::npos)
        << error.what();
  }
}

TEST(CsvChunks, HaveLevelsOfTheirOwnOnceTheOthersAreForgotten) {
  CsvChunks chunks(source_of("c,y\nu,no\nv,yes\nw,no\nv,maybe\n,yes\n,yes\n7,yes\n"), {.label = "y"});
  const auto column = [](const Table& table) { return std::get<CategoricalColumn>(table.features[0].data); };
  EXPECT_EQ(column(chunks.next(2)).levels, (std::vector<std::string>{"u", "v"}));
  chunks.forget_levels();
  const Table second = chunks.next(2);
  EXPECT_EQ(column(second).levels, (std::vector<std::string>{"u", "w", "v"}));
  EXPECT_EQ(column(second).codes, (std::vector<std::int32_t>{1, 2}));
  EXPECT_EQ(second.labels.classes, (std::vector<std::string>{"maybe", "no", "yes"}));
  chunks.forget_levels();
  EXPECT_EQ(column(chunks.next(2)).levels, (std::vector<std::string>{"u"}));
  chunks.forget_levels();
  try {
    static_cast<void>(chunks.next(2));
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_NE(
        std::string(error.what()).find("line 2, column 1 ('c'): 'u' is not a number, but line 8 has '7'"),
        std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace dyad
