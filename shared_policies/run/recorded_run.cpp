// Tells a journal what was recorded.
#include "shared_policies/run/recorded_run.hpp"

#include <variant>

#include "shared_policies/model/overload.hpp"

namespace equipoise {

void tell(const RecordedLine& line, Journal& journal) {
  std::visit(Overload{[&](const BlockRecord& record) { journal.block(record); },
                      [&](const DecisionRecord& record) { journal.decision(record); },
                      [&](const EventRecord& record) { journal.event(record); },
                      [&](const Measured& record) { journal.measured(record); }},
             line.what);
}

}  // namespace equipoise
