// Units that imitate an accelerator on this machine's cores.
#pragma once

#include <memory>

#include "real/emulated/emulated_device.hpp"
#include "real/unit_spec.hpp"

namespace equipoise {

/// The kind "emulated".
[[nodiscard]] UnitKindInfo emulated_kind();

/// An accelerator with `figures` that computes with `threads` cores.
[[nodiscard]] std::shared_ptr<const UnitFactory> make_emulated_factory(
    const EmulatedFigures& figures, int threads);

}  // namespace equipoise
