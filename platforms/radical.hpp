// The names that SimGrid gives to the hosts of a cluster.
#pragma once

#include <optional>
#include <string_view>

namespace equipoise {

/// The number of hosts in `radical`, such as 0-9,12; nothing if it is malformed.
[[nodiscard]] std::optional<double> hosts_of_radical(std::string_view radical);

}  // namespace equipoise
