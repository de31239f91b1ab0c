// Profiles that change the bandwidths and latencies of links over time, in SimGrid's format.
#pragma once

#include <cstddef>
#include <string>

namespace equipoise {

/// The smallest and the greatest value of a profile.
struct ProfileRange {
  double least = 0.0;
  double greatest = 0.0;
};

/// Checks the text of a profile: lines of `TIME VALUE`, with times >= 0 that do not fall and values
/// of at least `least`; optionally PERIODICITY or LOOPAFTER with seconds. Empty lines and lines
/// that begin with # or % are skipped. `periodicity_s` > 0 means the same as a line PERIODICITY.
/// Throws InputError at `where`:LINE (the first line of the text is `first_line`) for everything
/// that would make SimGrid abort, for control characters other than tabs and line ends, and for its
/// random profiles (STOCHASTIC), because they would be the same in all repetitions, whatever the
/// seed.
ProfileRange check_link_profile(const std::string& text, double periodicity_s, double least,
                                const std::string& where, int first_line);

/// The file that SimGrid would use for `name` in the platform `platform_file`: an absolute path, a
/// file in the working folder, or one beside the platform. Throws InputError at `where` if there is
/// none or it is not a regular file.
[[nodiscard]] std::string find_profile(const std::string& name, const std::string& platform_file,
                                       const std::string& where);

/// The text of a file that `find_profile` found. Throws like `read_input`, and for more than
/// `most_profile_bytes`.
[[nodiscard]] std::string profile_text(const std::string& file);

/// The most bytes of all profiles of a platform together.
constexpr std::size_t most_profile_bytes = std::size_t{64} << 20;

}  // namespace equipoise
