// Looks for members in the descriptions of all records of files.
#include "tools/report/file_terms.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "shared_policies/machine/trace.hpp"
#include "tools/worlds/experiment_facts.hpp"
#include "traces/experience_file.hpp"
#include "traces/json_record.hpp"
#include "traces/run_file.hpp"

namespace equipoise {
namespace {

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

}  // namespace

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

}  // namespace equipoise
