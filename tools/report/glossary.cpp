// Collects the words: result fields and causes of loss have their sentences where they are defined,
// all others have them here.
#include "tools/report/glossary.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <boost/algorithm/string.hpp>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "shared_policies/machine/trace.hpp"
#include "shared_policies/model/failure.hpp"
#include "shared_policies/run/prediction.hpp"
#include "shared_policies/text/nearest_name.hpp"
#include "shared_policies/text/words.hpp"
#include "tools/report/result_fields.hpp"
#include "tools/worlds/experiment_facts.hpp"
#include "traces/experience_file.hpp"
#include "traces/json_record.hpp"
#include "traces/run_file.hpp"

namespace equipoise {
namespace {

struct TermText {
  std::string_view word;
  std::string_view name;
  std::string_view sentence;
};

/// The words that are no fields of results.
constexpr auto other_terms = std::to_array<TermText>({
    {"item", "",
     "The smallest piece of work that makes sense: a line of a matrix, an option, a MFlop."},
    {"grain", "", "Block sizes are multiples of so many items."},
    {"block", "", "Consecutive items that one unit does at a time."},
    {"unit", "", "A processor that does blocks: some CPU cores, a GPU or another accelerator."},
    {"workload", "", "What is to be done: a kernel and its problem size."},
    {"kernel", "", "The computation that a workload does for its items, such as matmul."},
    {"iteration", "",
     "One pass over all items; the next one begins when the last unit has finished."},
    {"phase", "", "One of several workloads that are done one after another."},
    {"trace", "", "A file of block times of units: measured (recorded), imported, or modelled."},
    {"platform", "", "A file of units and the links between them, in the format of SimGrid."},
    {"scenario", "",
     "A file of what disturbs a run: competing load, slower links, lost and joining units."},
    {"run", "", "One execution of one policy, simulated or real."},
    {"baseline", "", "The policy to which speedups refer; greedy unless another one is given."},
    {"lower bound", "lower_bound_s",
     "A makespan that no run without noise can beat: computing on every unit, every copy engine "
     "and every link need at least so long, besides the merges between iterations."},
    {"best known", "",
     "The shortest mean makespan found under the same noise: by plans that know the mean block "
     "times, by the policy equipoise, or by any policy of the table."},
    {"best known by", "best_known_by",
     "What reached the best known makespan: a policy of the table, or a plan of the search."},
    {"noise", "",
     "Block times vary from block to block as they did when they were recorded; --noise off "
     "takes their means."},
    {"experience", "", "Block times from earlier runs, kept in the file of --experience."},
    {"predicted", "", "The mean makespan of the simulations."},
    {"measured", "", "The mean makespan of the real runs."},
    {"simulated", "",
     "The makespan, or the energy, of this division as a simulated run without noise, where units "
     "share links and the scenario acts."},
    {"least", "", "Of what no other division that is shown has less: time, EDP or energy."},
    {"error", "relative_error",
     "How much the predicted makespan is above (+) or below (-) the measured one."},
    {"sd", "",
     "The standard deviation of repetitions of the same measurement, in % of their mean."},
    {"Kendall's tau", "kendall_tau",
     "How well the order of policies is predicted: 1 if every pair is in the right order, 0 if "
     "half of them are, -1 if none is."},
    {"order of policies", "",
     "Which policy is faster, for each pair whose measured makespans differ by more than noise."},
    {"verdict", "", "What can be said of a change, beyond noise: better, worse, equal or nothing."},
    {"no difference shown", "undecided",
     "The interval of the change contains 0: there may be a change, but noise hides it."},
    {"runs within", "",
     "How many of the measured runs ended within the interval that was predicted for a single "
     "one."},
    {"change", "", "How much the new mean is above (+) or below (-) the old one."},
    {"interval", "",
     "Where the value lies with the confidence that was asked for, 95 % by default."},
    {"old", "", "The mean of the first of the two results that diff compares."},
    {"new", "", "The mean of the second of the two results that diff compares."},
    {"paired", "",
     "Repetitions with the same random draws are compared one by one, which removes their noise."},
    {"doubts", "", "What looks wrong in a trace, though it can be used: trace check says it."},
    {"probe", "",
     "Bytes that a policy sends to a unit, or there and back, to learn what its link carries; they "
     "take as long as any copy of so many bytes."},
    {"backup task", "backup",
     "A block that is given to an idle unit, too, because it is overdue or would be done sooner "
     "there; the first result counts, and the other block is dropped (backup=on)."},
    {"late end", "late_end",
     "When a unit ended a block that had been dropped: taken back, or done first by another unit."},
    {"training block", "",
     "A block that a policy hands out to learn a unit's speed; its items count like all others."},
    {"coverage alone", "",
     "It was checked that every item was accepted exactly once, but no results, because paced "
     "units compute none."},
    {"ideal", "",
     "The share of the items with which all units would have ended together, at the speed that "
     "they had in this run."},
    {"waiting", "", "The unit neither computes nor copies."},
    {"at", "", "When it happened, from the begin of the run."},
    {"what", "", "What happened: a loss or a disturbance of a unit or a link."},
    {"what it does", "", "The idea of the policy in one sentence."},
    {"size", "", "The number of items of a block."},
    {"samples", "", "How many blocks of this size were timed, without outliers."},
    {"mean", "", "The mean time of computing a block of this size."},
    {"speed", "", "Items per second in blocks of this size."},
    {"host", "", "A unit as the platform file names it."},
    {"kind", "", "cpu, gpu or mic: what sort of processor the unit is."},
    {"model", "",
     "The name of the hardware; as a cause of an interval, how far simulations were off in "
     "validations."},
    {"interval95", "",
     "With 95 % probability, a single real run takes a time within this interval; in tables the "
     "columns '95 % from' and '95 % to'."},
    {"model_errors_from", "",
     "Which validations say how far simulations are off: a file, or those in the program."},
    {"what_if", "",
     "Whether the fastest policy stays so when speeds, links or efficiencies of modelled units are "
     "so much higher or lower."},
    {"memory", "", "The memory of the unit, or its bandwidth."},
    {"busy W", "", "What the unit takes while it computes, in watts."},
    {"idle W", "", "What the unit takes while it does nothing, in watts."},
    {"cores", "", "How many cores the device has."},
    {"single", "", "Peak speed in single precision, of the data sheet."},
    {"double", "", "Peak speed in double precision, of the data sheet."},
    {"bus", "", "The bandwidth between the device and its host, of the data sheet."},
    {"TDP", "", "The power that the device may take for long (thermal design power)."},
    {"items", "", "How many items the unit did."},
    {"share", "", "The part of all items that the unit did."},
    {"setup", "",
     "The time of preparing a unit before its first block: first use, and sending the data that "
     "stays there."},
    {"in", "", "Copying blocks' input to the unit: its time, or the bandwidth of the links."},
    {"compute", "", "The time of computing blocks."},
    {"out", "", "Copying blocks' results back: its time, or the bandwidth of the links."},
    {"delay", "", "The latency of the links between the master and the unit, in this direction."},
    {"last end", "", "When the unit finished its last block, or work that was dropped."},
    {"items at the bound", "",
     "The unit's items in the division with which the lower bound would be reached."},
    {"items for time", "", "The unit's items in the fastest schedule."},
    {"dispatch", "", "The time of handing out one block."},
    {"merge", "", "The time of what is done on the host between two iterations."},
    {"first use", "",
     "How long the first block on a unit takes in addition, for example to load a library."},
    {"resident data", "",
     "Data that every unit needs as a whole, and keeps; an accelerator reads with each block what "
     "its memory does not hold of them."},
    {"slots", "",
     "How many blocks a policy should keep queued on the unit, so that copies overlap with "
     "computing."},
    {"outlier", "",
     "A measured time much longer than the others of its size; it is not used itself, but "
     "simulations have what it took beyond the others as a wait."},
    {"timed as", "", "The unit of the trace whose block times the host is given."},
    {"links in", "", "The links between the master and the unit."},
    {"master", "", "The host that holds the input and hands out blocks."},
    {"node", "", "The machine that a unit belongs to."},
    {"device", "", "The accelerator that a unit is a part of, together with other units."},
    {"experiments", "", "How many experiments of the campaign had a result of the policy."},
    {"worst", "", "The worst value over all experiments."},
    {"times fastest", "over_best",
     "The mean makespan divided by that of the fastest policy of the same experiment that knows "
     "nothing beforehand."},
    {"times equipoise", "over_reference",
     "The makespan divided by that of the reference policy (equipoise unless a campaign names "
     "another), repetition by repetition."},
    {"..", "", "Between two units: these and all between; each has the numbers of the row."},
});

/// Words without what stands between them: "idle %" is "idle", "size (items)" is "size items".
std::vector<std::string> words_of(std::string text) {
  const auto is_between = boost::is_any_of(" (),:");
  boost::trim_if(text, is_between);
  std::vector<std::string> words;
  if (!text.empty()) boost::split(words, text, is_between, boost::token_compress_on);
  return words;
}

/// The words from `first` to before `end`, with blanks between them.
std::string joined(const std::vector<std::string>& words, std::size_t first, std::size_t end) {
  return fmt::format("{}", fmt::join(std::span(words).subspan(first, end - first), " "));
}

/// The term with this word, singular or plural, or this name, in lower case; null if there is none.
const Term* find_term(const std::string& asked) {
  const std::string wanted = boost::replace_first_copy(asked, "'s ", " ");
  for (const Term& term : glossary()) {
    const std::string word = boost::replace_first_copy(lower(term.word), "'s ", " ");
    const bool is_plural = word + "s" == wanted || word == wanted + "s";
    if (word == wanted || is_plural || (!term.name.empty() && lower(term.name) == wanted)) {
      return &term;
    }
  }
  return nullptr;
}

/// Whether `word` is a unit of measure, or a number, as it stands beside a word in a heading.
bool is_measure(const std::string& word) {
  constexpr auto units = std::to_array<std::string_view>(
      {"%", "s", "ms", "us", "ns", "j", "w", "gib", "gb/s", "tflop/s", "items", "by", "unit"});
  return std::ranges::find(units, word) != units.end() ||
         word.find_first_not_of("0123456789.") == std::string::npos;
}

/// `wanted` as a heading has it, in lower case, without the units of measure at its end, unless it
/// is a word itself: "idle W" and "items" are.
std::string without_units(const std::string& wanted) {
  std::vector<std::string> words = words_of(wanted);
  if (words.empty()) return wanted;
  while (words.size() > 1 && find_term(joined(words, 0, words.size())) == nullptr &&
         is_measure(words.back())) {
    words.pop_back();
  }
  return joined(words, 0, words.size());
}

/// The terms of which `wanted` consists: "old makespan_s" of "old" and "makespan", "95 % interval"
/// of "interval"; none if a part of it is unknown.
std::vector<Term> terms_in(const std::string& wanted) {
  const std::vector<std::string> words = words_of(wanted);
  std::vector<Term> terms;
  for (std::size_t first = 0; first < words.size();) {
    std::size_t end = words.size();
    while (end > first && find_term(joined(words, first, end)) == nullptr) --end;
    if (end == first) {
      if (!is_measure(words[first])) return {};
      ++first;
      continue;
    }
    terms.push_back(*find_term(joined(words, first, end)));
    first = end;
  }
  return terms;
}

/// Several outputs may have a field of the same name; the first one explains it.
std::vector<Term> all_terms() {
  std::vector<Term> terms;
  for (const TermText& of : other_terms) {
    terms.push_back({std::string(of.word), std::string(of.name), std::string(of.sentence)});
  }
  for (std::size_t cause = 0; cause < uncertainties; ++cause) {
    const UncertaintyText& text = text_of(static_cast<Uncertainty>(cause));
    if (std::ranges::find(terms, text.name, &Term::word) != terms.end()) continue;
    terms.push_back({text.name, "", fmt::format("Cause of an interval: {}.", text.meaning)});
  }
  std::set<std::string> names;
  std::set<std::string_view> headings;
  for (const ResultField& field : result_fields()) headings.insert(field.heading);
  for (const ResultField& field : result_fields()) {
    const std::string heading = field.heading;
    const bool is_word_of_another = heading.empty() && headings.contains(field.name);
    if (is_word_of_another || !names.insert(field.name).second) continue;
    if (heading.empty() || heading == field.name) {
      terms.push_back({field.name, "", field.explanation});
    } else {
      terms.push_back({heading, field.name, field.explanation});
    }
  }
  std::ranges::sort(terms, {}, [](const Term& t) { return std::pair(lower(t.word), t.word); });
  return terms;
}

/// Where a member is, and what it says.
struct Meaning {
  std::string where;
  std::string text;
};

/// Adds the members of `Struct` that are called `name`, and those of the records in its members.
template <Described Struct>
void add_terms(std::vector<Meaning>& terms, const std::string& where, const std::string& name);

/// Adds those of the records that values of this type hold.
template <class T>
void add_terms_of_values(std::vector<Meaning>& terms, const std::string& where,
                         const std::string& name) {
  if constexpr (is_object<T>) {
    add_terms_of_values<typename T::value_type::second_type>(terms, where, name);
  } else if constexpr (is_optional<T> || is_list<T>) {
    add_terms_of_values<typename T::value_type>(terms, where, name);
  } else if constexpr (Described<T>) {
    add_terms<T>(terms, where, name);
  }
}

template <Described Struct>
void add_terms(std::vector<Meaning>& terms, const std::string& where, const std::string& name) {
  for_each_member<Struct>([&]<class One>(const One& one) {
    const MemberFacts& facts = one.facts;
    add_terms_of_values<typename One::Value>(
        terms, facts.is_flat ? where : where + ", in " + facts.name, name);
    if (facts.is_flat || facts.name != name) return;
    const std::string unit = facts.unit;
    terms.push_back({where, facts.meaning + (unit.empty() ? "" : ", in " + unit)});
  });
}

/// "The experiment" within a sentence: "the experiment".
std::string in_sentence(std::string where) {
  if (where[0] >= 'A' && where[0] <= 'Z') where[0] = static_cast<char>(where[0] - 'A' + 'a');
  return where;
}

/// A term for each record of files that has a member called `name`, such as "block_timeout_s"; none
/// if no record has.
std::vector<Term> file_terms(const std::string& name) {
  std::vector<Meaning> found;
  add_terms<RunHeader>(found, "Header of a run file", name);
  add_terms<RunSummary>(found, "Summary of a run file", name);
  add_terms<Trace>(found, "Header of a trace", name);
  add_terms<TraceSample>(found, "Sample of a trace", name);
  add_terms<ExperimentFacts>(found, "The experiment in results.json", name);
  add_terms<Environment>(found, "The environment in results.json", name);
  add_terms<ExperienceEntry>(found, "An entry of an experience file", name);
  std::vector<Term> terms;
  for (auto first = found.begin(); first != found.end(); ++first) {
    const auto says_it = [&](const Meaning& other) { return other.text == first->text; };
    if (std::any_of(found.begin(), first, says_it)) continue;
    std::string where = first->where;
    for (auto other = first + 1; other != found.end(); ++other) {
      if (says_it(*other)) where += "; " + in_sentence(other->where);
    }
    terms.push_back({name, "", fmt::format("{}: {}.", where, first->text)});
  }
  return terms;
}

}  // namespace

std::span<const Term> glossary() {
  static const std::vector<Term> terms = all_terms();
  return terms;
}

const Term& term(std::string_view word) {
  const std::span<const Term> terms = glossary();
  const auto found = std::ranges::find_if(
      terms, [&](const Term& term) { return term.word == word || term.name == word; });
  EQ_CHECK(found != terms.end(), "a word that is shown is in the glossary");
  return *found;
}

std::vector<Term> find_terms(const std::string& asked) {
  const std::string wanted = lower(asked);
  if (const Term* const found = find_term(without_units(wanted))) return {*found};
  if (std::vector<Term> members = file_terms(wanted); !members.empty()) return members;
  if (std::vector<Term> parts = terms_in(without_units(wanted)); !parts.empty()) return parts;
  std::vector<Term> like;
  std::vector<std::string> known;
  for (const Term& term : glossary()) {
    if (lower(term.word).find(wanted) != std::string::npos ||
        lower(term.name).find(wanted) != std::string::npos) {
      like.push_back(term);
    }
    known.push_back(term.word);
    if (!term.name.empty()) known.push_back(term.name);
  }
  if (!like.empty()) return like;
  constexpr std::size_t most_suggested = 3;
  std::vector<std::string> near = near_names(asked, known);
  if (near.empty()) {
    throw InputError("explain",
                     fmt::format("unknown word '{}'; 'equipoise explain' lists all words", asked));
  }
  near.resize(std::min(near.size(), most_suggested));
  throw InputError("explain", fmt::format("unknown word '{}'; did you mean '{}'?", asked,
                                          fmt::join(near, "' or '")));
}

std::string legend(const std::vector<std::string>& words) {
  std::size_t longest = 0;
  for (const std::string& word : words) longest = std::max(longest, width_of(term(word).word));
  std::string text;
  for (const std::string& word : words) {
    const Term& shown = term(word);
    const std::string blank(longest - width_of(shown.word) + 2, ' ');
    text += shown.word + blank + wrapped(shown.sentence, longest + 2);
  }
  return text;
}

std::string folded_text(TextTable table) {
  const bool is_folded = table.fold();
  return table.text() + (is_folded ? "\n" + legend({".."}) : "");
}

std::string legend_paragraph(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    const Term& shown = term(word);
    text += (text.empty() ? "" : " ") + shown.word + ": " + shown.sentence;
  }
  return text;
}

}  // namespace equipoise
