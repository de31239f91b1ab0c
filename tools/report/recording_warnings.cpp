// Sums up what the recorder found.
#include "tools/report/recording_warnings.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tools/console/console.hpp"
#include "tools/console/text_table.hpp"

namespace equipoise {

std::string imprecision_text(const Recording& recording) {
  if (recording.imprecise.empty()) return {};
  const ImpreciseMean& worst =
      *std::ranges::max_element(recording.imprecise, {}, &ImpreciseMean::uncertainty);
  return fmt::format(
      "{} of {} mean times are uncertain by more than {:.0f} %; the worst, of {} at {} items, by "
      "{:.1f} %; record for longer (--seconds-max), or while nothing else runs",
      recording.imprecise.size(), recording.means, 100.0 * recording_precision, worst.unit,
      worst.items, 100.0 * worst.uncertainty);
}

void warn_of(const Recording& recording) {
  for (const std::string& line : {imprecision_text(recording), in_one_line(recording.doubts),
                                  in_one_line(recording.unmetered)}) {
    if (!line.empty()) warn(line);
  }
}

}  // namespace equipoise
