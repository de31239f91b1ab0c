// Finds the watts of units from what the meters of their machine read while they were recorded.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "real/meters/meter_sampler.hpp"
#include "real/unit_spec.hpp"
#include "shared_policies/model/block.hpp"
#include "shared_policies/run/journal.hpp"

namespace equipoise {

/// Watts by the domain of a meter: "package-0", "cuda:0".
using WattsByDomain = std::map<std::string, double>;

/// What units of a machine have to do with its meters.
///
/// The energy of a GPU is that of its domain, and the energy of a unit on CPU cores that of all
/// packages, which contains what the host's cores do for a GPU meanwhile. The idle watts of all
/// packages are divided among the units on cores, by their threads, and those of a GPU equally
/// among the units on it. If no unit is on cores, the GPUs' units have equal parts of the packages'
/// idle watts, too. So the idle watts of all units are those of the machine. Units that take their
/// times from a trace have no domain.
class UnitDomains {
 public:
  /// `idle_w` has the domains that are measured.
  UnitDomains(std::span<const UnitSpec> units, WattsByDomain idle_w);

  /// The domains that count what `unit` takes while it computes; empty if they are not measured.
  [[nodiscard]] const std::vector<std::string>& of(std::size_t unit) const { return of_[unit]; }
  /// The unit's part of the watts of the idle machine; nullopt if its domains are not measured.
  [[nodiscard]] std::optional<double> idle_w(std::size_t unit) const;
  [[nodiscard]] const WattsByDomain& idle_w() const { return idle_w_; }
  /// Whether none of the units [first, first + count) except `unit` adds to the domains of `unit`:
  /// has one of them, or is on a GPU while `unit` is on cores.
  [[nodiscard]] bool is_apart(std::size_t unit, std::size_t first, std::size_t count) const;

 private:
  WattsByDomain idle_w_;
  std::vector<std::vector<std::string>> of_;
  std::vector<bool> is_on_gpu_;
  std::vector<double> share_w_;
};

/// Finds what domains take while units compute one block after another. Everything is given in the
/// order of time.
class BusyWatch {
 public:
  explicit BusyWatch(std::size_t units) : computing_(units) {}

  /// Watches from `now` on.
  void begin(Seconds now) { begin_ = now; }
  [[nodiscard]] bool has_begun() const { return begin_.has_value(); }
  /// A block of `unit` has ended at `end`.
  void block(std::size_t unit, Seconds end, const StageTimes& times);
  /// A meter was read; other values than energy are ignored.
  void reading(const Measured& measured);
  /// Whether the last block of `unit` ended at least `span` after the begin.
  [[nodiscard]] bool lasted(std::size_t unit, Seconds span) const;

  /// The watts that `domains` took in addition to those of the idle machine while `unit` computed:
  /// the sum over the domains of
  ///
  ///     (energy - idle watts * span) / (time in the span in which the unit computed).
  ///
  /// All energy of a block thereby counts as that of its computation, as it does in `Metrics`. At
  /// least 0. Returns nullopt if a domain was not read up to the end, or if nothing was computed.
  [[nodiscard]] std::optional<double> added_w(std::size_t unit,
                                              std::span<const std::string> domains,
                                              const WattsByDomain& idle_w) const;

 private:
  struct Computing {
    double begin_s = 0.0;
    double end_s = 0.0;
  };
  struct UnitTimes {
    std::vector<Computing> blocks;
    double last_end_s = 0.0;
  };

  [[nodiscard]] double computing_s(std::size_t unit, const CountedEnergy& span) const;

  std::optional<Seconds> begin_;
  std::vector<UnitTimes> computing_;
  std::map<std::string, std::vector<CounterReading>> readings_;
};

}  // namespace equipoise
