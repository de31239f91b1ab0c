// Collects the words: result fields and causes of loss have their sentences where they are defined,
// all others have them here.
#include "tools/report/glossary.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "shared_policies/model/failure.hpp"
#include "shared_policies/model/nearest_name.hpp"
#include "tools/report/result_fields.hpp"

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
     "and every link need at least so long."},
    {"best known", "",
     "The shortest mean makespan found under the same noise, by plans that know the mean block "
     "times or by the policy equipoise."},
    {"noise", "",
     "Block times vary from block to block as they did when they were recorded; --noise off "
     "takes their means."},
    {"experience", "", "Block times from earlier runs, kept in the file of --experience."},
    {"predicted", "", "The mean makespan of the simulations."},
    {"measured", "", "The mean makespan of the real runs."},
    {"error", "relative_error",
     "How much the predicted makespan is above (+) or below (-) the measured one."},
    {"sd", "",
     "The standard deviation of repetitions of the same measurement, in % of their mean."},
    {"items", "", "How many items the unit did."},
    {"share", "", "The part of all items that the unit did."},
    {"setup", "",
     "The time of preparing a unit before its first block: first use, and sending the data that "
     "stays there."},
    {"in", "", "The time of copying blocks' input to the unit."},
    {"compute", "", "The time of computing blocks."},
    {"out", "", "The time of copying blocks' results back."},
    {"last end", "", "When the unit finished its last block."},
    {"items at the bound", "",
     "The unit's items in the division with which the lower bound would be reached."},
    {"items for time", "", "The unit's items in the fastest schedule."},
    {"dispatch", "", "The time of handing out one block."},
    {"merge", "", "The time of what is done on the host between two iterations."},
    {"first use", "",
     "How long the first block on a unit takes in addition, for example to load a library."},
    {"resident data", "", "Data that every unit needs as a whole, and keeps."},
    {"slots", "",
     "How many blocks a policy should keep queued on the unit, so that copies overlap with "
     "computing."},
    {"outlier", "",
     "A measured time far from the others of its size; it is kept for inspection and ignored in "
     "calculations."},
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
    {"..", "",
     "cpu0..cpu3 stands for cpu0, cpu1, cpu2 and cpu3, each of which has the numbers of the "
     "row."},
});

std::string lower(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

/// Several outputs may have a field of the same name; the first one explains it.
std::vector<Term> all_terms() {
  std::vector<Term> terms;
  for (const TermText& of : other_terms) {
    terms.push_back({std::string(of.word), std::string(of.name), std::string(of.sentence)});
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
  std::vector<Term> like;
  std::vector<std::string> known;
  for (const Term& term : glossary()) {
    const std::string word = lower(term.word);
    const std::string name = lower(term.name);
    if (word == wanted || name == wanted) return {term};
    if (word.find(wanted) != std::string::npos || name.find(wanted) != std::string::npos) {
      like.push_back(term);
    }
    known.push_back(term.word);
    if (!name.empty()) known.push_back(term.name);
  }
  if (like.empty()) throw InputError("explain", unknown_name("word", asked, known));
  return like;
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
