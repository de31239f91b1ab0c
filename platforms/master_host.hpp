// Names that the platforms we write have in common.
#pragma once

namespace equipoise {

/// The host that holds the input, as StarPU calls it: the memory of the machine.
constexpr const char* master_host = "RAM";
/// The link to units that compute in that memory: it costs nothing.
constexpr const char* free_link = "memory";

}  // namespace equipoise
