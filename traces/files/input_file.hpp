// Opens input files, and prevents that an output is written over one of them.
#pragma once

#include <cstddef>
#include <fstream>
#include <istream>
#include <string>

namespace equipoise {

/// Remembers the file at `path`, if it exists, as an input of this program. Files are identified by
/// device and inode, so all paths to a file count. Must be called for every user's file that is
/// opened. For a file that is read only later, it must be called before anything is written.
void remember_input(const std::string& path);
/// Allows that an output is written over the file at `path`: it was read to be replaced by what was
/// in it and more.
void forget_input(const std::string& path);

/// Forgets all inputs: for the next run of a library.
void forget_inputs();

/// Opens the file at `path` and remembers it. Accepts regular files and unnamed pipes (`<(...)`,
/// /dev/stdin). Throws InputError at `path` if the file does not exist or cannot be read, and for
/// folders, devices and named pipes, which may never end or never begin. `advice` says in the
/// message what to do: "give a trace". A pipe is read to its end when it is first opened, and its
/// contents are kept, so that it can be opened again by any of its names; more than 1 GiB of them
/// are refused.
[[nodiscard]] std::ifstream open_input(const std::string& path, const std::string& advice);

/// Files that are read as a whole may have this many bytes unless a caller allows less.
inline constexpr std::size_t longest_input = std::size_t{1} << 30;

/// Returns the whole file. Throws like `open_input`, and for files of more than `most` bytes.
[[nodiscard]] std::string read_input(const std::string& path, const std::string& advice,
                                     std::size_t most = longest_input);

/// Reads the next line without its line end, like std::getline. Returns false if there is none;
/// `in.eof()` is true if the line has no line end. Throws InputError at `path` and `line` for a
/// line of more than 64 MiB.
[[nodiscard]] bool next_line(std::istream& in, std::string& text, const std::string& path,
                             std::size_t line);

/// Throws InputError at `where` (an option, or `path`) if writing a file at `path` would replace a
/// file that was read. The message names both.
void expect_no_input(const std::string& path, const std::string& where);

}  // namespace equipoise
