// Opens input files and remembers which ones were read.
#include "traces/files/input_file.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <map>
#include <optional>
#include <stdexcept>
#include <utility>

#include "shared_policies/model/failure.hpp"

namespace equipoise {
namespace {

constexpr std::size_t longest_line = std::size_t{64} << 20;
constexpr auto pipes_without_a_name = 0x50495045;  // PIPEFS_MAGIC of <linux/magic.h>

using FileId = std::pair<dev_t, ino_t>;

/// The files that were read, with the path by which each was read first.
std::map<FileId, std::string>& inputs() {
  static std::map<FileId, std::string> files;
  return files;
}

/// Information about the file at `path`; symbolic links are followed.
std::optional<struct stat> find(const std::string& path) {
  struct stat found = {};
  if (::stat(path.c_str(), &found) != 0) return std::nullopt;
  return found;
}

FileId id_of(const struct stat& file) { return {file.st_dev, file.st_ino}; }

/// The path by which `file` was read first; nothing if it was not, or if another file of that
/// number was, which is no longer there.
std::optional<std::string> name_as_input(const struct stat& file) {
  const auto read = inputs().find(id_of(file));
  if (read == inputs().end()) return std::nullopt;
  const auto now = find(read->second);
  return now && id_of(*now) == id_of(file) ? std::optional(read->second) : std::nullopt;
}

/// Why a file of this kind cannot be read; empty if it can.
std::string why_not_read(const std::string& path, const struct stat& file) {
  if (S_ISREG(file.st_mode)) return {};
  if (S_ISDIR(file.st_mode)) return "is a folder";
  if (!S_ISFIFO(file.st_mode)) return "is a device, which may never end";
  struct statfs where = {};
  const bool has_writer =
      ::statfs(path.c_str(), &where) == 0 && where.f_type == pipes_without_a_name;
  return has_writer ? std::string() : "is a named pipe, which may never be written";
}

/// What to do about a missing file: `advice`, unless it is one of the examples that are installed
/// with this program.
std::string advice_for_missing(const std::string& path, const std::string& advice) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  const fs::path examples = program.parent_path().parent_path() / "share/equipoise";
  const std::string folder = fs::path(path).begin() == fs::path(path).end()
                                 ? std::string()
                                 : fs::path(path).begin()->string();
  if (folder.empty() || fs::path(path).is_absolute()) return advice;
  if (!fs::is_regular_file(examples / path, error)) {
    const bool is_of_manual =
        folder == "platforms" || folder == "traces" || folder == "tools" || folder == "docs";
    if (!is_of_manual || fs::exists(folder, error)) return advice;
    return fmt::format(
        "{}; there is no folder {} here: commands of the manual are typed in the folder of the "
        "sources, or where share/equipoise was copied",
        advice, folder);
  }
  return fmt::format("it is one of the examples in {0}: type the command there, or give {0}/{1}",
                     examples.string(), path);
}

std::ifstream open_file(const std::string& file, const std::string& path,
                        const std::string& advice) {
  std::ifstream in(file, std::ios::binary);
  if (in) return in;
  throw InputError(path, fmt::format("cannot be read: {}; {}", std::strerror(errno), advice));
}

std::string read_to_end(std::ifstream in, const std::string& path, const std::string& advice,
                        std::size_t most) {
  std::string text;
  std::string chunk(std::size_t{1} << 16, '\0');
  while (in) {
    in.read(chunk.data(), static_cast<std::streamsize>(chunk.size()));
    text.append(chunk, 0, static_cast<std::size_t>(in.gcount()));
    if (text.size() > most) {
      throw InputError(path, fmt::format("is longer than {} bytes; {}", most, advice));
    }
  }
  if (in.bad()) throw InputError(path, "cannot be read to its end; " + advice);
  return text;
}

/// Reads the pipe at `path` to its end, unless that was done before, and returns the path of a file
/// in memory with its contents. The file stays open, so that it lasts as long as this process.
std::string kept_pipe(const std::string& path, const struct stat& pipe, const std::string& advice) {
  static std::map<FileId, std::string> kept;
  std::string& copy = kept[FileId{pipe.st_dev, pipe.st_ino}];
  if (!copy.empty()) return copy;
  const std::string text = read_to_end(open_file(path, path, advice), path, advice, longest_input);
  const int fd = ::memfd_create("pipe", MFD_CLOEXEC);
  const std::string place = fmt::format("/proc/self/fd/{}", fd);
  if (fd < 0 || !(std::ofstream(place, std::ios::binary) << text).flush()) {
    throw std::runtime_error(fmt::format("{}: cannot be kept in memory: {}; give a file instead",
                                         path, std::strerror(errno)));
  }
  return copy = place;
}

/// The next character of `buffer`, or the end. Throws InputError if reading fails.
std::streambuf::int_type next_char(std::streambuf& buffer, const std::string& path,
                                   std::size_t line) {
  try {
    return buffer.sbumpc();
  } catch (const std::ios_base::failure& failure) {
    throw InputError(
        fmt::format("{}:{}", path, line),
        fmt::format("cannot be read: {}; give a file that can", failure.code().message()));
  }
}

}  // namespace

void remember_input(const std::string& path) {
  const std::optional<struct stat> file = find(path);
  if (file && S_ISREG(file->st_mode) && !name_as_input(*file)) inputs()[id_of(*file)] = path;
}

void forget_inputs() { inputs().clear(); }

void forget_input(const std::string& path) {
  if (const auto file = find(path)) inputs().erase(id_of(*file));
}

std::ifstream open_input(const std::string& path, const std::string& advice) {
  const std::optional<struct stat> file = find(path);
  if (!file) {
    if (errno == ENOENT) {
      throw InputError(path, "no such file; " + advice_for_missing(path, advice));
    }
    throw InputError(path, fmt::format("cannot be read: {}; {}", std::strerror(errno), advice));
  }
  const std::string why = why_not_read(path, *file);
  if (!why.empty()) throw InputError(path, why + "; " + advice);
  remember_input(path);
  const bool is_pipe = S_ISFIFO(file->st_mode);
  return open_file(is_pipe ? kept_pipe(path, *file, advice) : path, path, advice);
}

std::string read_input(const std::string& path, const std::string& advice, std::size_t most) {
  return read_to_end(open_input(path, advice), path, advice, most);
}

bool next_line(std::istream& in, std::string& text, const std::string& path, std::size_t line) {
  using Traits = std::istream::traits_type;
  text.clear();
  std::streambuf& buffer = *in.rdbuf();
  for (;;) {
    const Traits::int_type c = next_char(buffer, path, line);
    if (Traits::eq_int_type(c, Traits::eof())) {
      in.setstate(text.empty() ? std::ios::eofbit | std::ios::failbit : std::ios::eofbit);
      return !text.empty();
    }
    if (Traits::to_char_type(c) == '\n') return true;
    if (text.size() == longest_line) {
      throw InputError(
          fmt::format("{}:{}", path, line),
          fmt::format("a line of more than {} bytes; is this the right file?", longest_line));
    }
    text.push_back(Traits::to_char_type(c));
  }
}

void expect_no_input(const std::string& path, const std::string& where) {
  const std::optional<struct stat> file = find(path);
  if (!file) return;
  const auto read = name_as_input(*file);
  if (!read) return;
  throw InputError(where, fmt::format("{} is read by this command{}; give another file", path,
                                      *read == path ? "" : ", as " + *read));
}

}  // namespace equipoise
