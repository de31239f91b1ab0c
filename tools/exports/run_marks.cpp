// Says in words what the records of a run tell.
#include "tools/exports/run_marks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <variant>

#include "shared_policies/model/overload.hpp"
#include "shared_policies/run/journal.hpp"

namespace equipoise {
namespace {

/// The mark of a record, if it has one.
class MarkOfRecord {
 public:
  explicit MarkOfRecord(const std::vector<Unit>& units) : units_(units) {}

  std::optional<RunMark> operator()(const BlockRecord&) const { return std::nullopt; }
  std::optional<RunMark> operator()(const Measured&) const { return std::nullopt; }
  std::optional<RunMark> operator()(const DecisionRecord& r) const {
    std::string sizes;
    for (const UnitEstimate& one : r.decision.estimates) {
      sizes += fmt::format("{}{} {}", sizes.empty() ? "" : ", ", units_[one.unit.index].name,
                           one.block_items);
    }
    return RunMark{r.at,
                   r.end,
                   r.decision.unit,
                   std::string(decision_word(r.decision.what)),
                   sizes.empty() ? "" : "block sizes in items: " + sizes,
                   MarkKind::decision,
                   r.decision.is(DecisionKind::unit_joined)};
  }
  std::optional<RunMark> operator()(const EventRecord& r) const {
    const Block* const block = block_of(r.what);
    RunMark mark{
        r.at, r.at, unit_of(r.what), std::string(word_of(r.what)),
        block == nullptr ? "" : fmt::format("block {}, {} items", block->id, block->items)};
    mark.is_about_join = std::holds_alternative<UnitJoined>(r.what);
    const auto as = [&](MarkKind kind) {
      mark.kind = kind;
      return std::optional(mark);
    };
    return std::visit(
        Overload{[&](const IterationBegin&) { return as(MarkKind::iteration); },
                 [&](const OneOf<UnitLost, PolicyStall> auto&) { return as(MarkKind::trouble); },
                 [&](const LostBlock& lost) {
                   if (lost.by == LostBy::unit) return as(MarkKind::trouble);
                   mark.details += lost.by == LostBy::copy ? ", a copy was first" : ", taken back";
                   return as(MarkKind::dropped);
                 },
                 [&](const OneOf<LateEnd, UnitJoined, TimerEnd, Note> auto&) {
                   return as(MarkKind::other);
                 },
                 [&](const Probed& probed) {
                   mark.details = words_of(probed);
                   return as(MarkKind::other);
                 },
                 [this](const Disturbance& disturbance) { return mark_of(disturbance); },
                 [](const OneOf<UnfinishedBlock, ProbeBegin> auto&) {
                   return std::optional<RunMark>();
                 }},
        r.what);
  }

 private:
  static std::string words_of(const Probed& probed) {
    const Probe& probe = probed.probe;
    const auto took = [](double bytes, Seconds time) {
      return fmt::format("{} bytes in {:.3g} s", bytes, time.value);
    };
    if (!probed.times) return "without an answer";
    std::string text = took(probe.there_bytes, probed.times->there);
    if (probe.back_bytes) text += ", back " + took(*probe.back_bytes, probed.times->back);
    return text;
  }

  [[nodiscard]] std::optional<RunMark> mark_of(const Disturbance& d) const {
    RunMark mark{d.at, d.until, {}, to_string(d.kind), {}, MarkKind::trouble};
    for (std::uint32_t i = 0; i < units_.size(); ++i) {
      if (d.kind != DisturbanceKind::bandwidth && units_[i].name == d.target) mark.unit = UnitId{i};
    }
    if (!mark.unit) mark.details = "link " + d.target;
    const bool has_share = d.kind == DisturbanceKind::compete;
    if (has_share || d.kind == DisturbanceKind::slow || d.kind == DisturbanceKind::bandwidth) {
      mark.details += fmt::format("{}{} {}", mark.details.empty() ? "" : ", ",
                                  has_share ? "share" : "factor", d.amount);
    }
    return mark;
  }

  const std::vector<Unit>& units_;
};

/// The lengths of the stretches of neighbouring units that are alike.
std::vector<std::size_t> lengths_alike(const std::vector<Unit>& units) {
  const auto looks = [](const Unit& unit) { return std::tie(unit.kind, unit.model, unit.node); };
  std::vector<std::size_t> lengths;
  for (std::size_t i = 0; i < units.size(); ++i) {
    if (i == 0 || looks(units[i]) != looks(units[i - 1])) lengths.push_back(0);
    ++lengths.back();
  }
  return lengths;
}

/// How many rows a stretch takes.
std::size_t rows_of(std::size_t length, std::size_t in_a_row) {
  return (length + in_a_row - 1) / in_a_row;
}

/// How many units of each stretch share a row, so that there are at most `most` rows: those of the
/// longest stretch begin to share.
std::vector<std::size_t> sharing(const std::vector<std::size_t>& lengths, std::size_t most) {
  std::vector<std::size_t> in_a_row(lengths.size(), 1);
  while (true) {
    std::size_t rows = 0;
    std::size_t longest = 0;
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      rows += rows_of(lengths[i], in_a_row[i]);
      if (rows_of(lengths[i], in_a_row[i]) > rows_of(lengths[longest], in_a_row[longest])) {
        longest = i;
      }
    }
    if (rows <= most) return in_a_row;
    ++in_a_row[longest];
  }
}

}  // namespace

Seconds end_of_run(const RunFile& file) {
  return file.summary ? file.summary->numbers.makespan : latest_time(file.run);
}

void for_each_span(const RunFile& file, const UnitWalk::Take& take) {
  for_each_span(file.run, end_of_run(file), take);
}

std::vector<bool> overlaps(const RunFile& file) {
  std::vector<bool> overlaps(file.run.units.size());
  std::vector<std::int64_t> ends(file.run.units.size());
  for_each_span(file, [&](const UnitSpan& span) {
    if (nanoseconds(span.begin) < ends[span.unit.index]) overlaps[span.unit.index] = true;
    ends[span.unit.index] = std::max(ends[span.unit.index], nanoseconds(span.end));
  });
  return overlaps;
}

std::int64_t nanoseconds(Seconds time) {
  constexpr double most_s = 9e9;
  return static_cast<std::int64_t>(std::llround(std::min(time.value, most_s) * 1e9));
}

std::vector<MeterValue> meter_values(const RunFile& file) {
  std::vector<MeterValue> values;
  std::map<std::string, Measured> energy;  // the latest reading, by domain
  for (const RecordedLine& line : file.run.lines) {
    const auto* const reading = std::get_if<Measured>(&line.what);
    if (reading == nullptr || reading->domain == policy_domain) continue;
    if (reading->what != "energy_j") {
      values.push_back({reading->at, reading->domain + " " + reading->what, reading->value});
      continue;
    }
    const auto [before, is_first] = energy.try_emplace(reading->domain, *reading);
    if (is_first || reading->at <= before->second.at) continue;
    values.push_back(
        {reading->at, reading->domain + " power (W)",
         (reading->value - before->second.value) / (reading->at - before->second.at).value});
    before->second = *reading;
  }
  return values;
}

std::vector<RunMark> marks_of(const RunFile& file) {
  std::vector<RunMark> marks;
  for (const RecordedLine& line : file.run.lines) {
    if (auto mark = std::visit(MarkOfRecord(file.run.units), line.what)) {
      marks.push_back(std::move(*mark));
    }
  }
  return marks;
}

std::vector<UnitRow> unit_rows(const std::vector<Unit>& units, std::size_t most) {
  std::vector<std::size_t> lengths = lengths_alike(units);
  if (lengths.size() > most) lengths = {units.size()};
  const std::vector<std::size_t> in_a_row = sharing(lengths, most);
  std::vector<UnitRow> rows;
  std::size_t at = 0;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    for (const std::size_t stretch_end = at + lengths[i]; at < stretch_end;) {
      const std::size_t count = std::min(in_a_row[i], stretch_end - at);
      const std::string& name = units[at].name;
      rows.push_back({count == 1 ? name : name + ".." + units[at + count - 1].name, at, count});
      at += count;
    }
  }
  return rows;
}

TimeGrid::TimeGrid(const std::vector<UnitRow>& rows, std::size_t columns, Seconds end)
    : columns_(columns), end_(end), cells_(rows.size() * columns) {
  for (std::size_t row = 0; row < rows.size(); ++row) {
    row_of_.insert(row_of_.end(), rows[row].count, row);
    weight_.push_back(1.0 / static_cast<double>(rows[row].count));
  }
}

void TimeGrid::add(const UnitSpan& span) {
  if (!(end_ > Seconds{})) return;
  const auto columns = static_cast<double>(columns_);
  const double from = std::clamp(span.begin / end_, 0.0, 1.0) * columns;
  const double until = std::clamp(span.end / end_, 0.0, 1.0) * columns;
  const std::size_t row = row_of(span.unit);
  const auto last = std::min(columns_, static_cast<std::size_t>(std::ceil(until)));
  for (auto column = static_cast<std::size_t>(from); column < last; ++column) {
    const auto left = static_cast<double>(column);
    const double covered = std::min(until, left + 1.0) - std::max(from, left);
    cells_[row * columns_ + column][static_cast<std::size_t>(span.activity)] +=
        static_cast<float>(weight_[row] * std::max(0.0, covered));
  }
}

}  // namespace equipoise
