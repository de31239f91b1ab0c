// Tables of runs and their units, from headers and summaries; and their blocks, sorted by unit and
// packed.
#include "tools/page/runs_page.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <istream>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "shared_policies/model/failure.hpp"
#include "shared_policies/run/unit_spans.hpp"
#include "shared_policies/text/printable_text.hpp"
#include "tools/console/quantity_text.hpp"
#include "tools/console/text_table.hpp"
#include "tools/page/page_html.hpp"
#include "tools/report/result_fields.hpp"
#include "tools/report/why_text.hpp"
#include "traces/files/input_file.hpp"
#include "traces/json_record.hpp"
#include "traces/run_file.hpp"

namespace equipoise {
namespace {

/// The number at `path` as `text_of` writes it.
template <class Text>
PageCell cell(const JsonValue& object, const char* path, Text text_of) {
  const JsonValue* const value = member(object, path);
  return value == nullptr ? PageCell{"–"} : PageCell{text_of(value->number), value->text};
}

/// Whole numbers in full, others with so many significant digits.
PageCell number_cell(const JsonValue& object, const char* path, int digits) {
  return cell(object, path, [digits](double number) {
    const bool is_count = number == std::floor(number) && number < 1e15;
    return is_count ? fmt::format("{:.0f}", number) : significant(number, digits);
  });
}

PageCell time_cell(const JsonValue& object, const char* path) {
  return cell(object, path, [](double number) { return quantity_text(number, "s", 4); });
}

PageCell percent_cell(const JsonValue& object, const char* path) {
  return cell(object, path, [](double number) { return fmt::format("{:.1f}", 100.0 * number); });
}

/// Why the run is not at its lower bound; empty if nothing is known.
std::string why_html(const JsonValue& header, const JsonValue& summary) {
  const std::string why = why_text_of_run(text_at(header, "spelling"), summary);
  return why.empty() ? why : "<p>" + markup_escaped(why) + "</p>\n";
}

/// The units of a run; `why` stands above them.
std::string units_html(const JsonValue& header, const JsonValue& summary, const std::string& why) {
  const JsonValue* const units = member(summary, "by_unit");
  if (units == nullptr) return {};
  PageTable table;
  table.headings = {"unit",    "items",    "share %",
                    "blocks",  "setup",    "copy in",
                    "compute", "copy out", explained("idle %", "Share of the run not working."),
                    "last end"};
  for (const JsonMember& unit : units->object) {
    const JsonValue& of = unit.value;
    table.rows.push_back({{markup_escaped(unit.name), {}, true},
                          number_cell(of, "items", 10),
                          percent_cell(of, "share"),
                          number_cell(of, "blocks", 10),
                          time_cell(of, "setup_s"),
                          time_cell(of, "in_s"),
                          time_cell(of, "compute_s"),
                          time_cell(of, "out_s"),
                          percent_cell(of, "idle_fraction"),
                          time_cell(of, "last_end_s")});
  }
  return fmt::format("<h3>{} on {}</h3>\n{}{}", markup_escaped(text_at(header, "spelling")),
                     markup_escaped(text_at(header, "on")), why, table_html(table));
}

/// A page has so many decisions, and estimates of units in them, at most.
constexpr std::size_t most_decisions = 20'000;
constexpr std::size_t most_estimates = 50'000;
/// In how many parts a run without single blocks is divided.
constexpr std::size_t bins = 1000;
/// The kinds of time in these, in the order of `shares`.
constexpr std::array shared_kinds = {"compute", "setup", "in", "out", "barrier", "controller"};

/// A block, and from when its unit waited for the controller alone.
struct PlacedBlock {
  const BlockRecord* record;
  Seconds told;
};

/// What a run file tells, by unit.
struct Sorted {
  std::vector<std::vector<PlacedBlock>> by_unit;
  std::vector<const DecisionRecord*> decisions;
  Json spans = Json::array();  ///< lost blocks, work that was dropped, absence of units
  Json disturbances = Json::array();
  Seconds makespan;
  std::size_t blocks = 0;
};

Json disturbance_json(const Disturbance& d) {
  Json json = {{"at_s", d.at.value}, {"what", to_string(d.kind) + (" of " + d.target)}};
  if (d.until < Seconds::infinity()) json["until_s"] = d.until.value;
  return json;
}

/// Adds what a unit did besides blocks; what goes on from an iteration to the next is one.
void add_span(Json& spans, const UnitSpan& span) {
  const char* const kind = to_string(span.activity);
  for (auto before = spans.rbegin(); before != spans.rend(); ++before) {
    if ((*before)["unit"] != span.unit.index) continue;
    if ((*before)["kind"] != kind || (*before)["to_s"] != span.begin.value) break;
    (*before)["to_s"] = span.end.value;
    return;
  }
  spans.push_back({{"unit", span.unit.index},
                   {"kind", kind},
                   {"from_s", span.begin.value},
                   {"to_s", span.end.value}});
}

Sorted sorted(const RunFile& file) {
  Sorted sorted;
  sorted.by_unit.resize(file.run.units.size());
  sorted.makespan = file.summary ? file.summary->numbers.makespan : latest_time(file.run);
  std::unordered_map<const Block*, Seconds> told;
  for_each_span(file.run, sorted.makespan, [&](const UnitSpan& span) {
    if (span.activity == Activity::wait_control) told[span.next] = span.begin;
    if (span.activity == Activity::lost || span.activity == Activity::redone ||
        span.activity == Activity::absent) {
      add_span(sorted.spans, span);
    }
  });
  for (const RecordedLine& line : file.run.lines) {
    if (const auto* const r = std::get_if<BlockRecord>(&line.what)) {
      const auto known = told.find(&r->block);
      sorted.by_unit[r->unit.index].push_back(
          {r, known == told.end() ? r->begins.setup : known->second});
      ++sorted.blocks;
    } else if (const auto* const decision = std::get_if<DecisionRecord>(&line.what)) {
      sorted.decisions.push_back(decision);
    } else if (const auto* const event = std::get_if<EventRecord>(&line.what)) {
      const auto* const disturbance = std::get_if<Disturbance>(&event->what);
      if (disturbance != nullptr) sorted.disturbances.push_back(disturbance_json(*disturbance));
    }
  }
  for (std::vector<PlacedBlock>& blocks : sorted.by_unit) {
    std::ranges::stable_sort(blocks, std::less<>(),
                             [](const PlacedBlock& block) { return block.record->begins.setup; });
  }
  return sorted;
}

/// Until when the unit, free since `before`, was held back before the block: by other units, a
/// timer or the begin of an iteration.
Seconds held_until(const PlacedBlock& block, Seconds before) {
  return std::clamp(block.told, before, std::max(before, block.record->begins.setup));
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

std::string base64(const std::string& bytes) {
  constexpr const char* digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t bits = 0;
    for (std::size_t k = i; k < i + 3; ++k) {
      bits = bits << 8 | (k < bytes.size() ? static_cast<unsigned char>(bytes[k]) : 0U);
    }
    for (int shift = 18; shift >= 0; shift -= 6) text += digits[bits >> shift & 63U];
  }
  for (std::size_t k = bytes.size(); k % 3 != 0; ++k) text[text.size() - 3 + k % 3] = '=';
  return text;
}

/// Appends `value` to `bytes`, 7 bits a byte, the lowest first.
void append_unsigned(std::string& bytes, std::uint64_t value) {
  for (; value >= 128; value >>= 7) bytes += static_cast<char>(128U | (value & 127U));
  bytes += static_cast<char>(value);
}

/// Does the same with the sign in the lowest bit.
void append_signed(std::string& bytes, std::int64_t value) {
  const auto bits = static_cast<std::uint64_t>(value) << 1;
  append_unsigned(bytes, value < 0 ? ~bits : bits);
}

/// `bytes` deflated (zlib's format) and in base64.
std::string packed(const std::string& bytes) {
  uLongf size = compressBound(bytes.size());
  std::string deflated(size, '\0');
  const int status =
      compress2(reinterpret_cast<Bytef*>(deflated.data()), &size,
                reinterpret_cast<const Bytef*>(bytes.data()), bytes.size(), Z_BEST_COMPRESSION);
  EQ_CHECK(status == Z_OK, "zlib has room for what it deflates");
  deflated.resize(size);
  return base64(deflated);
}

/// The columns of blocks; from `first_stage` on, stages and what lies between them.
constexpr std::array column_names = {"block",        "items",   "start",    "held",
                                     "tag",          "setup",   "in_wait",  "in",
                                     "compute_wait", "compute", "out_wait", "out"};
enum Column : std::size_t { block_ids, item_counts, starts, held_spans, tags, first_stage };

Json columns_json(const Sorted& run, double quantum_s) {
  const auto quanta = [quantum_s](Seconds t) { return std::llround(t.value / quantum_s); };
  std::array<std::string, column_names.size()> columns;
  for (const auto& blocks : run.by_unit) {
    Seconds before{};
    std::int64_t id = 0;
    std::int64_t items = 0;
    for (const PlacedBlock& placed : blocks) {
      const BlockRecord& r = *placed.record;
      append_signed(columns[block_ids], static_cast<std::int64_t>(r.block.id) - id);
      append_signed(columns[item_counts], r.block.items - items);
      id = static_cast<std::int64_t>(r.block.id);
      items = r.block.items;
      const std::array<Seconds, 8> at = stages_of(r);
      append_signed(columns[starts], quanta(at.front()) - quanta(before));
      append_unsigned(
          columns[held_spans],
          static_cast<std::uint64_t>(quanta(held_until(placed, before)) - quanta(before)));
      std::int64_t last = quanta(at.front());
      for (std::size_t i = 0; i + 1 < at.size(); ++i) {
        const std::int64_t now = std::max<std::int64_t>(last, quanta(at[i + 1]));
        append_unsigned(columns[first_stage + i], static_cast<std::uint64_t>(now - last));
        last = now;
      }
      columns[tags] += static_cast<char>(r.block.tag);
      before = std::max(before, r.end);
    }
  }
  Json json = Json::object();
  for (std::size_t i = 0; i < columns.size(); ++i) json[column_names[i]] = packed(columns[i]);
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
      const Seconds held = held_until(placed, before);
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

Json facts_of(const RunFile& file, const Sorted& run, const PageRun& page) {
  Json units = Json::array();
  Json counts = Json::array();
  for (std::size_t i = 0; i < file.run.units.size(); ++i) {
    const Unit& unit = file.run.units[i];
    units.push_back({{"id", unit.name}, {"kind", to_string(unit.kind)}, {"model", unit.model}});
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
      {"header", json_from(page.header)},
      {"summary", json_from(page.summary)}};
}

}  // namespace

PageRun read_page_run(const std::string& path) {
  const RunFile file = read_run_file(path);
  PageRun page;
  auto in = open_input(path, "give a run file");
  std::string line;
  std::string last;
  for (std::size_t number = 1; next_line(in, line, path, number); ++number) {
    if (number == 1) page.header = parse_json(line, path);
    last.swap(line);
  }
  if (last.starts_with("{\"summary\"")) page.summary = parse_json(last, path);
  const Sorted run = sorted(file);
  const double quantum_s = quantum_of(run);
  Json facts = facts_of(file, run, page);
  facts["quantum_s"] = quantum_s;
  Json coarse = facts;
  facts["columns"] = columns_json(run, quantum_s);
  coarse["shares_of"] = {{"bins", bins}, {"kinds", shared_kinds}};
  coarse["shares"] = packed(shares_bytes(run));
  page.with_blocks = line_of(facts);
  page.with_shares = line_of(coarse);
  return page;
}

std::string runs_html(const std::vector<PageRun>& runs) {
  std::vector<const PageRun*> sorted;
  for (const PageRun& run : runs) sorted.push_back(&run);
  std::ranges::stable_sort(sorted, std::less<>(), [](const PageRun* run) {
    return number_at(run->summary, "makespan_s", 1e300);
  });
  const ResultField& spread = result_field("finish_spread_s");
  PageTable table;
  table.caption = "The single runs whose files are on this page.";
  table.headings = {"policy",     "on",
                    "makespan",   explained("times bound", "The makespan over the lower bound."),
                    "blocks",     "decisions",
                    "rebalances", explained(spread.heading, spread.explanation),
                    "verified"};
  std::string why_of_only;
  std::string units;
  for (const PageRun* const run : sorted) {
    const double bound_s = number_at(run->summary, "lower_bound_s", 0.0);
    const double ratio = number_at(run->summary, "makespan_s", 0.0) / bound_s;
    const bool is_whole = run->summary.kind == JsonValue::Kind::object;
    const char* const verified = is_true_at(run->summary, "verified") ? "yes"
                                 : is_unchecked(run->summary)         ? "unverified"
                                                                      : "<b>no</b>";
    table.rows.push_back({{markup_escaped(text_at(run->header, "spelling")), {}, true},
                          {markup_escaped(text_at(run->header, "on")), {}, true},
                          time_cell(run->summary, "makespan_s"),
                          {bound_s > 0.0 ? fmt::format("{:.3f}", ratio) : "–"},
                          number_cell(run->summary, "blocks", 10),
                          number_cell(run->summary, "decisions.count", 4),
                          number_cell(run->summary, "rebalances", 4),
                          time_cell(run->summary, "finish_spread_s"),
                          {is_whole ? verified : "interrupted"}});
    const std::string why = why_html(run->header, run->summary);
    if (runs.size() == 1) why_of_only = why;
    units += units_html(run->header, run->summary, runs.size() == 1 ? "" : why);
  }
  return table_html(table) + why_of_only + "<details><summary>Units of each run</summary>\n" +
         units + "</details>\n";
}

}  // namespace equipoise
