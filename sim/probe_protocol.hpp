// The protocol by which a probe's child process describes a platform to its parent: lines of fields
// in a pipe of their own. Fields are separated by tabs and escaped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sim/platform_probe.hpp"

namespace equipoise {

/// Called in the child: writes one line, or ends the process if the parent has closed the pipe.
void tell(int fd, const char* what, const std::vector<std::string>& fields);

/// What was received from the child so far.
class Reading {
 public:
  /// Processes received text, which may end in the middle of a line. Nothing is read after a line
  /// that is not of the protocol.
  void read(const std::string& output);

  ProbedPlatform platform;
  std::size_t hosts = 0;  ///< number of hosts to come in total
  bool is_whole = false;
  bool is_full = false;       ///< the child ran out of memory
  bool is_malformed = false;  ///< there was a line that is not of the protocol
  std::string asked_from;     ///< the last route asked for
  std::string asked_to;
  std::string thrown;

 private:
  /// Returns false if the line is not of the protocol.
  [[nodiscard]] bool take(const std::vector<std::string>& fields);
  void take_of_host(const std::vector<std::string>& fields);
  [[nodiscard]] bool take_link(const std::vector<std::string>& fields);

  std::string rest_;
  std::map<std::string, std::uint32_t> links_;
};

}  // namespace equipoise
