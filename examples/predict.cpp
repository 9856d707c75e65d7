// Predicts rows as they come: CSV on standard input, a line of answer for each line.
//
//     predict MODEL < rows.csv
//
// The first line names the columns; a row is one line. Answers are the label and the probabilities of the
// classes, as `dyad predict --proba` writes them. A row that cannot be read gets an answer of empty fields
// and a message on standard error. When another file takes the place of MODEL, the next row is answered by
// it; if it cannot be read or has other classes, the old model stays.
// SPDX-License-Identifier: BSD-3-Clause
#include <dyad/base/text.h>
#include <dyad/dyad.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <exception>
#include <iostream>
#include <stdexcept>
#include <string>

namespace {

/// Device, inode, size and times of a file: they change when it is replaced. Zeros if there is none.
std::array<long, 5> identity_of(const std::string& path) {
  struct stat found {};
  if (stat(path.c_str(), &found) != 0) return {};
  return {static_cast<long>(found.st_dev), static_cast<long>(found.st_ino), found.st_size,
          found.st_mtim.tv_sec, found.st_mtim.tv_nsec};
}

/// The model of a file, and what `read_csv` needs to read rows for it.
struct ServedModel {
  std::array<long, 5> identity;
  dyad::Model model;
  dyad::CsvOptions rows;
};

ServedModel load(const std::string& path) {
  ServedModel served{.identity = identity_of(path), .model = dyad::load_model(path), .rows = {}};
  const dyad::Model& model = served.model;
  served.rows.columns = model.features;
  for (std::size_t j = 0; j < model.levels.size(); ++j) {
    if (model.levels[j].is_number()) continue;
    served.rows.categorical.push_back(model.features[j]);
    served.rows.known_levels[model.features[j]] = model.levels[j].names;
  }
  return served;
}

/// Loads the file again if it was replaced; `tried` is the file that was loaded last, in vain or not.
void reload(ServedModel& served, const std::string& path, std::array<long, 5>& tried) {
  const auto identity = identity_of(path);
  if (identity == tried) return;
  tried = identity;
  try {
    ServedModel fresh = load(path);
    if (fresh.model.classes != served.model.classes)
      throw std::runtime_error(path + ": other classes than the model before; start anew to use it");
    served = std::move(fresh);
  } catch (const std::exception& error) {
    std::cerr << "predict: the old model stays: " << error.what() << std::endl;
  }
}

/// A table of one row.
dyad::Table read_row(const std::string& header, const std::string& line, const dyad::CsvOptions& options) {
  const std::string text = header + "\n" + line + "\n";
  std::size_t done = 0;
  return dyad::read_csv({.name = "header and row",
                         .read =
                             [&](std::span<char> buffer) {
                               const std::size_t count = text.copy(buffer.data(), buffer.size(), done);
                               done += count;
                               return count;
                             }},
                        options);
}

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string answer(const dyad::Model& model, const dyad::Table& row) {
  dyad::Execution one_thread;
  one_thread.threads = 1;
  const dyad::Matrix X = dyad::coded_rows(row, model.levels);
  const dyad::Matrix scores = dyad::scores(model, X, one_thread);
  const dyad::Matrix probabilities = dyad::probabilities(model, scores);
  const std::int32_t label = dyad::classify(model, scores).front();
  std::string text = csv_field(model.classes[static_cast<std::size_t>(label)]);
  for (std::size_t k = 0; k < model.n_classes(); ++k) text += "," + dyad::number_text(probabilities(0, k));
  return text;
}

void serve(const std::string& path) {
  ServedModel served = load(path);
  auto tried = served.identity;
  std::cout << "label";
  for (const std::string& name : served.model.classes) std::cout << "," << csv_field("proba_" + name);
  std::cout << std::endl;
  std::string header;
  std::getline(std::cin, header);
  std::string line;
  for (std::size_t row = 1; std::getline(std::cin, line); ++row) {
    reload(served, path, tried);
    try {
      std::cout << answer(served.model, read_row(header, line, served.rows)) << std::endl;
    } catch (const std::exception& error) {
      std::cerr << "predict: row " << row << ": " << error.what() << std::endl;
      std::cout << std::string(served.model.n_classes(), ',') << std::endl;
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: predict MODEL < rows.csv\n";
    return 2;
  }
  try {
    std::ios::sync_with_stdio(false);
    serve(argv[1]);
  } catch (const std::exception& error) {
    std::cerr << "predict: " << error.what() << "\n";
    return 1;
  }
}
