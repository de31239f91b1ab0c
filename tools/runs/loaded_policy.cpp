// Opens libraries with policies, after a look at what they were compiled for, and keeps what their
// policies throw apart from what the run throws.
#include "tools/runs/loaded_policy.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "shared_policies/model/failure.hpp"
#include "shared_policies/model/printable_text.hpp"
#include "shared_policies/policies/policy_library.hpp"
#include "tools/runs/content_hash.hpp"
#include "traces/files/input_file.hpp"

namespace equipoise {
namespace {

namespace fs = std::filesystem;

constexpr const char* advice =
    "give the path of a library that was built in a folder which 'equipoise new policy' wrote";

/// To be called where something of the library at `file` has thrown. Throws InputError, which says
/// `when` that was; passes on refusals of parameters and modules that cannot be opened.
[[noreturn]] void refuse_what_it_threw(const std::string& file, const std::string& when) {
  const auto refuse = [&](const std::string& what) {
    throw InputError(file, fmt::format("threw while {}: {}; correct the policy", when, what));
  };
  try {
    throw;
  } catch (const InputError&) {
    throw;
  } catch (const BackendError&) {
    throw;
  } catch (const std::exception& thrown) {
    refuse(printable(thrown.what()));
  } catch (...) {
    refuse("something that is no std::exception");
  }
  stop_on_bug("false", "refuse always throws", __FILE__, __LINE__);
}

/// Throws InputError unless a library with these contents was compiled for this program.
void expect_compiled_for_us(const std::string& file, std::string_view contents) {
  constexpr std::string_view elf(
      "\x7f"
      "ELF");
  if (!contents.starts_with(elf)) {
    throw InputError(file, fmt::format("is no shared library; {}", advice));
  }
  const std::string_view begin = EQUIPOISE_POLICY_STAMP_BEGIN;
  const std::size_t at = contents.find(begin);
  if (at == std::string_view::npos) {
    throw InputError(file, fmt::format("has no policy: it was compiled without "
                                       "shared_policies/policies/policy_library.hpp, or does not "
                                       "define equipoise_policy; {}",
                                       advice));
  }
  std::string_view stamp = contents.substr(at + begin.size());
  stamp = stamp.substr(0, stamp.find('\0'));
  if (stamp == EQUIPOISE_POLICY_STAMP) return;
  throw InputError(file,
                   fmt::format("was built for {}; this program is {}; build the library again "
                               "with this program's headers",
                               printable(stamp), EQUIPOISE_POLICY_STAMP));
}

/// The function that the library exports.
decltype(&equipoise_policy) opened(const std::string& file) {
  void* library = nullptr;
  try {
    library = ::dlopen(fs::absolute(file).c_str(), RTLD_NOW | RTLD_LOCAL);
  } catch (...) {
    refuse_what_it_threw(file, "it was opened");
  }
  if (library == nullptr) {
    throw InputError(file, fmt::format("cannot be opened: {}; build it again, linked with all that "
                                       "it needs",
                                       printable(::dlerror(), 400)));
  }
  void* const function = ::dlsym(library, "equipoise_policy");
  if (function == nullptr) {
    throw InputError(file, fmt::format("exports no function equipoise_policy; define it as "
                                       "shared_policies/policies/policy_library.hpp says"));
  }
  return reinterpret_cast<decltype(&equipoise_policy)>(function);
}

bool is_policy_name(const std::string& name) {
  return !name.empty() && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  });
}

/// Why a policy that calls itself so cannot be used; empty if it can.
std::string why_not_used(const PolicyInfo& info) {
  const auto is_ours = [&](const PolicyInfo& row) { return row.name == info.name; };
  if (!is_policy_name(info.name)) {
    return fmt::format("its policy is called '{}'; name it with small letters, digits and -",
                       printable(info.name));
  }
  if (std::ranges::any_of(policy_catalog(), is_ours)) {
    return fmt::format("its policy is called {}, as one of Equipoise's own; give it another name",
                       info.name);
  }
  if (info.make == nullptr) return "its policy has no function `make`; give it one";
  return {};
}

PolicyInfo info_of(const std::string& file) {
  const PolicyLibrary* library = nullptr;
  PolicyInfo info;
  const auto function = opened(file);
  try {
    library = function();
    if (library != nullptr && library->info != nullptr) info = library->info();
  } catch (...) {
    refuse_what_it_threw(file, "it told of its policy");
  }
  if (library == nullptr || library->info == nullptr) {
    throw InputError(file,
                     "its function equipoise_policy tells of no policy; let it return one as "
                     "shared_policies/policies/policy_library.hpp says");
  }
  if (const std::string why = why_not_used(info); !why.empty()) throw InputError(file, why);
  add_preset_parameter(info);
  return info;
}

/// Passes decisions on and remembers whether one of them has failed.
class WatchedDecisions final : public Decisions {
 public:
  explicit WatchedDecisions(Decisions& to) : to_(to) {}

  void decided(const Decision& decision) override {
    watch([&] { to_.decided(decision); });
  }
  void note(const std::string& what) override {
    watch([&] { to_.note(what); });
  }
  [[nodiscard]] bool has_failed() const { return has_failed_; }

 private:
  Items grant(UnitId unit, Items items, BlockTag tag, std::uint32_t group) override {
    Items granted = 0;
    watch([&] { granted = to_.assign(unit, items, tag, group); });
    return granted;
  }
  void wake(Seconds at, std::uint64_t timer) override {
    watch([&] { to_.set_timer(at, timer); });
  }
  template <class Act>
  void watch(const Act& act) {
    has_failed_ = true;
    act();
    has_failed_ = false;
  }

  Decisions& to_;
  bool has_failed_ = false;
};

/// A policy of a library.
class PolicyOfLibrary final : public Policy {
 public:
  PolicyOfLibrary(std::string file, std::unique_ptr<Policy> policy)
      : file_(std::move(file)), policy_(std::move(policy)) {}

  void decide(const View& view, const Event& event, Decisions& decisions) override {
    WatchedDecisions watched(decisions);
    try {
      policy_->decide(view, event, watched);
    } catch (...) {
      if (watched.has_failed()) throw;
      refuse_what_it_threw(file_, fmt::format("it decided at {} s", event.at.value));
    }
  }

 private:
  std::string file_;
  std::unique_ptr<Policy> policy_;
};

}  // namespace

bool is_policy_library(const std::string& name) {
  return name.find('/') != std::string::npos || name.ends_with(".so");
}

const LoadedPolicy& load_policy(const std::string& file) {
  static std::map<std::string, LoadedPolicy> loaded;  // by absolute path
  const std::string place = fs::absolute(file).lexically_normal().string();
  const auto known = loaded.find(place);
  if (known != loaded.end()) return known->second;
  const std::string contents = read_input(file, advice);
  expect_compiled_for_us(file, contents);
  ContentHash hash;
  hash.add(contents);
  return loaded.emplace(place, LoadedPolicy{info_of(file), hash.text()}).first->second;
}

std::unique_ptr<Policy> make_loaded_policy(const PolicyInfo& info, const std::string& file,
                                           const PolicyInputs& inputs) {
  std::unique_ptr<Policy> policy;
  try {
    policy = make_policy(info, inputs);
  } catch (...) {
    refuse_what_it_threw(file, "its policy was made");
  }
  if (policy == nullptr) {
    throw InputError(file, "its function `make` makes no policy; let it return one");
  }
  return std::make_unique<PolicyOfLibrary>(file, std::move(policy));
}

}  // namespace equipoise
