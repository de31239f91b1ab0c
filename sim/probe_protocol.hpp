// The protocol by which a probe's child process describes a platform to its parent: lines of fields
// in a pipe.
//
// SimGrid prints its messages into the same pipe. Lines of the protocol begin with a byte that
// nothing else prints; all other lines are SimGrid's and give the reason of a failure. Fields are
// separated by tabs and escaped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sim/platform_probe.hpp"

namespace equipoise {

/// Called in the child: writes one line, or ends the process if the parent has closed the pipe.
void tell(int fd, const char* what, const std::vector<std::string>& fields);

/// What was received from the child so far.
class Reading {
 public:
  /// Processes received text, which may end in the middle of a line.
  void read(const std::string& output);

  /// To be called after the last text.
  void finish() { read("\n"); }

  ProbedPlatform platform;
  std::size_t hosts = 0;  ///< number of hosts to come in total
  bool is_whole = false;
  bool is_full = false;    ///< the child ran out of memory
  std::string asked_from;  ///< the last route asked for
  std::string asked_to;
  std::string thrown;
  std::string said;  ///< messages of SimGrid

 private:
  void read_line(std::string_view line);

  void take(const std::vector<std::string>& fields);

  std::uint32_t link(const std::vector<std::string>& fields);

  void take_lacking();

  std::string rest_;
  std::map<std::string, std::uint32_t> links_;
};

}  // namespace equipoise
