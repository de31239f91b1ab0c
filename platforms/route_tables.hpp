// What the routes of a platform's zones cost SimGrid, compared with the memory of this machine.
#pragma once

#include <string>
#include <string_view>

namespace equipoise {

/// Adds up the tables that SimGrid makes for the zones of a platform before it knows any route: for
/// each pair of hosts, routers and zones in a zone with routing Full or Floyd. Other kinds of
/// routing have none.
class RouteTables {
 public:
  /// Adds those of a zone of `vertices` hosts, routers and zones. Returns why the tables up to here
  /// do not fit in the memory that is free, and what to do; empty if they fit.
  [[nodiscard]] std::string refusal_of(std::string_view routing, double vertices);

 private:
  double bytes_ = 0.0;
};

}  // namespace equipoise
