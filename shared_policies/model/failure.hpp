// What can go wrong, and how it is said: bugs stop, bad input throws, machines throw before a run.
#pragma once

#include <stdexcept>
#include <string>

namespace equipoise {

/// Input that cannot be used. Thrown by readers and by `validate()`, caught in
/// tools/commands/command_line.cpp, where it becomes exit code 2.
class InputError : public std::runtime_error {
 public:
  /// `where` is "FILE", "FILE:LINE", an option such as "--policy", or empty; `why` says what is
  /// wrong and, behind a semicolon, what to do.
  InputError(std::string where, std::string why)
      : std::runtime_error(where.empty() ? why : where + ": " + why),
        where_(std::move(where)),
        why_(std::move(why)) {}

  [[nodiscard]] const std::string& where() const { return where_; }
  [[nodiscard]] const std::string& why() const { return why_; }

 private:
  std::string where_;
  std::string why_;
};

/// A machine, a unit or a simulated platform that does not come up. Thrown by `Executor::run`.
class BackendError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Says which condition of ours did not hold and stops the program, in every build type.
[[noreturn]] void stop_on_bug(const char* condition, const char* why, const char* file, int line);

}  // namespace equipoise

/// Stops the program when a condition that only a bug can break does not hold.
#define EQ_CHECK(condition, why)      \
  ((condition) ? static_cast<void>(0) \
               : ::equipoise::stop_on_bug(#condition, why, __FILE__, __LINE__))
