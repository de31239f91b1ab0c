// Estimates SimGrid's tables of routes, and reads what is free from the system.
#include "platforms/route_tables.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <fstream>
#include <limits>

namespace equipoise {
namespace {

constexpr double mib = 1024.0 * 1024.0;
constexpr double always_there = 64.0 * mib;

/// For each pair: a pointer to the route; Floyd also has a cost and a predecessor.
double bytes_of_pair(std::string_view routing) {
  if (routing == "Full") return 8.0;
  return routing == "Floyd" ? 24.0 : 0.0;
}

/// What is free on the machine, or the limit of this process (`ulimit -v`). Infinite where the
/// machine does not say.
double free_bytes() {
  double bytes = std::numeric_limits<double>::infinity();
  std::ifstream file("/proc/meminfo");
  double kibibytes = 0.0;
  for (std::string word; file >> word;) {
    if (word == "MemAvailable:" && file >> kibibytes) bytes = kibibytes * 1024.0;
  }
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
    bytes = std::min(bytes, static_cast<double>(limit.rlim_cur));
  }
  return bytes;
}

}  // namespace

std::string RouteTables::refusal_of(std::string_view routing, double vertices) {
  const double bytes = bytes_of_pair(routing) * vertices * vertices;
  bytes_ += bytes;
  if (bytes_ <= always_there || bytes == 0.0) return "";
  const double free = free_bytes();
  if (bytes_ <= free) return "";
  const double gib = 1024.0 * mib;
  return fmt::format(
      "SimGrid needs {:.1f} GiB for the routes of {:.0f} hosts and zones with routing {} ({:.0f} "
      "bytes for every pair), and {:.1f} GiB are free; divide the hosts among several zones, or "
      "describe them with <cluster>",
      bytes_ / gib, vertices, routing, bytes_of_pair(routing), free / gib);
}

}  // namespace equipoise
