// Splits lines at commas that are not inside quotes.
#include "traces/csv_reader.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "shared_policies/model/failure.hpp"
#include "shared_policies/text/printable_text.hpp"
#include "traces/files/input_file.hpp"

namespace equipoise {
namespace {

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

}  // namespace

CsvReader::CsvReader(const std::string& path)
    : path_(path), in_(open_input(path, "give a CSV file")) {}

bool CsvReader::next(std::vector<std::string>& fields) {
  std::string text;
  while (read_line(text)) {
    line_ = lines_;
    if (trimmed(text).empty()) continue;
    split(text, fields);
    if (fields.size() == 1 && !text.starts_with('#') && text.find(';') != std::string::npos) {
      throw InputError(where(),
                       "semicolons stand between the fields, but commas are expected; save the "
                       "table with commas between fields and points in numbers (if it has points "
                       "already: tr ';' ',' <OLD.csv >NEW.csv)");
    }
    return true;
  }
  return false;
}

bool CsvReader::read_line(std::string& text) {
  if (!next_line(in_, text, path_, lines_ + 1)) return false;
  ++lines_;
  if (lines_ == 1 && text.starts_with("\xef\xbb\xbf")) text.erase(0, 3);
  if (!text.empty() && text.back() == '\r') text.pop_back();
  if (!is_utf8(text)) {
    throw InputError(fmt::format("{}:{}", path_, lines_), "not UTF-8; save the file as UTF-8");
  }
  return true;
}

void CsvReader::split(std::string text, std::vector<std::string>& fields) {
  fields.clear();
  std::string field;
  bool quoted = false;      // inside quotes
  bool was_quoted = false;  // this field is quoted, so its blanks are kept
  const auto finish = [&] {
    fields.push_back(was_quoted ? field : trimmed(field));
    field.clear();
    was_quoted = false;
  };
  for (std::size_t i = 0;; ++i) {
    if (i == text.size()) {
      if (!quoted) break;
      std::string more;
      if (!read_line(more)) throw InputError(where(), "a quote is not closed; close it");
      text += "\n" + more;
    }
    const char c = text[i];
    if (quoted && c == '"' && i + 1 < text.size() && text[i + 1] == '"') {
      field += text[++i];
    } else if (c == '"' && (quoted || trimmed(field).empty())) {
      if (!quoted) field.clear();
      quoted = !quoted;
      was_quoted = true;
    } else if (c == ',' && !quoted) {
      finish();
    } else if (quoted || !was_quoted || (c != ' ' && c != '\t')) {
      field += c;
    }
  }
  finish();
}

double csv_number(const std::string& text, const std::string& column, const std::string& where) {
  const auto refuse = [&where](const std::string& why) {
    throw InputError(where, why + "; correct the row or leave it out");
  };
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range) {
    refuse(fmt::format("`{}` is out of range: {}", column, text));
  }
  if (error != std::errc() || end != text.data() + text.size()) {
    refuse(fmt::format("`{}` is not a number: `{}`", column, text));
  }
  if (!std::isfinite(value)) refuse(fmt::format("`{}` is not finite: {}", column, text));
  return value;
}

}  // namespace equipoise
