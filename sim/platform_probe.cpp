// The child process loads the platform and tells its parent what is in it, host by host. The parent
// reads this, or finds out why the child failed.
#include "sim/platform_probe.hpp"

#include <poll.h>
#include <unistd.h>

#include <simgrid/s4u/Engine.hpp>
#include <simgrid/s4u/Host.hpp>
#include <simgrid/s4u/Link.hpp>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <map>
#include <new>
#include <optional>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "shared_policies/model/failure.hpp"
#include "shared_policies/records/archive.hpp"
#include "shared_policies/text/printable_text.hpp"
#include "sim/child_process.hpp"
#include "sim/memory_file.hpp"
#include "sim/sim_module.hpp"
#include "sim/simgrid_engine.hpp"

namespace equipoise {
namespace {

namespace s4u = simgrid::s4u;

/// The first message of a child.
struct Begin {
  std::string master;
  std::uint64_t hosts = 0;
};
/// SimGrid is asked for a route. Told before, because SimGrid may crash on the question.
struct Asking {
  std::string from;
  std::string to;
};
/// A host, and the links of its routes if these were asked for and exist.
struct HostFound {
  ProbedHost host;
  std::vector<Link> in;
  std::vector<Link> out;
};
/// Why the platform cannot be read.
struct Failure {
  bool is_full = false;  ///< the child ran out of memory
  std::string why;
};
/// All hosts were told.
struct End {
  bool transfers_add_up = true;
};
/// What a child tells its parent, in a pipe of their own.
using Message = std::variant<Begin, Asking, HostFound, Failure, End>;

/// Called in the child. Ends the process if the parent has closed the pipe.
void tell(int fd, const Message& message) {
  ArchiveWriter archive;
  archive(message);
  const std::string bytes = archive.take();
  archive(std::uint64_t{bytes.size()});
  if (!write_all(fd, archive.take() + bytes)) ::_exit(70);
}

/// What was received from the child so far.
struct Reading {
  ProbedPlatform platform;
  std::size_t hosts = 0;  ///< number of hosts to come in total
  bool is_whole = false;
  std::optional<Asking> asked;  ///< the last route asked for, of a host that was not told yet
  std::optional<Failure> failure;

  /// Processes what was received, which may end in the middle of a message.
  void read(const std::string& received) {
    rest_ += received;
    std::string_view left = rest_;
    for (std::uint64_t size = 0; left.size() >= sizeof size;) {
      ArchiveReader(left.substr(0, sizeof size))(size);
      if (left.size() - sizeof size < size) break;
      Message message;
      ArchiveReader(left.substr(sizeof size, size))(message);
      left.remove_prefix(sizeof size + size);
      std::visit([this](auto& one) { take(std::move(one)); }, message);
    }
    rest_.erase(0, rest_.size() - left.size());
  }

 private:
  void take(Begin begin) {
    platform.master = std::move(begin.master);
    hosts = begin.hosts;
  }
  void take(Asking asking) { asked = std::move(asking); }
  void take(HostFound found) {
    asked.reset();
    found.host.in = route_of(found.in);
    found.host.out = route_of(found.out);
    platform.hosts.push_back(std::move(found.host));
  }
  void take(Failure why) { failure = std::move(why); }
  void take(End end) {
    is_whole = true;
    platform.transfers_add_up = end.transfers_add_up;
  }

  Route route_of(const std::vector<Link>& links) {
    Route route;
    for (const Link& link : links) {
      const auto [place, is_new] =
          links_.try_emplace(link.name, static_cast<std::uint32_t>(platform.links.size()));
      if (is_new) platform.links.push_back(link);
      route.links.push_back(place->second);
    }
    return route;
  }

  std::string rest_;
  std::map<std::string, std::uint32_t> links_;  ///< positions by name
};

std::vector<Link> links_between(int fd, const s4u::Host* from, const s4u::Host* to) {
  tell(fd, Asking{from->get_name(), to->get_name()});
  std::vector<s4u::Link*> route;
  double latency = 0.0;
  if (from != to) {
    from->route_to(to, route, &latency);
    if (route.empty() && latency <= 0.0) throw std::runtime_error("No route");
  }
  std::vector<Link> links;
  for (const s4u::Link* link : route) {
    links.push_back({link->get_name(), link->get_bandwidth(), Seconds{link->get_latency()},
                     link->get_sharing_policy() != s4u::Link::SharingPolicy::FATPIPE});
  }
  return links;
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

/// What a child is asked to do.
struct Question {
  const PlatformSource& source;
  const std::function<bool(const ProbedHost&)>& wants_routes;
  MissingRoutes missing;
  bool carefully = false;  ///< try each route in its own process first, because SimGrid crashes on
                           ///< one
};

/// Whether SimGrid can be asked for the routes between `master` and `host` without crashing.
bool survives(const s4u::Host* master, const s4u::Host* host) {
  ChildProcess trial([&](int) {
    std::vector<s4u::Link*> links;
    double latency = 0.0;
    master->route_to(host, links, &latency);
    host->route_to(master, links, &latency);
    return 0;
  });
  return trial.wait().signal == 0;
}

void find_routes(int fd, const Question& question, const s4u::Host* master, const s4u::Host* host,
                 HostFound& found) {
  found.host.lacks_routes = question.carefully && master != host && !survives(master, host);
  if (found.host.lacks_routes) return;
  try {
    found.in = links_between(fd, master, host);
    found.out = links_between(fd, host, master);
    found.host.has_routes = true;
  } catch (const std::exception&) {
    if (question.missing == MissingRoutes::refuse) throw;
    found.in.clear();
    found.host.lacks_routes = true;
  }
}

void load_and_tell(int fd, const Question& question) {
  const EnginePtr engine = start_simgrid();
  std::vector<const s4u::Host*> hosts;  // in the order of the file; SimGrid lists them by name
  std::set<const s4u::Host*> seen;      // SimGrid reports all hosts again when it seals the
                                        // platform
  s4u::Host::on_creation_cb([&](const s4u::Host& host) {
    if (seen.insert(&host).second) hosts.push_back(&host);
  });
  load_platform(*engine, question.source);
  if (hosts.empty()) throw std::runtime_error("the platform has no host");
  std::vector<ProbedHost> described;
  for (const s4u::Host* host : hosts) described.push_back(describe(*host));
  const auto master = std::ranges::find_if(described, is_master);
  const auto position = master == described.end() ? 0 : master - described.begin();
  const s4u::Host* const master_host = hosts[static_cast<std::size_t>(position)];
  tell(fd, Begin{master_host->get_name(), hosts.size()});
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    HostFound found{described[i], {}, {}};
    if (question.wants_routes(found.host)) find_routes(fd, question, master_host, hosts[i], found);
    tell(fd, found);
  }
  tell(fd, End{transfers_add_up(question.source)});
  ::_exit(0);  // SimGrid's own cleanup may fail, too; it does not matter any more
}

/// Runs in the child. SimGrid prints into `messages`.
int probe(int fd, const MemoryFile& messages, const Question& question) {
  ::dup2(messages.fd(), STDOUT_FILENO);
  ::dup2(messages.fd(), STDERR_FILENO);
  try {
    load_and_tell(fd, question);
  } catch (const std::bad_alloc&) {
    tell(fd, Failure{true, ""});
  } catch (const std::exception& error) {
    tell(fd, Failure{false, error.what()});
  }
  ::_exit(1);
}

/// Makes one line of `text`: replaces white space and asterisks by single blanks, and removes the
/// lists that SimGrid adds and trailing punctuation. At most 300 characters.
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

/// The number of the first line that has `tag` and, after it, `name` in quotes; 0: none.
std::size_t line_of_quoted(const PlatformSource& source, const std::string& tag,
                           const std::string& name) {
  std::istringstream lines(source.xml);
  std::string line;
  for (std::size_t number = 1; std::getline(lines, line); ++number) {
    const std::size_t start = line.find(tag);
    if (start != std::string::npos && line.find('"' + name + '"', start) != std::string::npos) {
      return number;
    }
  }
  return 0;
}

/// The line with the name that `why` has in quotes, or else at its end; 0: none.
std::size_t line_of_name(const PlatformSource& source, const std::string& why) {
  const std::size_t quote = why.find('\'');
  const std::size_t blank = why.rfind(' ');
  std::string name = why.substr(blank == std::string::npos ? 0 : blank + 1);
  if (quote != std::string::npos)
    name = why.substr(quote + 1, why.find('\'', quote + 1) - quote - 1);
  return line_of_quoted(source, "", name);
}

/// Takes SimGrid's "Parse error at FILE:LINE: why" apart and throws it as InputError.
[[noreturn]] void refuse(const PlatformSource& source, const std::string& reason) {
  std::string why = one_line(reason);
  std::string where = source.file;
  const std::size_t place = why.find(MemoryFile::folder);
  if (place != std::string::npos) {
    const std::size_t colon = std::min(why.find(':', place), why.size() - 1);
    const std::size_t end = std::min(why.find_first_not_of("0123456789", colon + 1), why.size());
    if (end > colon + 1) where.append(":").append(why, colon + 1, end - colon - 1);
    why = why.substr(std::min(why.find_first_not_of(": ", end), why.size()));
  } else if (const std::size_t line = line_of_name(source, why); line != 0) {
    where.append(":").append(std::to_string(line));
  }
  if (why.find("FILE IS TOO OLD") != std::string::npos || why.find("XML v3") != std::string::npos) {
    throw InputError(where,
                     "a SimGrid platform of version 3; convert it with simgrid_update_xml, or use "
                     "the one of version 4");
  }
  if (why.empty()) why = "SimGrid does not read it as a platform";
  throw InputError(where, printable(why, 400) + "; correct the platform file");
}

/// Refuses numbers that SimGrid accepts although nothing can be computed with them.
void check_links(const PlatformSource& source, const ProbedPlatform& platform) {
  for (const Link& link : platform.links) {
    const double bandwidth = link.bandwidth_bytes_per_s;
    const double latency = link.latency.value;
    if (std::isfinite(bandwidth) && bandwidth > 0.0 && std::isfinite(latency) && latency >= 0.0) {
      continue;
    }
    refuse(source, "no usable bandwidth or latency of link '" + link.name + "'");
  }
}

/// The last route asked for, to or from the master, does not exist.
[[noreturn]] void refuse_missing_route(const PlatformSource& source, const Reading& reading) {
  const auto& [from, to] = reading.asked.value();
  const std::string& unit = from == reading.platform.master ? to : from;
  std::size_t line = line_of_quoted(source, "<host", unit);
  if (line == 0) line = line_of_quoted(source, "", unit);
  throw InputError(
      line == 0 ? source.file : source.file + ":" + std::to_string(line),
      "no route from " + printable(from) + " to " + printable(to) + "; add one to the platform");
}

[[noreturn]] void refuse_for_memory(const PlatformSource& source, const Reading& reading) {
  const std::string hosts =
      reading.hosts == 0 ? "" : " with " + std::to_string(reading.hosts) + " hosts";
  throw InputError(source.file,
                   "not enough memory on this machine for the platform" + hosts +
                       "; use fewer hosts, or describe them with <cluster> (zones with routing "
                       "Full or Floyd need 8 bytes and more for every pair of hosts)");
}

/// The end of a child that answered a question.
struct Answered {
  int signal = 0;    ///< the signal that killed it; 0: none
  std::string said;  ///< the beginning of SimGrid's messages
};

/// Runs a child that answers `question`.
Answered ask(const Question& question, Reading& reading, const ProbeWatch& watch) {
  constexpr std::size_t longest_message = std::size_t{64} << 10;
  const MemoryFile messages("");
  ChildProcess child([&](int fd) { return probe(fd, messages, question); });
  for (bool is_open = true; is_open;) {
    pollfd readable{child.read_fd(), POLLIN, 0};
    static_cast<void>(::poll(&readable, 1, 100));
    if (watch) watch(reading.platform.hosts.size(), reading.hosts);
    is_open = child.receive();
    reading.read(child.take_received());
  }
  const ChildProcess::Outcome outcome = child.wait();
  reading.read(outcome.output);
  return {outcome.signal, messages.text(longest_message)};
}

}  // namespace

ProbedPlatform probe_with_simgrid(const PlatformSource& source,
                                  const std::function<bool(const ProbedHost&)>& wants_routes,
                                  MissingRoutes missing, const ProbeWatch& watch) {
  Question question{source, wants_routes, missing};
  for (;;) {
    Reading reading;
    const auto [signal, said] = ask(question, reading, watch);
    if (reading.is_whole) {
      check_links(source, reading.platform);
      return std::move(reading.platform);
    }
    const Failure failure = reading.failure.value_or(Failure{});
    if (failure.is_full || signal == SIGKILL) refuse_for_memory(source, reading);
    if (reading.asked) {
      if (missing == MissingRoutes::refuse || question.carefully) {
        refuse_missing_route(source, reading);
      }
      question.carefully = true;  // start again
      continue;
    }
    if (!failure.why.empty()) refuse(source, failure.why);
    if (!said.empty()) refuse(source, said);
    throw InputError(source.file, std::string("SimGrid crashed on it (") +
                                      (signal != 0 ? ::strsignal(signal) : "exit") +
                                      "); correct the platform file");
  }
}

}  // namespace equipoise
