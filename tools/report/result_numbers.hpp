// Single numbers of a result, found by the path that they have in results.json.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "tools/report/result_fields.hpp"

namespace equipoise {

/// A number of a result.
struct ResultNumber {
  std::string path;  ///< in results.json: "idle_fraction.by_unit.cuda0"
  double value = 0.0;
  const char* unit = "";                             ///< of measure, such as "s"; empty: none
  NumberFormat format = {Notation::significant, 4};  ///< in tables
};

/// The numbers that `path` names: of a field such as "blocks", of statistics the mean
/// ("makespan_s") or what the path names ("makespan_s.sd"), of values by unit that of one
/// ("share_by_unit.cuda0") or all of them ("share_by_unit"), of phases, counted from 1, that of one
/// ("phases.2.duration_s", "phases.2.share_by_unit.cuda0"). Empty if nothing is called so, or it is
/// no number; values that are not known are left out.
[[nodiscard]] std::vector<ResultNumber> numbers_at(const OfResult& of, std::string_view path);

/// The paths of the numbers that `path` names in a result on these units with so many phases, if
/// all is known of it. Empty if it names none.
[[nodiscard]] std::vector<std::string> number_paths(std::string_view path,
                                                    const std::vector<std::string>& units,
                                                    std::size_t phases);

}  // namespace equipoise
