// Reads run files, and writes their first and last lines; traces/journal_file.cpp writes the
// others.
#include "traces/run_file.hpp"

#include <fmt/format.h>

#include <array>
#include <limits>
#include <map>
#include <set>
#include <utility>
#include <variant>

#include "shared_policies/model/failure.hpp"
#include "shared_policies/model/overload.hpp"
#include "shared_policies/run/losses.hpp"
#include "shared_policies/run/two_levels.hpp"
#include "shared_policies/text/nearest_name.hpp"
#include "traces/experience_file.hpp"
#include "traces/files/input_file.hpp"
#include "traces/json_record.hpp"
#include "traces/time_limits.hpp"

namespace equipoise {
namespace {

void check_units(const RunHeader& header, const std::string& where) {
  std::set<std::string> names;
  std::vector<Unit> before;
  for (const RunUnit& one : header.units) {
    check_device(one.unit, before, where);
    if (!names.insert(one.unit.name).second) {
      throw InputError(where, "unit " + one.unit.name + " is listed twice; name each unit once");
    }
    before.push_back(one.unit);
  }
}

void check_workloads(const RunHeader& header, const std::string& where) {
  for (const Workload& workload : header.workloads) {
    workload.validate(where);
    for (const RunUnit& one : header.units) {
      if (holds_a_grain(one.unit, workload)) continue;
      throw InputError(where, "unit " + one.unit.name + " does not hold a grain of " +
                                  workload.kernel +
                                  ", so it cannot have taken part in this run; give another file");
    }
  }
}

void check_experience(const RunHeader& header, const std::string& where) {
  const auto expect_size = [&](std::size_t found, std::size_t expected, const char* what) {
    if (found == expected) return;
    throw InputError(
        where,
        fmt::format("'experience' has one entry for each {} of the run; write it again", what));
  };
  if (header.experience.empty()) return;
  expect_size(header.experience.size(), header.workloads.size(), "workload");
  for (const auto& phase : header.experience) {
    expect_size(phase.size(), header.units.size(), "unit");
    for (const auto& cost : phase) {
      if (cost) check_cost(*cost, where);
    }
  }
}

}  // namespace

RunHeader read_run_header(const JsonValue& line, const std::string& path) {
  const JsonObject object(line, path, "the header of a run file");
  const std::string& schema = object.text("schema");
  expect_schema(schema, "equipoise.run/1", object.where());
  auto header = record_of<RunHeader>(line, path, "the header of a run file", {.place = in_runs});
  header.has_setup = schema != "equipoise.run/1";
  check_units(header, object.where());
  check_workloads(header, object.where());
  check_experience(header, object.where());
  return header;
}

std::string run_header_line(const RunHeader& header) {
  Json line = {{"schema", "equipoise.run/1.1"}};
  put_members(line, header, in_runs);
  return line_of(line);
}

std::optional<Named<double>> named_loss(const RunSummary& summary) {
  if (!summary.loss) return std::nullopt;
  Named<double> by_cause = {{"total", total(*summary.loss).value}};
  for (const LossCause& cause : loss_causes) {
    by_cause.emplace_back(cause.name, (*summary.loss.*cause.member).value);
  }
  return by_cause;
}

Named<UnitSummary> summary_by_unit(const RunSummary& summary) {
  const RunNumbers& numbers = summary.numbers;
  Named<UnitSummary> by_unit;
  for (std::size_t i = 0; i < summary.units.size(); ++i) {
    const UnitNumbers& unit = numbers.units[i];
    by_unit.emplace_back(summary.units[i],
                         UnitSummary{unit.items, share(numbers, i), unit.blocks, unit.busy,
                                     idle_fraction(numbers, i), unit.last_end, unit.energy_j});
  }
  return by_unit;
}

std::optional<std::vector<PhaseSummary>> summary_by_phase(const RunSummary& summary) {
  if (summary.numbers.phases.size() < 2) return std::nullopt;
  std::vector<PhaseSummary> phases;
  for (const std::vector<UnitInPhase>& phase : summary.numbers.phases) {
    PhaseSummary& of = phases.emplace_back(PhaseSummary{end_of(phase), {}});
    for (std::size_t i = 0; i < summary.units.size(); ++i) {
      of.by_unit.emplace_back(
          summary.units[i],
          UnitPhaseSummary{phase[i].items, share_of(phase, i), phase[i].blocks, phase[i].last_end});
    }
  }
  return phases;
}

std::string run_summary_line(const RunSummary& summary) {
  Json line = {{"summary", true}};
  put_members(line, summary, in_runs);
  return line_of(line);
}

namespace {

constexpr Items most_items = std::numeric_limits<Items>::max();
constexpr double most_seconds = 1e300;
constexpr double most_value = 1e300;
constexpr Items most_bytes = Items{1} << 53;  // of a probe

Seconds seconds(const JsonObject& line, const std::string& name) {
  return {line.number(name, 0.0, most_seconds)};
}

/// The time of a stage; 0: the block did not have it.
Seconds stage_time(const JsonObject& line, const std::string& name) {
  const Seconds time = seconds(line, name);
  const std::string why = time > Seconds{} ? why_no_time(time.value) : std::string();
  if (why.empty()) return time;
  throw InputError(line.where(), "'" + name + "' " + why + ", or 0; correct it");
}

std::uint64_t count(const JsonObject& line, const std::string& name) {
  return static_cast<std::uint64_t>(line.whole(name, 0, most_items));
}

/// Reads what is not known of `d` yet: all but its kind.
void read_disturbance(const JsonObject& line, Disturbance& d) {
  d.at = seconds(line, "at_s");
  d.target = line.text(d.kind == DisturbanceKind::bandwidth ? "link" : "unit");
  if (line.find("until_s") != nullptr) d.until = seconds(line, "until_s");
  if (line.find("share") != nullptr) d.amount = line.number("share", 0.0, 1.0);
  if (line.find("factor") != nullptr) d.amount = line.number("factor", 0.0, most_seconds);
}

Measured read_measured(const JsonObject& line, std::optional<UnitId> node) {
  return {seconds(line, "at_s"), line.text("domain"), line.text("what"),
          line.number("value", -most_value, most_value), node};
}

/// Keeps records as lines with a number.
class LineKeeper final : public Journal {
 public:
  explicit LineKeeper(std::vector<RecordedLine>& lines) : lines_(lines) {}
  /// Records have this number from now on.
  void at(std::size_t number) { number_ = number; }

  void block(const BlockRecord& record) override { lines_.push_back({number_, record}); }
  void decision(const DecisionRecord& record) override { lines_.push_back({number_, record}); }
  void event(const EventRecord& record) override { lines_.push_back({number_, record}); }
  void measured(const Measured& record) override { lines_.push_back({number_, record}); }

 private:
  std::vector<RecordedLine>& lines_;
  std::size_t number_ = 0;
};

/// Reads a run file line by line.
class RunReader {
 public:
  explicit RunReader(const std::string& path) { file_.path = path; }

  RunFile read(std::istream& in) {
    std::string text;
    while (next_line(in, text, file_.path, line_ + 1)) {
      ++line_;
      take(text, !in.eof());
    }
    if (line_ == 0 || file_.run.units.empty()) {
      throw InputError(file_.path, "the file ends before its header does; give another run file");
    }
    file_.run.is_whole = file_.summary.has_value();
    if (!nodes_.empty()) split_levels();
    return std::move(file_);
  }

 private:
  /// Processes one line. `whole` says whether a line end followed it.
  void take(const std::string& text, bool whole) {
    if (file_.summary) {
      throw InputError(place(),
                       "a line after the summary; the summary must be a run file's last line");
    }
    JsonValue value;
    try {
      value = parse_json(text, file_.path, line_);
    } catch (const InputError&) {
      if (whole) throw;
      file_.is_cut = true;
      return;
    }
    if (line_ == 1) return take_header(value);
    const JsonObject line(value, file_.path, "a line of a run file");
    if (line.find("summary") != nullptr) {
      file_.summary = record_of<RunSummary>(value, file_.path, "a summary", {.place = in_runs});
    } else if (line.find("decision") != nullptr) {
      file_.run.lines.push_back({line_, read_decision(line)});
    } else if (line.find("event") != nullptr) {
      file_.run.lines.push_back({line_, read_event(line)});
    } else if (line.find("block") != nullptr) {
      file_.run.lines.push_back({line_, read_accepted(line)});
    } else if (line.find("domain") != nullptr) {
      file_.run.lines.push_back({line_, read_measured(line, node_of(line))});
    } else {
      throw InputError(place(),
                       "neither a block nor a decision, an event, a measurement or the summary; "
                       "is this a run file, and made by this version?");
    }
  }

  void take_header(const JsonValue& value) {
    file_.header = read_run_header(value, file_.path);
    RecordedRun& run = file_.run;
    run.phases = file_.header.workloads;
    for (const RunUnit& one : file_.header.units) {
      if (!one.is_present_at_start) {
        run.absent_at_start.push_back(UnitId{static_cast<std::uint32_t>(run.units.size())});
      }
      run.units.push_back(one.unit);
    }
    if (file_.header.nodes.empty()) return;
    nodes_ = nodes_of(run.units);
    const bool are_those = std::ranges::equal(
        nodes_, file_.header.nodes,
        [](const NodeOfRun& of, const Unit& written) { return of.unit.name == written.name; });
    if (!are_those) {
      throw InputError(place(), "'nodes' are not those that its units name; correct it");
    }
  }

  /// Gives the run the records of its units, and each level its own.
  void split_levels() {
    const std::vector<RecordedLine> all = std::exchange(file_.run.lines, {});
    const std::size_t units = file_.run.units.size();
    const auto add_level = [&](std::vector<Unit> of, std::uint64_t first_block) {
      RecordedRun& level = file_.levels.emplace_back();
      level.units = std::move(of);
      level.phases = file_.run.phases;
      level.first_block = first_block;
      level.is_of_agent = first_block > 0;
      level.is_whole = file_.run.is_whole;
    };
    std::vector<Unit> nodes;
    for (const NodeOfRun& node : nodes_) nodes.push_back(node.unit);
    add_level(std::move(nodes), 0);
    file_.levels.back().may_take_back = false;
    std::vector<UnitId> in_level(units + nodes_.size());  // the number of each unit in its level
    for (std::size_t k = 0; k < nodes_.size(); ++k) {
      in_level[units + k] = UnitId{static_cast<std::uint32_t>(k)};
      add_level(nodes_[k].units_of(file_.run.units), first_block_of(k));
      for (std::uint32_t i = 0; i < nodes_[k].units.size(); ++i) {
        const UnitId unit = nodes_[k].units[i];
        in_level[unit.index] = UnitId{i};
        if (std::ranges::count(file_.run.absent_at_start, unit) == 0) continue;
        file_.levels.back().absent_at_start.push_back(UnitId{i});
      }
    }
    LineKeeper of_units(file_.run.lines);
    UnitRecords units_only(units, of_units, [](Seconds) {});
    for (const RecordedLine& line : all) {
      of_units.at(line.line);
      tell(line, units_only);
      const std::optional<UnitId> node =
          std::visit([](const auto& record) { return record.node; }, line.what);
      LineKeeper of_level(file_.levels[node ? node->index - units + 1 : 0].lines);
      of_level.at(line.line);
      LevelJournal level(in_level, std::nullopt, of_level);
      tell(line, level);
      // The agent of a lost node has left off somewhere.
      const UnitLost* const gone = event_of<UnitLost>(line);
      if (gone != nullptr && gone->unit.index >= units) {
        file_.levels[gone->unit.index - units + 1].is_whole = false;
      }
    }
    units_only.finish();
  }

  /// The node whose agent has written the record; none: the master.
  [[nodiscard]] std::optional<UnitId> node_of(const JsonObject& line) const {
    if (line.find("node") == nullptr) return std::nullopt;
    const UnitId node = unit_of(line, "node");
    if (node.index >= file_.run.units.size()) return node;
    throw InputError(line.where(), "'node' is a unit; give a run file as it was written");
  }

  [[nodiscard]] std::string place() const { return file_.path + ":" + std::to_string(line_); }

  [[nodiscard]] UnitId unit_of(const JsonObject& line, const std::string& member) const {
    const std::string& name = line.text(member);
    std::vector<std::string> known;
    for (std::uint32_t i = 0; i < file_.run.units.size(); ++i) {
      if (file_.run.units[i].name == name) return UnitId{i};
      known.push_back(file_.run.units[i].name);
    }
    for (std::size_t k = 0; k < nodes_.size(); ++k) {
      if (nodes_[k].unit.name == name) return id_of_node(file_.run.units.size(), k);
    }
    throw InputError(line.where(), unknown_name("unit", name, known));
  }

  /// A block as it was handed out. Its id must not have been used before.
  Block read_block(const JsonObject& line) {
    Block block;
    block.id = count(line, "block");
    block.phase =
        static_cast<int>(line.whole("phase", 0, static_cast<Items>(file_.run.phases.size()) - 1));
    const Workload& workload = file_.run.phases[static_cast<std::size_t>(block.phase)];
    block.iteration = static_cast<int>(line.whole("iteration", 0, workload.iterations - 1));
    block.items = line.whole("items", 1, workload.items);
    block.tag = worded<BlockTag>(line.field("tag"));
    if (line.find("group") != nullptr) {
      block.group = static_cast<std::uint32_t>(
          line.whole("group", 0, std::numeric_limits<std::uint32_t>::max()));
    }
    if (line.find("copy_of") != nullptr) {
      block.copy_of = count(line, "copy_of");
      if (*block.copy_of >= block.id) {
        throw InputError(line.where(),
                         "'copy_of' is not the number of an earlier block; correct it");
      }
    }
    if (line.find("node_block") != nullptr) block.node_block = count(line, "node_block");
    if (!handed_out_.insert(block.id).second) {
      throw InputError(line.where(), "block " + std::to_string(block.id) +
                                         " was handed out before; a number is used once");
    }
    return block;
  }

  BlockRecord read_accepted(const JsonObject& line) {
    BlockRecord record;
    record.unit = unit_of(line, "unit");
    record.block = read_block(line);
    const Workload& workload = file_.run.phases[static_cast<std::size_t>(record.block.phase)];
    record.block.first = line.whole("first_item", 0, workload.items - record.block.items);
    record.assigned = seconds(line, "assigned_s");
    record.end = seconds(line, "end_s");
    read_stages(line, record, record.end);
    record.after_events = count(line, "after_events");
    record.node = node_of(line);
    return record;
  }

  /// Reads the times and begins of the stages of a block that has ended at `end`.
  template <class Ended>
  void read_stages(const JsonObject& line, Ended& of, Seconds end) const {
    of.times = {
        {}, stage_time(line, "in_s"), stage_time(line, "compute_s"), stage_time(line, "out_s")};
    if (!file_.header.has_setup) {
      of.begins = back_to_back(of.times, end);
      return;
    }
    of.times.setup = stage_time(line, "setup_s");
    of.begins = {seconds(line, "setup_at_s"), seconds(line, "in_at_s"),
                 seconds(line, "compute_at_s"), seconds(line, "out_at_s")};
  }

  [[nodiscard]] DecisionRecord read_decision(const JsonObject& line) const {
    DecisionRecord record;
    record.at = seconds(line, "at_s");
    record.cost = seconds(line, "cost_s");
    record.end = seconds(line, "end_s");
    record.decision.what = decision_called(line.text("decision"));
    if (line.text("by") != "master") record.decision.unit = unit_of(line, "by");
    for (const JsonValue& value : line.list("units")) {
      const JsonObject object(value, file_.path, "an estimate of a unit");
      UnitEstimate& estimate = record.decision.estimates.emplace_back();
      estimate.unit = unit_of(object, "unit");
      estimate.block_items = object.whole("block_items", -most_items, most_items);
      if (object.find("cost_s") != nullptr) estimate.cost = object.text("cost_s");
      const auto share = [&](const std::string& name) {
        return object.find(name) == nullptr
                   ? std::nullopt
                   : std::optional(object.number(name, -most_seconds, most_seconds));
      };
      estimate.r2 = share("r2");
      estimate.r2_transfer = share("r2_transfer");
    }
    record.node = node_of(line);
    return record;
  }

  EventRecord read_event(const JsonObject& line) {
    const std::string& word = line.text("event");
    EventRecord record{seconds(line, "at_s"), event_called(word).value_or(Note{word})};
    std::visit(Overload{[&](LostBlock& lost) {
                          read_handed_out(line, lost);
                          read_loss(line, lost);
                        },
                        [&](LateEnd& late) { read_late(line, late, record.at); },
                        [&](UnfinishedBlock& left) { read_handed_out(line, left); },
                        [&](ProbeBegin& begin) { read_probe(line, begin); },
                        [&](Probed& probed) { read_probed(line, probed); },
                        [&](OneOf<UnitLost, UnitJoined> auto& of) { of.unit = named_unit(line); },
                        [&](Disturbance& disturbance) { read_disturbance(line, disturbance); },
                        [&](IterationBegin& begin) { read_node_block(line, begin); },
                        [](const OneOf<TimerEnd, PolicyStall, Note> auto&) {}},
               record.what);
    record.node = node_of(line);
    return record;
  }

  /// Reads the block that a node's agent begins to divide.
  void read_node_block(const JsonObject& line, IterationBegin& begin) const {
    if (line.find("node_block") == nullptr) return;
    Block& block = begin.node_block.emplace();
    block.id = count(line, "node_block");
    block.phase =
        static_cast<int>(line.whole("phase", 0, static_cast<Items>(file_.run.phases.size()) - 1));
    const Workload& workload = file_.run.phases[static_cast<std::size_t>(block.phase)];
    block.iteration = static_cast<int>(line.whole("iteration", 0, workload.iterations - 1));
    block.items = line.whole("items", 1, workload.items);
    block.first = line.whole("first_item", 0, workload.items - block.items);
  }

  /// Reads a block that was handed out and not accepted.
  template <class Handed>
  void read_handed_out(const JsonObject& line, Handed& of) {
    of.unit = named_unit(line);
    expect_named(line, "block");
    of.block = read_block(line);
    of.assigned = seconds(line, "assigned_s");
    of.after_events = count(line, "after_events");
  }

  void read_loss(const JsonObject& line, LostBlock& lost) {
    if (line.find("cap_items") != nullptr) {
      const auto phase = static_cast<std::size_t>(lost.block.phase);
      lost.cap_items = line.whole("cap_items", file_.run.phases[phase].grain_items, most_items);
    }
    if (line.find("by") != nullptr) lost.by = worded<LostBy>(line.field("by"));
    if (line.find("goes_on") != nullptr) lost.goes_on = line.flag("goes_on");
    if (lost.goes_on) going_on_.insert_or_assign(lost.block.id, lost);
  }

  /// Reads the end of a block that was lost and went on.
  void read_late(const JsonObject& line, LateEnd& late, Seconds at) {
    const auto lost = going_on_.extract(count(line, "block"));
    const UnitId unit = named_unit(line);
    if (lost.empty() || lost.mapped().unit != unit) {
      throw InputError(line.where(),
                       "no block of this number was lost on this unit and went on; give a run file "
                       "as it was written");
    }
    late.unit = unit;
    late.block = lost.mapped().block;
    late.assigned = lost.mapped().assigned;
    read_stages(line, late, at);
  }

  void read_probe(const JsonObject& line, ProbeBegin& begin) {
    begin.unit = named_unit(line);
    expect_named(line, "probe");
    begin.probe.id = count(line, "probe");
    begin.probe.number = line.field("number").natural();
    const auto bytes = [&](const std::string& name) {
      return static_cast<double>(line.whole(name, 0, most_bytes));
    };
    begin.probe.there_bytes = bytes("there_bytes");
    if (line.find("back_bytes") != nullptr) begin.probe.back_bytes = bytes("back_bytes");
    begin.after_blocks = count(line, "after_blocks");
    const std::optional<UnitId> level = node_of(line);
    if (begin.probe.id != probes_begun_[level]++) {
      throw InputError(
          line.where(),
          "probes are numbered 0, 1, 2, ... in the order of asking; give a run file as "
          "it was written");
    }
    probes_.emplace(std::pair(level, begin.probe.id), begin);
  }

  void read_probed(const JsonObject& line, Probed& probed) {
    probed.unit = named_unit(line);
    expect_named(line, "probe");
    const auto begun = probes_.extract(std::pair(node_of(line), count(line, "probe")));
    if (begun.empty() || begun.mapped().unit != probed.unit) {
      throw InputError(line.where(),
                       "no probe of this number is under way on this unit; give a run file as it "
                       "was written");
    }
    probed.probe = begun.mapped().probe;
    if (line.find("there_s") == nullptr) return;
    probed.times = ProbeTimes{seconds(line, "there_at_s"), stage_time(line, "there_s"),
                              seconds(line, "back_at_s"), stage_time(line, "back_s")};
  }

  /// The unit that the event is about.
  [[nodiscard]] UnitId named_unit(const JsonObject& line) const {
    expect_named(line, "unit");
    return unit_of(line, "unit");
  }

  /// Throws InputError unless the event has what it is about.
  void expect_named(const JsonObject& line, const std::string& member) const {
    if (line.find(member) != nullptr) return;
    throw InputError(place(),
                     "'" + line.text("event") + "' must name its " + member + "; write it again");
  }

  RunFile file_;
  std::size_t line_ = 0;
  std::set<std::uint64_t> handed_out_;
  std::map<std::uint64_t, LostBlock> going_on_;  ///< lost blocks whose ends are still to come
  std::vector<NodeOfRun> nodes_;                 ///< of a run of two levels
  /// By level and number: probes whose ends are still to come.
  std::map<std::pair<std::optional<UnitId>, std::uint64_t>, ProbeBegin> probes_;
  std::map<std::optional<UnitId>, std::uint64_t> probes_begun_;  ///< by level
};

}  // namespace

RunFile read_run_file(const std::string& path) {
  std::ifstream in = open_input(path, "give the path of a run file");
  return read_run(in, path);
}

RunFile read_run(std::istream& in, const std::string& path) { return RunReader(path).read(in); }

}  // namespace equipoise
