// Parses a StarPU model file, one line of values after another.
#include "traces/starpu_model.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <sstream>

#include "shared_policies/model/failure.hpp"
#include "traces/files/input_file.hpp"

namespace equipoise {
namespace {

constexpr int known_version = 45;
/// A file with more combinations, devices or rows than this is damaged.
constexpr int most_entries = 100000;

class ModelReader {
 public:
  ModelReader(std::string path, std::istream& in) : path_(std::move(path)), in_(in) {}

  StarpuModel read() {
    const int version = whole("the version");
    if (version != known_version) {
      refuse("performance model version " + std::to_string(version) + " instead of " +
             std::to_string(known_version));
    }
    StarpuModel model;
    const int combinations = count("the number of combinations");
    for (int i = 0; i < combinations; ++i) read_combination(model);
    if (advance()) model.unread_from_line = line_;
    return model;
  }

 private:
  [[noreturn]] void refuse(const std::string& why,
                           const char* hint = "give a model file as StarPU writes it") const {
    throw InputError(path_ + ":" + std::to_string(std::max(line_, 1)), why + "; " + hint);
  }

  /// Goes to the next line with values.
  bool advance() {
    std::string text;
    while (next_line(in_, text, path_, static_cast<std::size_t>(line_) + 1)) {
      ++line_;
      words_.clear();
      std::istringstream split(text);
      for (std::string word; split >> word;) words_.push_back(word);
      if (!words_.empty() && words_.front().front() != '#') return true;
    }
    return false;
  }

  void need(const char* what) {
    if (!advance()) refuse(std::string("the file ends where ") + what + " should be");
  }

  int whole(const char* what) {
    need(what);
    int value = 0;
    const std::string& word = words_.front();
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (words_.size() != 1 || error != std::errc() || end != word.data() + word.size()) {
      refuse(std::string("expected ") + what + ", a whole number, not `" + word + "`");
    }
    return value;
  }

  int count(const char* what) {
    const int value = whole(what);
    if (value < 0 || value > most_entries) refuse(std::string(what) + " is out of range");
    return value;
  }

  /// Uses strtod because it reads "nan", which these files contain; streams do not.
  [[nodiscard]] double real(std::size_t position) const {
    const std::string& word = words_[position];
    char* end = nullptr;
    const double value = std::strtod(word.c_str(), &end);
    if (end != word.c_str() + word.size()) refuse("`" + word + "` is not a number");
    return value;
  }

  void read_combination(StarpuModel& model) {
    std::vector<StarpuDevice> devices(
        static_cast<std::size_t>(count("the number of types of devices")));
    for (StarpuDevice& device : devices) {
      device.type = whole("a device type");
      device.id = whole("a device id");
      device.cores = whole("a number of cores");
    }
    const int implementations = count("the number of implementations");
    for (int i = 0; i < implementations; ++i) {
      StarpuTable table{.devices = devices, .implementation = i, .rows = {}};
      const int rows = count("the number of entries");
      skip_regressions();
      for (int row = 0; row < rows; ++row) table.rows.push_back(read_row());
      model.tables.push_back(std::move(table));
    }
  }

  /// Skips three lines: the sums of the linear regression, a b c of the non-linear one, and the
  /// number of coefficients of the multiple one. One of StarPU's files has the last two in the
  /// opposite order.
  void skip_regressions() {
    need("the linear regression");
    for (int i = 0; i < 2; ++i) {
      need("a regression");
      if (words_.size() == 1 && words_.front() != "0") {
        refuse("a multiple-regression model", "only history-based models are read");
      }
    }
  }

  StarpuRow read_row() {
    need("a row of measurements");
    if (words_.size() != 8) refuse("a row of measurements must have 8 values");
    return {.line = line_,
            .size_bytes = real(1),
            .flop = real(2),
            .mean_us = real(3),
            .deviation_us = real(4),
            .sum_us = real(5),
            .count = real(7)};
  }

  std::string path_;
  std::istream& in_;
  int line_ = 0;
  std::vector<std::string> words_;
};

}  // namespace

StarpuModel read_starpu_model(const std::string& path) {
  std::ifstream in = open_input(path, "name one of StarPU's performance models");
  return ModelReader(path, in).read();
}

}  // namespace equipoise
