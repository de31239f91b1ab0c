// Names that all platforms written by Equipoise use.
#pragma once

namespace equipoise {

/// The host that holds the input, named as in StarPU: the memory of the machine.
constexpr const char* master_host = "RAM";
/// The link to units that compute in that memory; transfers over it cost nothing.
constexpr const char* free_link = "memory";

}  // namespace equipoise
