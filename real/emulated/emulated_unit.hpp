// Units that imitate an accelerator on this machine's cores.
#pragma once

#include "real/unit_spec.hpp"

namespace equipoise {

/// The kind "emulated".
[[nodiscard]] UnitKindInfo emulated_kind();

}  // namespace equipoise
