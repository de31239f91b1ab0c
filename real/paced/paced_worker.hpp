// Units that compute nothing and take the times of a trace, in real time.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "real/paced/paced_unit.hpp"
#include "real/unit_rates.hpp"
#include "real/unit_spec.hpp"

namespace equipoise {

/// The factory of a unit that takes the times of `trace_unit`, in `phases` (phases). Units of the
/// kind "paced" that a user requests have no times before they get such a factory. Blocks overlap
/// as the unit's copy engines and memory allow (UnitPipeline) and end at the times of the model;
/// units of one device do not share its engines. `rates` are those of the unit's route to the input
/// under the run's scenario; if absent, `modelled_rates`.
[[nodiscard]] std::shared_ptr<const UnitFactory> make_paced_factory(
    std::string trace_unit, std::vector<PacedTiming> phases,
    std::optional<UnitRates> rates = std::nullopt);

}  // namespace equipoise
