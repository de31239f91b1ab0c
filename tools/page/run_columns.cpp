// Sorts a run's blocks by unit, and packs them.
#include "tools/page/run_columns.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "shared_policies/model/overload.hpp"
#include "tools/page/packed_bytes.hpp"
#include "traces/json_record.hpp"

namespace equipoise {
namespace {

/// A page has so many decisions, and estimates of units in them, at most.
constexpr std::size_t most_decisions = 20'000;
constexpr std::size_t most_estimates = 50'000;
/// In how many parts a run without single blocks is divided.
constexpr std::size_t bins = 1000;
/// The kinds of time in these, in the order of `shares`.
constexpr std::array shared_kinds = {"compute", "setup", "in", "out", "barrier", "controller"};

/// A block, and when the event came after which it was handed out.
struct PlacedBlock {
  const BlockRecord* record;
  Seconds told;
};

/// What a run file tells, by unit.
struct Sorted {
  std::vector<std::vector<PlacedBlock>> by_unit;
  std::vector<Seconds> iterations;  ///< their begins
  std::vector<const DecisionRecord*> decisions;
  Json spans = Json::array();  ///< lost blocks, work that was dropped, absence of units
  Json disturbances = Json::array();
  Seconds makespan;
  std::size_t blocks = 0;
};

Json span_json(std::size_t unit, const char* kind, Seconds from, Seconds to) {
  return {{"unit", unit}, {"kind", kind}, {"from_s", from.value}, {"to_s", to.value}};
}

Json disturbance_json(const Disturbance& d) {
  Json json = {{"at_s", d.at.value}, {"what", to_string(d.kind) + (" of " + d.target)}};
  if (d.until < Seconds::infinity()) json["until_s"] = d.until.value;
  return json;
}

/// Collects records; see Sorted.
class Collector {
 public:
  explicit Collector(const RunFile& file)
      : absent_since_(file.run.units.size()), done_(file.run.units.size()) {
    sorted_.by_unit.resize(file.run.units.size());
    for (const UnitId unit : file.run.absent_at_start) absent_since_[unit.index] = Seconds{};
    for (const RecordedLine& line : file.run.lines) {
      std::visit([this](const auto& record) { take(record); }, line.what);
    }
    sorted_.makespan = file.summary ? file.summary->numbers.makespan : latest_;
    for (const auto& [id, lost] : going_on_) {
      add_span(lost.unit.index, "redone", std::max(done_[lost.unit.index], lost.assigned),
               sorted_.makespan);
    }
    for (std::size_t unit = 0; unit < absent_since_.size(); ++unit) {
      if (absent_since_[unit]) add_span(unit, "absent", *absent_since_[unit], sorted_.makespan);
    }
    for (std::vector<PlacedBlock>& blocks : sorted_.by_unit) {
      std::ranges::stable_sort(blocks, std::less<>(),
                               [](const PlacedBlock& block) { return block.record->begins.setup; });
    }
  }

  [[nodiscard]] const Sorted& sorted() const { return sorted_; }

 private:
  void take(const BlockRecord& record) {
    const std::uint64_t after = record.after_events;
    const bool is_known = after > 0 && after <= events_.size();
    sorted_.by_unit[record.unit.index].push_back(
        {&record, is_known ? events_[after - 1] : Seconds{}});
    ++sorted_.blocks;
    events_.push_back(record.end);
    done_[record.unit.index] = std::max(done_[record.unit.index], record.end);
    latest_ = std::max(latest_, record.end);
  }
  void take(const DecisionRecord& record) { sorted_.decisions.push_back(&record); }
  void take(const Measured& /*record*/) {}
  void take(const EventRecord& record) {
    std::visit(Overload{[&](const IterationBegin&) { sorted_.iterations.push_back(record.at); },
                        [&](const LostBlock& lost) {
                          if (lost.by != LostBy::unit) {
                            if (lost.goes_on) going_on_.emplace(lost.block.id, lost);
                            return;
                          }
                          Seconds& done = done_[lost.unit.index];
                          add_span(lost.unit.index, "lost", std::max(done, lost.assigned),
                                   record.at);
                          done = std::max(done, record.at);
                        },
                        [&](const LateEnd& late) {
                          going_on_.erase(late.block.id);
                          Seconds& done = done_[late.unit.index];
                          add_span(late.unit.index, "redone", std::max(done, late.begins.setup),
                                   record.at);
                          done = std::max(done, record.at);
                        },
                        [&](const UnitLost& lost) {
                          absent_since_[lost.unit.index] = record.at;
                          drop_all(lost.unit, record.at);
                        },
                        [&](const UnitJoined& joined) { come_back(joined.unit.index, record.at); },
                        [&](const Disturbance& disturbance) {
                          sorted_.disturbances.push_back(disturbance_json(disturbance));
                        },
                        [](const OneOf<UnfinishedBlock, ProbeBegin, Probed, TimerEnd, PolicyStall,
                                       Note> auto&) {}},
               record.what);
    if (is_counted(record.what)) events_.push_back(record.at);
    if (!std::holds_alternative<Disturbance>(record.what)) latest_ = std::max(latest_, record.at);
  }
  /// The lost blocks on which `unit` still worked end with it.
  void drop_all(UnitId unit, Seconds at) {
    std::erase_if(going_on_, [&](const auto& entry) {
      const bool is_its = entry.second.unit == unit;
      const Seconds from = std::max(done_[unit.index], entry.second.assigned);
      if (is_its && from < at) add_span(unit.index, "redone", from, at);
      return is_its;
    });
  }
  void come_back(std::size_t unit, Seconds at) {
    if (absent_since_[unit]) add_span(unit, "absent", *absent_since_[unit], at);
    absent_since_[unit].reset();
  }
  void add_span(std::size_t unit, const char* kind, Seconds from, Seconds to) {
    sorted_.spans.push_back(span_json(unit, kind, from, to));
  }

  Sorted sorted_;
  std::vector<std::optional<Seconds>> absent_since_;
  std::vector<Seconds> done_;  ///< when each unit had ended, or lost, its blocks up to here
  std::vector<Seconds> events_;
  std::map<std::uint64_t, LostBlock> going_on_;  ///< lost blocks that have not ended
  Seconds latest_{};
};

/// Until when the unit, free since `before`, was held back before the block: by other units, a
/// timer or the begin of an iteration.
Seconds held_until(const Sorted& run, const PlacedBlock& block, Seconds before) {
  const Seconds begin = block.record->begins.setup;
  Seconds until = std::min(block.told, block.record->assigned);
  const auto next = std::ranges::upper_bound(run.iterations, begin);
  if (next != run.iterations.begin()) until = std::max(until, *std::prev(next));
  return std::clamp(until, before, std::max(before, begin));
}

/// The begins and ends of a block's stages in their order.
std::array<Seconds, 8> stages_of(const BlockRecord& r) {
  return {
      r.begins.setup,   r.begins.setup + r.times.setup,     r.begins.in,  r.begins.in + r.times.in,
      r.begins.compute, r.begins.compute + r.times.compute, r.begins.out, r.end};
}

/// A small part of the mean time of a block, so that rounding cannot be seen. Pages of many blocks
/// have larger parts, which take less room.
double quantum_of(const Sorted& run) {
  constexpr std::size_t many_blocks = 100'000;
  double sum_s = 0.0;
  for (const auto& blocks : run.by_unit) {
    for (const PlacedBlock& block : blocks) {
      sum_s += (block.record->end - block.record->begins.setup).value;
    }
  }
  if (!(sum_s > 0.0)) return 1e-9;
  return sum_s / static_cast<double>(run.blocks) / (run.blocks > many_blocks ? 256.0 : 16384.0);
}

constexpr std::array stage_columns = {"setup",   "in_wait",  "in", "compute_wait",
                                      "compute", "out_wait", "out"};

struct Columns {
  std::string block, items, start, held, tag;
  std::array<std::string, stage_columns.size()> stages;
};

Json columns_json(const Sorted& run, double quantum_s) {
  const auto quanta = [quantum_s](Seconds t) { return std::llround(t.value / quantum_s); };
  Columns columns;
  for (const auto& blocks : run.by_unit) {
    Seconds before{};
    std::int64_t id = 0;
    std::int64_t items = 0;
    for (const PlacedBlock& placed : blocks) {
      const BlockRecord& r = *placed.record;
      append_signed(columns.block, static_cast<std::int64_t>(r.block.id) - id);
      append_signed(columns.items, r.block.items - items);
      id = static_cast<std::int64_t>(r.block.id);
      items = r.block.items;
      const std::array<Seconds, 8> at = stages_of(r);
      append_signed(columns.start, quanta(at.front()) - quanta(before));
      append_unsigned(columns.held, static_cast<std::uint64_t>(
                                        quanta(held_until(run, placed, before)) - quanta(before)));
      std::int64_t last = quanta(at.front());
      for (std::size_t i = 0; i < stage_columns.size(); ++i) {
        const std::int64_t now = std::max<std::int64_t>(last, quanta(at[i + 1]));
        append_unsigned(columns.stages[i], static_cast<std::uint64_t>(now - last));
        last = now;
      }
      columns.tag += static_cast<char>(r.block.tag);
      before = std::max(before, r.end);
    }
  }
  Json json = {{"block", packed(columns.block)},
               {"items", packed(columns.items)},
               {"start", packed(columns.start)},
               {"held", packed(columns.held)},
               {"tag", packed(columns.tag)}};
  for (std::size_t i = 0; i < stage_columns.size(); ++i) {
    json[stage_columns[i]] = packed(columns.stages[i]);
  }
  return json;
}

/// Adds [from, to) to the parts of the run that it lies in.
void spread(double* seconds, double part_s, double from, double to) {
  for (auto bin = static_cast<std::size_t>(from / part_s); bin < bins; ++bin) {
    const double begin = std::max(from, static_cast<double>(bin) * part_s);
    if (begin >= to) break;
    const double end = std::min(to, static_cast<double>(bin + 1) * part_s);
    seconds[bin] += std::max(0.0, end - begin);  // the first may end at `from`
  }
}

/// The share of each kind of time in each part of the run; see `shared_kinds`.
std::string shares_bytes(const Sorted& run) {
  const double part_s = run.makespan.value / static_cast<double>(bins);
  std::string bytes;
  for (const auto& blocks : run.by_unit) {
    std::vector<double> seconds(shared_kinds.size() * bins);
    Seconds before{};
    for (const PlacedBlock& placed : blocks) {
      const std::array<Seconds, 8> at = stages_of(*placed.record);
      const Seconds held = held_until(run, placed, before);
      const auto add = [&](std::size_t kind, Seconds from, Seconds to) {
        spread(&seconds[kind * bins], part_s, from.value, to.value);
      };
      add(1, at[0], at[1]);
      add(2, at[2], at[3]);
      add(0, at[4], at[5]);
      add(3, at[6], at[7]);
      add(4, before, held);
      add(5, held, at[0]);
      before = std::max(before, placed.record->end);
    }
    for (const double s : seconds) {
      bytes += static_cast<char>(std::lround(255.0 * std::min(1.0, s / part_s)));
    }
  }
  return bytes;
}

Json estimate_json(const UnitEstimate& estimate) {
  Json json = {{"unit", estimate.unit.index}, {"block_items", estimate.block_items}};
  if (!estimate.cost.empty()) json["cost_s"] = estimate.cost;
  if (estimate.r2) json["r2"] = *estimate.r2;
  return json;
}

Json decisions_json(const Sorted& run, const std::vector<Unit>& units) {
  Json decisions = Json::array();
  std::size_t estimates = 0;
  for (const DecisionRecord* const record : run.decisions) {
    if (decisions.size() == most_decisions) break;
    const Decision& decision = record->decision;
    Json of_units = Json::array();
    estimates += decision.estimates.size();
    if (estimates <= most_estimates) {
      for (const UnitEstimate& e : decision.estimates) of_units.push_back(estimate_json(e));
    }
    decisions.push_back(
        {{"at_s", record->at.value},
         {"cost_s", (record->end - record->at).value},
         {"what", std::string(decision_word(decision.what))},
         {"by", decision.unit ? units[decision.unit->index].name : std::string("the master")},
         {"units", std::move(of_units)}});
  }
  return decisions;
}

bool any_block(const Sorted& run, bool (*is_such)(const BlockRecord&)) {
  return std::ranges::any_of(run.by_unit, [&](const auto& blocks) {
    return std::ranges::any_of(blocks, [&](const PlacedBlock& b) { return is_such(*b.record); });
  });
}

Json facts_of(const RunFile& file, const Sorted& run, const RunEnds& ends) {
  Json units = Json::array();
  Json counts = Json::array();
  for (std::size_t i = 0; i < file.run.units.size(); ++i) {
    units.push_back({{"id", file.run.units[i].name}});
    counts.push_back(run.by_unit[i].size());
  }
  return {
      {"file", file.path},
      {"policy", file.header.spelling},
      {"on", file.header.on},
      {"makespan_s", run.makespan.value},
      {"units", std::move(units)},
      {"blocks", run.blocks},
      {"blocks_by_unit", std::move(counts)},
      {"has_setup", any_block(run, [](const auto& b) { return b.times.setup.value > 0; })},
      {"has_copies",
       any_block(run, [](const auto& b) { return b.times.in.value > 0 || b.times.out.value > 0; })},
      {"has_training",
       any_block(run, [](const auto& b) { return b.block.tag == BlockTag::train; })},
      {"spans", run.spans},
      {"disturbances", run.disturbances},
      {"decisions", decisions_json(run, file.run.units)},
      {"header", json_from(ends.header)},
      {"summary", json_from(ends.summary)}};
}

}  // namespace

RunData run_data(const RunFile& file, const RunEnds& ends) {
  const Collector collector(file);
  const Sorted& run = collector.sorted();
  const double quantum_s = quantum_of(run);
  Json facts = facts_of(file, run, ends);
  facts["quantum_s"] = quantum_s;
  Json coarse = facts;
  facts["columns"] = columns_json(run, quantum_s);
  coarse["shares_of"] = {{"bins", bins}, {"kinds", shared_kinds}};
  coarse["shares"] = packed(shares_bytes(run));
  return {line_of(facts), line_of(coarse)};
}

}  // namespace equipoise
