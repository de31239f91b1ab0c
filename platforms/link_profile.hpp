// Profiles by which bandwidths and latencies of links change, in SimGrid's format.
#pragma once

#include <string>

namespace equipoise {

/// Checks the text of a profile: lines of `TIME VALUE`, times from 0 on and not falling, values of
/// at least `least`; optionally PERIODICITY or LOOPAFTER seconds; empty lines and those that begin
/// with # or % are left out. `periodicity_s` > 0 says the same as a line PERIODICITY. Throws
/// InputError at `where`:LINE, the first line of the text being `first_line`, for what SimGrid would
/// die of, and for its random profiles (STOCHASTIC): a repetition would have the same luck whatever
/// the seed.
/// Gives the least of its values.
double check_link_profile(const std::string& text, double periodicity_s, double least,
                          const std::string& where, int first_line);

/// The file that SimGrid finds under `name` for the platform `platform_file`: an absolute name, or
/// one in the working folder, or one beside the platform. Throws InputError at `where` when there is
/// none, or it is no regular file.
[[nodiscard]] std::string find_profile(const std::string& name, const std::string& platform_file,
                                       const std::string& where);

/// The text of a file that `find_profile` found.
[[nodiscard]] std::string profile_text(const std::string& file);

/// A spelling of `file` that SimGrid opens from every folder: it takes no absolute names.
[[nodiscard]] std::string from_any_folder(const std::string& file);

}  // namespace equipoise
