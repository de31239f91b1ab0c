// How a probe's child tells its parent of a platform: lines of fields in a pipe.
//
// Lines of ours begin with a byte that nothing else prints, so that whatever SimGrid says, which goes
// into the same pipe, is what is left: the reason. Fields are separated by tabs and escaped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sim/platform_probe.hpp"

namespace equipoise {

/// In the child: writes one line, or ends the process when nobody listens any more.
void tell(int fd, const char* what, const std::vector<std::string>& fields);

/// What the child told, as far as it came.
class Reading {
 public:
  /// Takes in what came; the end of it may be half a line.
  void read(const std::string& output);

  /// After the last of it.
  void finish() { read("\n"); }

  ProbedPlatform platform;
  std::size_t hosts = 0;  ///< how many there will be
  bool is_whole = false;
  bool is_full = false;    ///< no memory
  std::string asked_from;  ///< the route that was asked for last
  std::string asked_to;
  std::string thrown;
  std::string said;  ///< by SimGrid

 private:
  void read_line(std::string_view line);

  void take(const std::vector<std::string>& fields);

  std::uint32_t link(const std::vector<std::string>& fields);

  void take_lacking();

  std::string rest_;
  std::map<std::string, std::uint32_t> links_;
};

}  // namespace equipoise
