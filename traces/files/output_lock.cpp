// Locks outputs without waiting, so that who comes second is told at once.
#include "traces/files/output_lock.hpp"

#include <chrono>
#include <filesystem>
#include <system_error>

#include "shared_policies/model/failure.hpp"

namespace equipoise {

OutputLock::OutputLock(const std::string& file, EmptyFile if_empty, const std::string& option,
                       const std::string& others) {
  try {
    lock_ = std::make_unique<LockedFile>(file, std::chrono::milliseconds(0), if_empty);
  } catch (const LockHeld&) {
    throw InputError(option, others);
  } catch (const NoLocks&) {  // then two programs are the user's to keep apart
  }
}

OutputLock OutputLock::of_folder(const std::string& path, const std::string& option) {
  return {path + "/.lock", EmptyFile::removed, option,
          "another equipoise is writing to " + path +
              "; wait until it has ended, or give another folder"};
}

OutputLock OutputLock::of_file(const std::string& path, const std::string& option) {
  namespace fs = std::filesystem;
  std::error_code error;
  const bool is_there = fs::exists(path, error);
  if (path.empty() || (is_there && !fs::is_regular_file(path, error))) return {};
  return {
      path, is_there ? EmptyFile::kept : EmptyFile::removed, option,
      "another equipoise is writing " + path + "; wait until it has ended, or give another file"};
}

}  // namespace equipoise
