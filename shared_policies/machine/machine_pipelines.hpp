// The pipelines of all units of a machine. Units of one device share its copy engines.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "shared_policies/machine/unit_pipeline.hpp"
#include "shared_policies/model/measures.hpp"
#include "shared_policies/model/unit.hpp"

namespace equipoise {

/// A pipeline for each unit, in the order in which they are added.
///
/// A unit with a device of its own has a UnitPipeline's rules. The units of one device share its
/// one or two copy engines: while an engine copies for one unit (its setup and its streams
/// included), copies of the others wait. A copy asks for the engine when nothing else keeps it
/// waiting, and so does a computation that begins with a stream; each unit has at most one copy in
/// (or setup), one stream and one copy out that ask. When an engine is free, what asked first goes
/// first; of several that asked at the same time, a copy out before a stream before a copy in, then
/// that of the unit that was added first. With one engine, a unit whose copy out asks begins no
/// copy in and no stream.
///
/// Deterministic: at one instant, first all stages of the device end that end then; after them
/// computations begin, then copies.
class MachinePipelines {
 public:
  /// Adds a unit. `copy_engines` is 0, 1 or 2; `device` names what it shares with other units of
  /// the machine, all with the same number of engines and at least one; empty: nothing. `stages`
  /// must outlive the pipelines.
  void add_unit(int copy_engines, const std::string& device, PipelineStages& stages);

  [[nodiscard]] std::size_t size() const { return units_.size(); }
  /// To hand out blocks and to end launched stages.
  [[nodiscard]] UnitPipeline& operator[](UnitId unit) { return units_[unit.index]; }
  /// The first unit of the device of `unit`, which stands for the device below.
  [[nodiscard]] UnitId device_of(UnitId unit) const { return UnitId{first_[unit.index]}; }

  /// Processes everything that is due up to `until` on the device, in order of time.
  void advance(UnitId device, Seconds until);
  /// UnitPipeline::next_date of the device; infinity for a unit that does not stand for one.
  [[nodiscard]] Seconds next_date(UnitId device) const;
  /// UnitPipeline::take_back of a block of `unit`, whose device has been advanced to this instant.
  Fate take_back(UnitId unit, const Block& block, Seconds now);
  /// The unit that has a block with this Block::original(), see UnitPipeline::has; none: none.
  [[nodiscard]] std::optional<UnitId> unit_with(std::uint64_t original) const;
  /// UnitPipeline::give_up of `unit`, whose device has been advanced to this instant.
  std::size_t give_up(UnitId unit, Seconds now);
  /// `unit` is lost: UnitPipeline::clear. Its device has been advanced to the time of the loss. An
  /// engine that copied for it is free.
  void clear(UnitId unit);

 private:
  /// What a unit wants of the engines that it shares.
  struct Asking {
    std::optional<Seconds> in;  ///< since when a copy in or setup waits for an engine alone
    std::optional<Seconds> stream;
    std::optional<Seconds> out;
  };
  /// A device that several units share.
  struct SharedDevice {
    std::vector<std::uint32_t> units;
    Seconds advanced_to;
  };
  /// Which engines of a device are free.
  struct FreeEngines {
    bool in = true;
    bool out = true;
  };
  enum class CopyKind : std::uint8_t { out, stream, in };
  struct Copy {
    std::uint32_t unit = 0;
    CopyKind kind = CopyKind::out;
    Seconds since;
  };

  [[nodiscard]] FreeEngines free_engines(const SharedDevice& device) const;
  [[nodiscard]] Seconds next_change(const SharedDevice& device) const;
  [[nodiscard]] Seconds next_entry(std::uint32_t unit, const FreeEngines& free) const;
  bool step(const SharedDevice& device, Seconds at);
  bool begin_without_engine(std::uint32_t unit, Seconds at);
  void ask(std::uint32_t unit, Seconds at);
  [[nodiscard]] std::optional<Copy> first_copy(const SharedDevice& device) const;
  void begin(const Copy& copy, Seconds at);

  std::vector<UnitPipeline> units_;
  std::vector<std::uint32_t> first_;              ///< (units), the first unit of its device
  std::vector<Asking> asking_;                    ///< (units), those of shared devices
  std::map<std::uint32_t, SharedDevice> shared_;  ///< by first unit
  std::map<std::string, std::uint32_t> by_name_;  ///< the first unit of each device with a name
};

}  // namespace equipoise
