// Looks for members in the descriptions of all records of files.
#include "tools/report/file_terms.hpp"

#include <fmt/format.h>

#include "shared_policies/machine/trace.hpp"
#include "tools/worlds/experiment_facts.hpp"
#include "traces/experience_file.hpp"
#include "traces/run_file.hpp"

namespace equipoise {
namespace {

/// Adds the members of `Struct` that are called `name`, and those of its parts.
template <Described Struct>
void add_terms(std::vector<Term>& terms, const std::string& where, const std::string& name) {
  for_each_member<Struct>([&]<class One>(const One& one) {
    using Value = typename One::Value;
    if constexpr (Described<Value>) {
      if (one.facts.is_flat) return add_terms<Value>(terms, where, name);
    }
    if (one.facts.name != name) return;
    const std::string unit = one.facts.unit;
    terms.push_back(
        {name, "",
         fmt::format("{}: {}{}.", where, one.facts.meaning, unit.empty() ? "" : ", in " + unit)});
  });
}

}  // namespace

std::vector<Term> file_terms(const std::string& name) {
  std::vector<Term> terms;
  add_terms<RunHeader>(terms, "Header of a run file", name);
  add_terms<Workload>(terms, "A workload of a run file", name);
  add_terms<RunUnit>(terms, "A unit of a run file", name);
  add_terms<RunSummary>(terms, "Summary of a run file", name);
  add_terms<UnitSummary>(terms, "A unit in that summary", name);
  add_terms<Trace>(terms, "Header of a trace", name);
  add_terms<TraceUnit>(terms, "A unit of a trace", name);
  add_terms<TraceSample>(terms, "A sample of a trace", name);
  add_terms<ExperimentFacts>(terms, "The experiment in results.json", name);
  add_terms<Environment>(terms, "The environment in results.json", name);
  add_terms<ExperienceEntry>(terms, "An entry of an experience file", name);
  add_terms<LearnedCost>(terms, "A cost in an experience file", name);
  return terms;
}

}  // namespace equipoise
