// Tables as text: records of a CSV file with their lines, and the numbers in their fields.
#pragma once

#include <cstddef>
#include <fstream>
#include <string>
#include <vector>

namespace equipoise {

/// Reads records; a quoted field may hold commas, quotes and line ends.
class CsvReader {
 public:
  /// Throws InputError when the file cannot be opened.
  explicit CsvReader(const std::string& path);

  /// FILE:LINE of the record read last.
  [[nodiscard]] std::string where() const { return path_ + ":" + std::to_string(line_); }

  /// The next record that is not an empty line. Throws InputError for a quote that stays open.
  bool next(std::vector<std::string>& fields);

 private:
  bool read_line(std::string& text);
  void split(std::string text, std::vector<std::string>& fields);

  std::string path_;
  std::ifstream in_;
  std::size_t lines_ = 0;
  std::size_t line_ = 0;
};

/// The finite number that `text`, a field of `column`, holds. Throws InputError at `where`.
[[nodiscard]] double csv_number(const std::string& text, const std::string& column,
                                const std::string& where);

}  // namespace equipoise
