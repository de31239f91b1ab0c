// Reads CSV files: records with their line numbers, and numbers in fields.
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

  /// FILE:LINE of the record that was read last.
  [[nodiscard]] std::string where() const { return path_ + ":" + std::to_string(line_); }

  /// Reads the next record that is not an empty line; returns false if there is none. Throws
  /// InputError if a quote is not closed, or if semicolons stand where commas are expected.
  bool next(std::vector<std::string>& fields);

 private:
  bool read_line(std::string& text);
  void split(std::string text, std::vector<std::string>& fields);

  std::string path_;
  std::ifstream in_;
  std::size_t lines_ = 0;
  std::size_t line_ = 0;
};

/// The finite number in `text`, a field of `column`. Throws InputError at `where` if it is not one.
[[nodiscard]] double csv_number(const std::string& text, const std::string& column,
                                const std::string& where);

}  // namespace equipoise
