// Writes and reads the lines of the probe protocol.
#include "sim/probe_protocol.hpp"

#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <cstdlib>

#include "sim/child_process.hpp"

namespace equipoise {
namespace {

constexpr char mark = '\x01';

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

}  // namespace

void tell(int fd, const char* what, const std::vector<std::string>& fields) {
  std::string line = mark + std::string(what);
  for (const std::string& field : fields) line += '\t' + escaped(field);
  if (!write_all(fd, line + '\n')) ::_exit(70);
}

void Reading::read(const std::string& output) {
  rest_ += output;
  std::size_t from = 0;
  for (std::size_t to = 0; (to = rest_.find('\n', from)) != std::string::npos; from = to + 1) {
    read_line(std::string_view(rest_).substr(from, to - from));
  }
  rest_.erase(0, from);
}

void Reading::read_line(std::string_view line) {
  if (!line.empty() && line.front() == mark) {
    take(fields_of(line.substr(1)));
  } else if (!line.empty()) {
    said.append(said.empty() ? "" : " ").append(line);
  }
}

void Reading::take(const std::vector<std::string>& fields) {
  const std::string& what = fields[0];
  if (what == "master") {
    platform.master = fields[1];
    hosts = std::stoul(fields[2]);
  } else if (what == "host") {
    platform.hosts.emplace_back();
    platform.hosts.back().name = fields[1];
    platform.hosts.back().cores = std::stoi(fields[2]);
  } else if (what == "property") {
    platform.hosts.back().properties[fields[1]] = fields[2];
  } else if (what == "asking") {
    asked_from = fields[1];
    asked_to = fields[2];
  } else if (what == "in") {
    platform.hosts.back().in.links.push_back(link(fields));
  } else if (what == "out") {
    platform.hosts.back().out.links.push_back(link(fields));
  } else if (what == "routed") {
    platform.hosts.back().has_routes = true;
    asked_from.clear();
  } else if (what == "lacking") {
    take_lacking();
  } else if (what == "full") {
    is_full = true;
  } else if (what == "thrown") {
    thrown = fields[1];
  } else if (what == "end") {
    is_whole = true;
    platform.transfers_add_up = fields[1] == "adds_up";
  }
}

std::uint32_t Reading::link(const std::vector<std::string>& fields) {
  const auto [place, is_new] =
      links_.try_emplace(fields[1], static_cast<std::uint32_t>(platform.links.size()));
  if (is_new) {
    platform.links.push_back({fields[1], std::strtod(fields[2].c_str(), nullptr),
                              Seconds{std::strtod(fields[3].c_str(), nullptr)},
                              fields[4] == "shared"});
  }
  return place->second;
}

void Reading::take_lacking() {
  ProbedHost& host = platform.hosts.back();
  host.lacks_routes = true;
  host.in = host.out = {};
  asked_from.clear();
}

}  // namespace equipoise
