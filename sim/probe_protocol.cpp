// Writes and reads the lines of the probe protocol.
#include "sim/probe_protocol.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "sim/child_process.hpp"

namespace equipoise {
namespace {

/// A kind of line: its first field, how many fields it has, and whether it is about the host that
/// was named last.
struct LineKind {
  std::string_view what;
  std::size_t fields;
  bool is_of_host;
};
constexpr std::array line_kinds{
    LineKind{"master", 3, false}, LineKind{"host", 3, false},   LineKind{"property", 3, true},
    LineKind{"asking", 3, false}, LineKind{"in", 5, true},      LineKind{"out", 5, true},
    LineKind{"routed", 1, true},  LineKind{"lacking", 1, true}, LineKind{"full", 1, false},
    LineKind{"thrown", 2, false}, LineKind{"end", 2, false},
};

std::string escaped(const std::string& field) {
  std::string text;
  for (const char c : field) {
    if (c == '%' || static_cast<unsigned char>(c) < 0x20) {
      char code[4];
      std::snprintf(code, sizeof code, "%%%02x", static_cast<unsigned char>(c));
      text += code;
    } else {
      text += c;
    }
  }
  return text;
}

std::string unescaped(std::string_view field) {
  std::string text;
  for (std::size_t i = 0; i < field.size(); ++i) {
    unsigned code = 0;
    if (field[i] == '%' && i + 2 < field.size() &&
        std::from_chars(&field[i + 1], &field[i + 1] + 2, code, 16).ec == std::errc()) {
      text += static_cast<char>(code);
      i += 2;
    } else {
      text += field[i];
    }
  }
  return text;
}

std::vector<std::string> fields_of(std::string_view line) {
  std::vector<std::string> fields;
  for (std::size_t from = 0;;) {
    const std::size_t to = line.find('\t', from);
    fields.push_back(unescaped(line.substr(from, to - from)));
    if (to == std::string_view::npos) return fields;
    from = to + 1;
  }
}

/// Whether all of `text` is a whole number, which is then in `number`.
template <class Whole>
bool read_whole(const std::string& text, Whole& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

/// Whether all of `text` is a number, which is then in `number`; infinite and not-a-number, too.
bool read_number(const std::string& text, double& number) {
  char* end = nullptr;
  number = std::strtod(text.c_str(), &end);
  return !text.empty() && end == text.c_str() + text.size();
}

}  // namespace

void tell(int fd, const char* what, const std::vector<std::string>& fields) {
  std::string line = what;
  for (const std::string& field : fields) line += '\t' + escaped(field);
  if (!write_all(fd, line + '\n')) ::_exit(70);
}

void Reading::read(const std::string& output) {
  rest_ += output;
  std::size_t from = 0;
  for (std::size_t to = 0; (to = rest_.find('\n', from)) != std::string::npos; from = to + 1) {
    const std::string_view line = std::string_view(rest_).substr(from, to - from);
    is_malformed = is_malformed || !take(fields_of(line));
  }
  rest_.erase(0, from);
}

bool Reading::take(const std::vector<std::string>& fields) {
  const std::string& what = fields[0];
  const auto kind = std::ranges::find(line_kinds, what, &LineKind::what);
  if (kind == line_kinds.end() || fields.size() != kind->fields) return false;
  if (kind->is_of_host && platform.hosts.empty()) return false;
  if (what == "master") {
    platform.master = fields[1];
    return read_whole(fields[2], hosts);
  }
  if (what == "host") {
    platform.hosts.emplace_back();
    platform.hosts.back().name = fields[1];
    return read_whole(fields[2], platform.hosts.back().cores);
  }
  if (what == "in" || what == "out") return take_link(fields);
  if (what == "asking") {
    asked_from = fields[1];
    asked_to = fields[2];
  } else if (what == "full") {
    is_full = true;
  } else if (what == "thrown") {
    thrown = fields[1];
  } else if (what == "end") {
    is_whole = true;
    platform.transfers_add_up = fields[1] == "adds_up";
  } else {
    take_of_host(fields);
  }
  return true;
}

void Reading::take_of_host(const std::vector<std::string>& fields) {
  ProbedHost& host = platform.hosts.back();
  if (fields[0] == "property") {
    host.properties[fields[1]] = fields[2];
    return;
  }
  host.has_routes = fields[0] == "routed";
  host.lacks_routes = !host.has_routes;
  if (host.lacks_routes) host.in = host.out = {};
  asked_from.clear();
}

bool Reading::take_link(const std::vector<std::string>& fields) {
  Link link;
  link.name = fields[1];
  link.shared = fields[4] == "shared";
  if (!read_number(fields[2], link.bandwidth_bytes_per_s)) return false;
  if (!read_number(fields[3], link.latency.value)) return false;
  const auto [place, is_new] =
      links_.try_emplace(link.name, static_cast<std::uint32_t>(platform.links.size()));
  if (is_new) platform.links.push_back(link);
  ProbedHost& host = platform.hosts.back();
  (fields[0] == "in" ? host.in : host.out).links.push_back(place->second);
  return true;
}

}  // namespace equipoise
