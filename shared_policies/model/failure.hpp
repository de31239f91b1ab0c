// The kinds of failure: a bug stops the program, bad input throws InputError, a machine that does
// not come up throws BackendError.
#pragma once

#include <stdexcept>
#include <string>

namespace equipoise {

/// Input that cannot be used. Thrown by readers and by `validate()`, caught in
/// tools/commands/command_line.cpp, which exits with code 2.
class InputError : public std::runtime_error {
 public:
  /// `where` is "FILE", "FILE:LINE", an option such as "--policy", or empty. `why` says what is
  /// wrong and, after a semicolon, what the user can do.
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

/// A machine, unit or simulated platform could not be started, or a module not opened. Thrown by
/// `Executor::run`, and where modules are opened.
class BackendError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Prints the condition that does not hold and aborts the program, in every build type.
[[noreturn]] void stop_on_bug(const char* condition, const char* why, const char* file, int line);

}  // namespace equipoise

/// Stops the program if `condition` does not hold. For conditions that only a bug can break.
#define EQ_CHECK(condition, why)      \
  ((condition) ? static_cast<void>(0) \
               : ::equipoise::stop_on_bug(#condition, why, __FILE__, __LINE__))
