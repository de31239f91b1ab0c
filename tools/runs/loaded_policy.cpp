// Opens libraries with policies, after a look at what they were compiled for, and keeps what their
// policies throw apart from what the run throws.
#include "tools/runs/loaded_policy.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <filesystem>
#include <map>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "shared_policies/model/failure.hpp"
#include "shared_policies/policies/policy_library.hpp"
#include "shared_policies/text/printable_text.hpp"
#include "tools/runs/content_hash.hpp"
#include "tools/runs/policy_call.hpp"
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

/// The library at `file` for watched calls. It lives as long as the process.
const WatchedLibrary& watched_library(const std::string& file, double limit_s) {
  static std::map<std::pair<std::string, double>, WatchedLibrary> known;
  return known.try_emplace({file, limit_s}, file, limit_s).first->second;
}

/// The function that the library exports.
decltype(&equipoise_policy) opened(const std::string& file) {
  void* library = nullptr;
  try {
    const PolicyCall call(watched_library(file, PolicyInfo().answer_limit_s));
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
  constexpr const char* allowed = "abcdefghijklmnopqrstuvwxyz0123456789-";
  return !name.empty() && name.find_first_not_of(allowed) == std::string::npos;
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
  if (std::ranges::find(info.parameters, "backup", &ParameterInfo::name) != info.parameters.end()) {
    return "its policy has a parameter called backup, as every policy has; give it another name";
  }
  if (info.make == nullptr) return "its policy has no function `make`; give it one";
  if (!(info.answer_limit_s > 0.0)) return "its answer_limit_s is not above 0; give it seconds";
  return {};
}

PolicyInfo info_of(const std::string& file) {
  const PolicyLibrary* library = nullptr;
  PolicyInfo info;
  const auto function = opened(file);
  try {
    const PolicyCall call(watched_library(file, info.answer_limit_s));
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
  add_common_parameters(info);
  return info;
}

/// Passes decisions on, unless they are about units that are not there, and remembers whether one
/// of them has failed.
class WatchedDecisions final : public Decisions {
 public:
  WatchedDecisions(Decisions& to, std::size_t units, const std::string& file)
      : to_(to), units_(units), file_(file) {}

  void decided(const Decision& decision) override {
    watch([&] {
      if (decision.unit) expect_known(*decision.unit, "reported a decision of");
      for (const UnitEstimate& of : decision.estimates)
        expect_known(of.unit, "estimated the cost of");
      to_.decided(decision);
    });
  }
  void note(const std::string& what) override {
    watch([&] { to_.note(what); });
  }
  /// Lets `policy`, whose code is in `library`, decide.
  void let_decide(Policy& policy, const WatchedLibrary& library, const View& view,
                  const Event& event) {
    static const bool is_first = notice_exit_first();  // SimGrid was opened after the policy was
    static_cast<void>(is_first);
    PolicyCall call(library);
    call_ = &call;
    policy.decide(view, event, *this);
  }
  /// Throws again what a decision threw, which the policy may have kept to itself.
  void rethrow_failure() const {
    if (failure_ != nullptr) std::rethrow_exception(failure_);
  }

 private:
  Items grant(UnitId unit, Items items, BlockTag tag, std::uint32_t group) override {
    return watch([&] {
      expect_known(unit, "assigned items to");
      return to_.assign(unit, items, tag, group);
    });
  }
  bool withdraw(UnitId unit, std::uint64_t block) override {
    return watch([&] {
      expect_known(unit, "took a block back from");
      return to_.take_back(unit, block);
    });
  }
  Items grant_copy(std::uint64_t block, UnitId of, UnitId unit) override {
    return watch([&] {
      expect_known(of, "gave a copy of a block of");
      expect_known(unit, "gave a copy of a block to");
      return to_.give_twice(block, of, unit);
    });
  }
  bool send_probe(UnitId unit, double bytes_there, std::optional<double> bytes_back,
                  std::uint64_t number) override {
    return watch([&] {
      expect_known(unit, "probed");
      return to_.probe(unit, bytes_there, bytes_back, number);
    });
  }
  void wake(Seconds at, std::uint64_t timer) override {
    watch([&] { to_.set_timer(at, timer); });
  }
  /// Does what a decision asks for, and remembers what that throws.
  template <class Act>
  std::invoke_result_t<Act> watch(const Act& act) {
    const PolicyCall::Pause pause(*call_);
    try {
      return act();
    } catch (...) {
      failure_ = std::current_exception();
      throw;
    }
  }
  /// Throws InputError at the library unless the run has this unit.
  void expect_known(UnitId unit, const char* what) const {
    if (unit.index < units_) return;
    throw InputError(file_,
                     fmt::format("{} a unit with index {} where there are {} units; correct the "
                                 "policy: it gets units from the view and from events",
                                 what, unit.index, units_));
  }

  Decisions& to_;
  std::size_t units_;
  const std::string& file_;
  PolicyCall* call_ = nullptr;  ///< of the policy, while it decides
  std::exception_ptr failure_;  ///< null: none
};

/// A policy of a library.
class PolicyOfLibrary final : public Policy {
 public:
  PolicyOfLibrary(std::string file, const WatchedLibrary& library, std::unique_ptr<Policy> policy)
      : file_(std::move(file)), library_(library), policy_(std::move(policy)) {}

  void decide(const View& view, const Event& event, Decisions& decisions) override {
    WatchedDecisions watched(decisions, view.units().size(), file_);
    try {
      watched.let_decide(*policy_, library_, view, event);
    } catch (...) {
      watched.rethrow_failure();
      refuse_what_it_threw(file_, fmt::format("it decided at {} s", event.at.value));
    }
    watched.rethrow_failure();
  }

 private:
  std::string file_;
  const WatchedLibrary& library_;
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
  const WatchedLibrary& library = watched_library(file, info.answer_limit_s);
  std::unique_ptr<Policy> policy;
  try {
    const PolicyCall call(library);
    policy = make_policy(info, inputs);
  } catch (...) {
    refuse_what_it_threw(file, "its policy was made");
  }
  if (policy == nullptr) {
    throw InputError(file, "its function `make` makes no policy; let it return one");
  }
  return std::make_unique<PolicyOfLibrary>(file, library, std::move(policy));
}

}  // namespace equipoise
