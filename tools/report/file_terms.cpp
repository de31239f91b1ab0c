// Looks for members in the descriptions of all records of files.
#include "tools/report/file_terms.hpp"

#include <fmt/format.h>

#include "shared_policies/machine/trace.hpp"
#include "tools/worlds/experiment_facts.hpp"
#include "traces/experience_file.hpp"
#include "traces/json_record.hpp"
#include "traces/run_file.hpp"

namespace equipoise {
namespace {

/// Adds the members of `Struct` that are called `name`, and those of the records in its members.
template <Described Struct>
void add_terms(std::vector<Term>& terms, const std::string& where, const std::string& name);

/// Adds those of the records that values of this type hold.
template <class T>
void add_terms_of_values(std::vector<Term>& terms, const std::string& where,
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
void add_terms(std::vector<Term>& terms, const std::string& where, const std::string& name) {
  for_each_member<Struct>([&]<class One>(const One& one) {
    const MemberFacts& facts = one.facts;
    add_terms_of_values<typename One::Value>(
        terms, facts.is_flat ? where : where + ", in " + facts.name, name);
    if (facts.is_flat || facts.name != name) return;
    const std::string unit = facts.unit;
    terms.push_back(
        {name, "",
         fmt::format("{}: {}{}.", where, facts.meaning, unit.empty() ? "" : ", in " + unit)});
  });
}

}  // namespace

std::vector<Term> file_terms(const std::string& name) {
  std::vector<Term> terms;
  add_terms<RunHeader>(terms, "Header of a run file", name);
  add_terms<RunSummary>(terms, "Summary of a run file", name);
  add_terms<Trace>(terms, "Header of a trace", name);
  add_terms<TraceSample>(terms, "Sample of a trace", name);
  add_terms<ExperimentFacts>(terms, "The experiment in results.json", name);
  add_terms<Environment>(terms, "The environment in results.json", name);
  add_terms<ExperienceEntry>(terms, "An entry of an experience file", name);
  return terms;
}

}  // namespace equipoise
