// A checked campaign: all files are read, all policies are checked, and all points have keys.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tools/runs/content_hash.hpp"
#include "tools/runs/run_plan.hpp"
#include "tools/simulations/sim_machine.hpp"
#include "tools/sweep/campaign_file.hpp"

namespace equipoise {

/// An experiment whose files and policies have been read and checked.
struct PlannedExperiment {
  Experiment experiment;
  std::vector<PolicyChoice> policies;
  std::shared_ptr<SimMachine> machine;  ///< shared by experiments that differ in seed or noise
  /// A hash of everything on which the search for the best schedule depends.
  std::string schedule_key;
  std::size_t searched_by = 0;  ///< the first experiment with the same key
  /// A hash of everything on which the best that is known under noise depends; empty without noise,
  /// where the search itself finds it.
  std::string best_known_key;
};

/// One simulation of a campaign.
struct Point {
  std::size_t experiment = 0;
  std::size_t policy = 0;
  std::uint64_t repetition = 0;
  /// A hash of everything on which the point's numbers depend: the contents of the files, the
  /// settings, the experiment's name, the policy's spelling, the repetition, and the program's
  /// sources.
  std::string key;
};

/// The points of a campaign, ordered by experiment, then repetition, then policy. A point is made
/// when it is asked for, so that memory grows with the experiments and policies only.
class PointList {
 public:
  /// Adds the points of an experiment. `policies`: hashes of everything but the repetition.
  void add(std::uint64_t repetitions, std::vector<ContentHash> policies);

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] Point operator[](std::size_t i) const;

  /// Goes through all points.
  class Iterator {
   public:
    Iterator(const PointList& list, std::size_t at) : list_(&list), at_(at) {}
    [[nodiscard]] Point operator*() const { return (*list_)[at_]; }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    [[nodiscard]] bool operator==(const Iterator& other) const { return at_ == other.at_; }

   private:
    const PointList* list_;
    std::size_t at_;
  };
  [[nodiscard]] Iterator begin() const { return {*this, 0}; }
  [[nodiscard]] Iterator end() const { return {*this, size_}; }

 private:
  struct OfExperiment {
    std::size_t first;  // number of its first point
    std::vector<ContentHash> policies;
  };
  std::vector<OfExperiment> experiments_;
  std::size_t size_ = 0;
};

/// A campaign that is ready to run.
struct SweepPlan {
  std::vector<PlannedExperiment> experiments;
  PointList points;
};

/// Reads and checks everything that the campaign names. Adds all problems to `problems`; the plan
/// is usable only if there are none. `progress` is called with the number of experiments that have
/// been checked.
[[nodiscard]] SweepPlan plan_sweep(const Campaign& campaign, std::vector<std::string>& problems,
                                   const std::function<void(std::size_t done)>& progress);

/// One part of a sweep: part `number` (from 1) of `of` parts.
struct Shard {
  std::size_t number = 1;
  std::size_t of = 1;

  /// Whether element `i` (from 0) of a round-robin distribution belongs to this shard.
  [[nodiscard]] bool holds(std::size_t i) const { return i % of == number - 1; }
  /// Whether this shard searches the schedule for the experiment. Exactly one shard does.
  [[nodiscard]] bool searches(const SweepPlan& plan, std::size_t experiment) const {
    return holds(plan.experiments[experiment].searched_by);
  }
  /// Whether this shard simulates point number `point` of the plan. Every point belongs to exactly
  /// one shard. Points of oracles need the schedule, so they belong to the shard that searches it.
  [[nodiscard]] bool does(const SweepPlan& plan, std::size_t point) const;
};

/// Parses text like "3/16". Throws InputError at `where`.
[[nodiscard]] Shard parse_shard(const std::string& text, const std::string& where);

}  // namespace equipoise
