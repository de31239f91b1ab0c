// Turns exceptions into messages and exit codes.
#include "tools/commands/failures.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <filesystem>
#include <new>

#include "shared_policies/model/failure.hpp"
#include "tools/console/console.hpp"

namespace equipoise {
namespace {

constexpr int unusable_input = 2;
constexpr int work_failed = 1;

/// Whether an error stands at a setting that libraries call by its name: they do not know that it
/// is an option here.
bool is_setting(const std::string& where) {
  constexpr std::array settings = {"policy", "sizes", "unit", "workload"};
  return std::ranges::find(settings, where) != settings.end() && !std::filesystem::exists(where);
}

}  // namespace

CommandFailure command_failure() {
  try {
    throw;
  } catch (const InputError& error) {
    return {(is_setting(error.where()) ? "--" : "") + std::string(error.what()), unusable_input};
  } catch (const Interrupted& stop) {
    return {"interrupted", 128 + stop.signal()};
  } catch (const std::bad_alloc&) {
    return {
        "there is not enough memory for this; free some, raise the limit (ulimit -v), or give "
        "smaller inputs",
        work_failed};
  } catch (const std::exception& failure) {
    if (stop_signal() != 0) return {"interrupted", 128 + stop_signal()};
    return {failure.what(), work_failed};
  } catch (...) {
    return {"something was thrown that is no std::exception", work_failed};
  }
}

}  // namespace equipoise
