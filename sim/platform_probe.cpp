// The child loads the platform and prints, line by line; the parent reads, or finds out what went
// wrong.
//
// Lines of ours begin with a byte that nothing else prints, so that whatever SimGrid says, which
// goes into the same pipe, is what is left: the reason. Fields are separated by tabs and escaped.
#include "sim/platform_probe.hpp"

#include <unistd.h>
#include <simgrid/s4u/Engine.hpp>
#include <simgrid/s4u/Host.hpp>
#include <simgrid/s4u/Link.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string_view>

#include "shared_policies/model/failure.hpp"
#include "sim/child_process.hpp"
#include "sim/sim_module.hpp"
#include "sim/simgrid_engine.hpp"

namespace equipoise {
namespace {

namespace s4u = simgrid::s4u;

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

/// A double that comes back as it was.
std::string exact(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%a", value);
  return text;
}

void tell(int fd, const char* what, const std::vector<std::string>& fields) {
  std::string line = mark + std::string(what);
  for (const std::string& field : fields) line += '\t' + escaped(field);
  if (!write_all(fd, line + '\n')) ::_exit(70);
}

void tell_route(int fd, const s4u::Host* from, const s4u::Host* to, const char* what) {
  // Said before it is asked for: SimGrid may die of the question.
  tell(fd, "asking", {from->get_name(), to->get_name()});
  std::vector<s4u::Link*> links;
  double latency = 0.0;
  if (from != to) {
    from->route_to(to, links, &latency);
    if (links.empty() && latency <= 0.0) throw std::runtime_error("No route");
  }
  for (const s4u::Link* link : links) {
    const bool is_shared = link->get_sharing_policy() != s4u::Link::SharingPolicy::FATPIPE;
    tell(fd, what,
         {link->get_name(), exact(link->get_bandwidth()), exact(link->get_latency()),
          is_shared ? "shared" : "fatpipe"});
  }
}

ProbedHost describe(const s4u::Host& host) {
  ProbedHost described;
  described.name = host.get_name();
  described.cores = host.get_core_count();
  for (const auto& [key, value] : *host.get_properties()) described.properties[key] = value;
  return described;
}

bool is_master(const ProbedHost& host) {
  const auto found = host.properties.find("master");
  return found != host.properties.end() && (found->second == "true" || found->second == "1");
}

/// In the child: loads and tells.
int probe(int fd, const std::string& platform_file,
          const std::function<bool(const ProbedHost&)>& wants_routes) {
  ::dup2(fd, STDOUT_FILENO);
  ::dup2(fd, STDERR_FILENO);
  try {
    const EnginePtr engine = start_simgrid();
    std::vector<const s4u::Host*> hosts;  // SimGrid itself lists them by name
    s4u::Host::on_creation_cb([&hosts](const s4u::Host& host) { hosts.push_back(&host); });
    load_platform(*engine, platform_file);
    if (hosts.empty()) throw std::runtime_error("the platform has no host");
    std::vector<ProbedHost> described;
    for (const s4u::Host* host : hosts) described.push_back(describe(*host));
    const auto master = std::ranges::find_if(described, is_master);
    const auto position = master == described.end() ? 0 : master - described.begin();
    const s4u::Host* const master_host = hosts[static_cast<std::size_t>(position)];
    tell(fd, "master", {master_host->get_name()});
    for (std::size_t i = 0; i < hosts.size(); ++i) {
      tell(fd, "host", {described[i].name, std::to_string(described[i].cores)});
      for (const auto& [key, value] : described[i].properties) tell(fd, "property", {key, value});
      if (!wants_routes(described[i])) continue;
      tell_route(fd, master_host, hosts[i], "in");
      tell_route(fd, hosts[i], master_host, "out");
      tell(fd, "routed", {});
    }
    tell(fd, "end", {transfers_add_up(platform_file) ? "adds_up" : "differs"});
    ::_exit(0);  // SimGrid's own end may fail, too, and no longer matters
  } catch (const std::exception& error) {
    tell(fd, "thrown", {error.what()});
  }
  ::_exit(1);
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

/// What the child told, as far as it came.
class Reading {
 public:
  explicit Reading(const std::string& output) {
    for (std::size_t from = 0; from < output.size();) {
      const std::size_t to = std::min(output.find('\n', from), output.size());
      const std::string_view line = std::string_view(output).substr(from, to - from);
      if (!line.empty() && line.front() == mark) {
        take(fields_of(line.substr(1)));
      } else if (!line.empty()) {
        said.append(said.empty() ? "" : " ").append(line);
      }
      from = to + 1;
    }
  }

  ProbedPlatform platform;
  bool is_whole = false;
  std::string asked_from;  ///< the route that was asked for last
  std::string asked_to;
  std::string thrown;
  std::string said;  ///< by SimGrid

 private:
  void take(const std::vector<std::string>& fields) {
    const std::string& what = fields[0];
    if (what == "master") {
      platform.master = fields[1];
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
    } else if (what == "thrown") {
      thrown = fields[1];
    } else if (what == "end") {
      is_whole = true;
      platform.transfers_add_up = fields[1] == "adds_up";
    }
  }

  std::uint32_t link(const std::vector<std::string>& fields) {
    const auto [place, is_new] =
        links_.try_emplace(fields[1], static_cast<std::uint32_t>(platform.links.size()));
    if (is_new) {
      platform.links.push_back({fields[1], std::strtod(fields[2].c_str(), nullptr),
                                Seconds{std::strtod(fields[3].c_str(), nullptr)},
                                fields[4] == "shared"});
    }
    return place->second;
  }

  std::map<std::string, std::uint32_t> links_;
};

/// Whitespace runs made one blank, without asterisks, without the lists that SimGrid adds, and an
/// end.
std::string one_line(const std::string& text) {
  std::string line;
  for (const char c : text) {
    const bool is_blank = std::isspace(static_cast<unsigned char>(c)) != 0 || c == '*';
    if (!is_blank) {
      line += c;
    } else if (!line.empty() && line.back() != ' ') {
      line += ' ';
    }
  }
  for (const char* list : {"Backtrace (", "Existing ", "Valid models are"}) {
    line = line.substr(0, line.find(list));
  }
  constexpr std::size_t longest = 300;
  if (line.size() > longest) line = line.substr(0, longest) + "...";
  while (!line.empty() && std::string_view(" .:").find(line.back()) != std::string_view::npos) {
    line.pop_back();
  }
  return line;
}

/// The first line of the file that holds `name` in quotes behind `tag`; 0: none.
std::size_t line_of_quoted(const std::string& platform_file, const std::string& tag,
                           const std::string& name) {
  std::ifstream file(platform_file);
  std::string line;
  for (std::size_t number = 1; std::getline(file, line); ++number) {
    const std::size_t start = line.find(tag);
    if (start == std::string::npos) continue;
    if (line.find('"' + name + '"', start) != std::string::npos) return number;
    if (line.find('\'' + name + '\'', start) != std::string::npos) return number;
  }
  return 0;
}

/// The line of the file in which the name stands that `why` puts in quotes or ends with; 0: none.
std::size_t line_of_name(const std::string& platform_file, const std::string& why) {
  const std::size_t quote = why.find('\'');
  const std::size_t blank = why.rfind(' ');
  std::string name = why.substr(blank == std::string::npos ? 0 : blank + 1);
  if (quote != std::string::npos)
    name = why.substr(quote + 1, why.find('\'', quote + 1) - quote - 1);
  return line_of_quoted(platform_file, "", name);
}

/// SimGrid's "Parse error at FILE:LINE: why", taken apart.
[[noreturn]] void refuse(const std::string& platform_file, const std::string& reason) {
  std::string why = one_line(reason);
  std::string where = platform_file;
  const std::size_t place = why.find(platform_file + ":");
  if (place != std::string::npos) {
    const std::size_t digits = place + platform_file.size() + 1;
    const std::size_t end = std::min(why.find_first_not_of("0123456789", digits), why.size());
    if (end > digits) where.append(":").append(why, digits, end - digits);
    why = why.substr(std::min(why.find_first_not_of(": ", end), why.size()));
  } else if (const std::size_t line = line_of_name(platform_file, why); line != 0) {
    where.append(":").append(std::to_string(line));
  }
  if (why.find("FILE IS TOO OLD") != std::string::npos || why.find("XML v3") != std::string::npos) {
    throw InputError(where,
                     "a SimGrid platform of version 3; convert it with simgrid_update_xml, or use "
                     "the one of version 4");
  }
  if (why.empty()) why = "SimGrid does not read it as a platform";
  throw InputError(where, why + "; correct the platform file");
}

/// SimGrid takes numbers that nothing can be computed with.
void check_links(const std::string& platform_file, const ProbedPlatform& platform) {
  for (const Link& link : platform.links) {
    const double bandwidth = link.bandwidth_bytes_per_s;
    const double latency = link.latency.value;
    if (std::isfinite(bandwidth) && bandwidth > 0.0 && std::isfinite(latency) && latency >= 0.0) {
      continue;
    }
    refuse(platform_file, "no usable bandwidth or latency of link '" + link.name + "'");
  }
}

void check_readable(const std::string& platform_file) {
  std::error_code error;
  const auto status = std::filesystem::status(platform_file, error);
  if (!std::filesystem::exists(status)) {
    throw InputError(platform_file, "no such file; give a SimGrid platform XML file");
  }
  if (!std::filesystem::is_regular_file(status) || ::access(platform_file.c_str(), R_OK) != 0) {
    throw InputError(platform_file, "cannot be read; give a SimGrid platform XML file");
  }
  if (std::filesystem::file_size(platform_file, error) == 0) {
    throw InputError(platform_file, "the file is empty; give a SimGrid platform XML file");
  }
  if (platform_file.ends_with(".so") || platform_file.ends_with(".dylib")) {
    throw InputError(platform_file, "a program, not a platform; give a SimGrid platform XML file");
  }
}

[[noreturn]] void refuse_missing_route(const std::string& platform_file, const Reading& reading) {
  const std::string& unit =
      reading.asked_from == reading.platform.master ? reading.asked_to : reading.asked_from;
  std::size_t line = line_of_quoted(platform_file, "<host", unit);
  if (line == 0) line = line_of_quoted(platform_file, "", unit);
  throw InputError(line == 0 ? platform_file : platform_file + ":" + std::to_string(line),
                   "no route from " + reading.asked_from + " to " + reading.asked_to +
                       "; add one to the platform");
}

}  // namespace

ProbedPlatform probe_with_simgrid(const std::string& platform_file,
                                  const std::function<bool(const ProbedHost&)>& wants_routes) {
  check_readable(platform_file);
  ChildProcess child([&](int fd) { return probe(fd, platform_file, wants_routes); });
  const ChildProcess::Outcome outcome = child.wait();
  Reading reading(outcome.output);
  if (reading.is_whole) {
    check_links(platform_file, reading.platform);
    return std::move(reading.platform);
  }
  if (!reading.asked_from.empty()) {
    refuse_missing_route(platform_file, reading);
  }
  if (!reading.thrown.empty()) refuse(platform_file, reading.thrown);
  if (!reading.said.empty()) refuse(platform_file, reading.said);
  throw InputError(platform_file, std::string("SimGrid crashed on it (") +
                                      (outcome.signal != 0 ? ::strsignal(outcome.signal) : "exit") +
                                      "); correct the platform file");
}

}  // namespace equipoise
