// Sums up what the recorder found.
#include "tools/report/recording_warnings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <vector>

#include "tools/console/console.hpp"
#include "tools/console/quantity_text.hpp"
#include "tools/console/text_table.hpp"
#include "tools/report/trace_report.hpp"

namespace equipoise {

std::string imprecision_text(const Recording& recording) {
  if (recording.imprecise.empty()) return {};
  const ImpreciseMean& worst =
      *std::ranges::max_element(recording.imprecise, {}, &ImpreciseMean::uncertainty);
  const double times = std::pow(worst.uncertainty / recording_precision, 2.0);
  const std::string advice =
      worst.has_all_samples
          ? "more time does not help, because it has as many samples as are taken of one size: "
            "record while nothing else runs"
          : fmt::format(
                "to know it to {:.0f} %, record {} times as long (--seconds-max), or while "
                "nothing else runs",
                100.0 * recording_precision, significant(times, 2));
  return fmt::format(
      "{} of {} mean times are uncertain by more than {:.0f} %; the worst, of {} at {} items, by "
      "{:.1f} %: a prediction with blocks of this size may be off by as much; {}",
      recording.imprecise.size(), recording.means, 100.0 * recording_precision, worst.unit,
      worst.items, 100.0 * worst.uncertainty, advice);
}

void warn_of(const Recording& recording) {
  std::vector<std::string> doubts = recording.doubts;
  std::ranges::move(falling_times(recording.trace), std::back_inserter(doubts));
  for (const std::string& line :
       {imprecision_text(recording), in_one_line(doubts), in_one_line(recording.unmetered)}) {
    if (!line.empty()) warn(line);
  }
}

}  // namespace equipoise
