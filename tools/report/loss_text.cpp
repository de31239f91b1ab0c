// Writes losses in percent.
#include "tools/report/loss_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <optional>
#include <set>
#include <utility>

#include "tools/console/quantity_text.hpp"
#include "tools/console/text_table.hpp"

namespace equipoise {
namespace {

/// Losses below this share of the bound need no explanation.
constexpr double least_loss = 0.01;
/// Causes below this share of the bound are left out.
constexpr double least_cause = 0.005;
/// From this share of the bound on, a loss is worth a note.
constexpr double noted_loss = 0.2;

std::string sent_text(const ResidentPath& resident, std::size_t copies) {
  return fmt::format("{} of resident data went over link {} {}", bytes_text(resident.bytes),
                     resident.link, copies == 1 ? "once" : fmt::format("{} times", copies));
}

/// How often resident data went over the link to units that have a share of the items, if that took
/// most of `loss`; else 0. Setting up the units that a run uses cannot be shortened by anything
/// else in it.
std::size_t delaying_copies(const ResidentPath& resident, const Losses& loss,
                            const std::vector<double>& share_by_unit, double bound_s) {
  const Seconds all = total(loss);
  if (all.value < noted_loss * bound_s || loss.longest_setup <= 0.5 * all) return 0;
  std::set<std::size_t> copies;
  for (std::size_t i = 0; i < resident.copy_of.size(); ++i) {
    if (share_by_unit[i] > 0.0 && resident.copy_of[i]) copies.insert(*resident.copy_of[i]);
  }
  return copies.size();
}

/// A share of the bound in percent; from 1000 % on without decimals.
std::string share_text(double share) {
  constexpr double many = 10.0;
  return fmt::format("{:.{}f}", 100.0 * share, std::abs(share) >= many ? 0 : 1);
}

}  // namespace

std::vector<std::string> loss_names() {
  std::vector<std::string> names = {"loss"};
  for (const LossCause& cause : loss_causes) names.emplace_back(cause.name);
  return names;
}

std::vector<double> loss_shares(const std::optional<Losses>& loss, std::optional<double> bound_s) {
  if (!loss) return {};
  std::vector<double> shares = {total(*loss).value / *bound_s};
  for (const LossCause& cause : loss_causes) {
    shares.push_back((*loss.*cause.member).value / *bound_s);
  }
  return shares;
}

std::vector<std::vector<std::string>> loss_rows(const std::string& heading,
                                                const std::vector<std::string>& names,
                                                const std::vector<std::vector<double>>& shares) {
  const std::vector<std::string> columns = loss_names();
  std::vector<double> most(columns.size(), 0.0);
  for (const std::vector<double>& of : shares) {
    for (std::size_t i = 0; i < of.size(); ++i) most[i] = std::max(most[i], std::abs(of[i]));
  }
  if (most.front() < least_loss) return {};
  std::vector<std::vector<std::string>> rows = {{heading}};
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (most[i] >= least_cause) rows[0].push_back(columns[i]);
  }
  for (std::size_t k = 0; k < names.size(); ++k) {
    if (shares[k].empty()) continue;
    std::vector<std::string>& row = rows.emplace_back(1, names[k]);
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (most[i] >= least_cause) row.push_back(share_text(shares[k][i]));
    }
  }
  return rows;
}

std::vector<std::vector<std::string>> loss_rows(const Comparison& comparison) {
  const bool is_one_world = std::ranges::all_of(comparison.results, [&](const PolicyResult& r) {
    return r.on == comparison.results.front().on;
  });
  std::vector<std::string> names;
  std::vector<std::vector<double>> shares;
  for (const PolicyResult& result : comparison.results) {
    names.push_back(result.spelling + (is_one_world ? "" : ", " + result.on));
    shares.push_back(loss_shares(result.loss, comparison.lower_bound_s));
  }
  return loss_rows("policy", names, shares);
}

std::string resident_note(const RunReport& report, const ResidentPath& resident) {
  const std::optional<Losses> loss = loss_of(report);
  if (!loss) return {};
  std::vector<double> shares;
  for (std::size_t i = 0; i < report.run.numbers.units.size(); ++i) {
    shares.push_back(share(report.run.numbers, i));
  }
  const auto copies = delaying_copies(resident, *loss, shares, *report.lower_bound_s);
  if (copies == 0) return {};
  return fmt::format("note: setting up a unit took {}: {}\n",
                     quantity_text(loss->longest_setup.value, "s", 4), sent_text(resident, copies));
}

std::string resident_note(const Comparison& comparison) {
  if (!comparison.lower_bound_s) return {};
  constexpr std::size_t most_names = 5;
  std::vector<std::string> names;
  std::size_t most_copies = 0;
  for (const PolicyResult& result : comparison.results) {
    if (!result.loss) continue;
    const std::size_t copies = delaying_copies(comparison.resident, *result.loss,
                                               result.share_by_unit, *comparison.lower_bound_s);
    if (copies > 0) names.push_back(result.spelling);
    most_copies = std::max(most_copies, copies);
  }
  if (names.empty()) return {};
  if (names.size() > most_names) {
    names[most_names - 1] = fmt::format("{} others", names.size() - most_names + 1);
    names.resize(most_names);
  }
  return fmt::format("note: setting up a unit took most of the loss of {}: {}\n",
                     fmt::join(names, ", "), sent_text(comparison.resident, most_copies));
}

}  // namespace equipoise
