// Files that are read: how they are opened, and that nothing is written over them.
#pragma once

#include <cstddef>
#include <fstream>
#include <istream>
#include <string>

namespace equipoise {

/// Remembers the file at `path`, if there is one, as one that this program reads. Files are told
/// apart by device and inode, so every path to it counts. Whoever opens a file of a user calls it;
/// a file that is only named, and read later, is remembered by it before anything is written.
void remember_input(const std::string& path);

/// Opens the file at `path`, and remembers it. A regular file or a pipe that somebody writes
/// (`<(...)`, /dev/stdin). Throws InputError at `path` for what is not there or cannot be read, and
/// for folders, devices and named pipes, which may never end or never begin; `cure` says what to do:
/// "give a trace".
[[nodiscard]] std::ifstream open_input(const std::string& path, const std::string& cure);

/// The whole file. Throws as `open_input` does, and for more than 1 GiB.
[[nodiscard]] std::string read_input(const std::string& path, const std::string& cure);

/// The next line without its end, as std::getline: false where there is none, and `in.eof()` where
/// no line end followed. Throws InputError at `path` and `line` for one of more than 64 MiB.
[[nodiscard]] bool next_line(std::istream& in, std::string& text, const std::string& path,
                             std::size_t line);

/// Throws InputError at `where` (an option, or `path`) if a file that is written at `path` would
/// take the place of one that was read; names both.
void expect_no_input(const std::string& path, const std::string& where);

}  // namespace equipoise
