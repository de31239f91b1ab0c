// Follows links one by one, because the file at their end need not be there.
#include "traces/files/output_target.hpp"

#include <linux/magic.h>
#include <sys/vfs.h>

#include <filesystem>
#include <system_error>

namespace equipoise {
namespace {

namespace fs = std::filesystem;

/// Whether the link lies in /proc, where it stands for an open file whatever its text says.
bool is_of_kernel(const fs::path& link) {
  struct statfs where = {};
  const fs::path folder = link.has_parent_path() ? link.parent_path() : ".";
  return ::statfs(folder.c_str(), &where) == 0 && where.f_type == PROC_SUPER_MAGIC;
}

}  // namespace

std::string target_of_links(const std::string& path) {
  constexpr int most_links = 40;  // as many as Linux follows
  fs::path at = path;
  for (int links = 0; links < most_links; ++links) {
    std::error_code error;
    if (!fs::is_symlink(at, error)) return at.string();
    if (is_of_kernel(at)) return at.string();
    const fs::path next = fs::read_symlink(at, error);
    if (error) return at.string();
    at = at.parent_path() / next;  // an absolute one replaces the folder
  }
  return path;
}

}  // namespace equipoise
