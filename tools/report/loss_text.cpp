// Writes losses in percent.
#include "tools/report/loss_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <set>
#include <utility>
#include <variant>

#include "tools/report/text_table.hpp"

namespace equipoise {
namespace {

/// Losses below this share of the bound need no explanation.
constexpr double least_loss = 0.01;
/// Causes below this share of the bound, or of the loss of a single run, are left out.
constexpr double least_cause = 0.005;
/// From this share of the bound on, a loss is worth a note.
constexpr double noted_loss = 0.2;

std::string bytes_text(double bytes) {
  if (bytes >= 0x1p30) return fmt::format("{:.3g} GiB", bytes / 0x1p30);
  return bytes >= 0x1p20 ? fmt::format("{:.3g} MiB", bytes / 0x1p20)
                         : fmt::format("{:.3g} KiB", bytes / 0x1p10);
}

std::string sent_text(const ResidentPath& resident, std::size_t copies) {
  return fmt::format("{} of resident data went over link {} {}", bytes_text(resident.bytes),
                     resident.link, copies == 1 ? "once" : fmt::format("{} times", copies));
}

/// How often resident data went over the link, if that took most of the loss of `result`; else 0.
/// Setting up the units that a run uses cannot be shortened by anything else in it.
std::size_t delaying_copies(const ResidentPath& resident, const PolicyResult& result,
                            double bound_s) {
  const Seconds all = total(*result.loss);
  if (all.value < noted_loss * bound_s || result.loss->longest_setup <= 0.5 * all) return 0;
  std::set<std::size_t> copies;
  for (std::size_t i = 0; i < resident.copy_of.size(); ++i) {
    if (result.share_by_unit[i] > 0.0 && resident.copy_of[i]) copies.insert(*resident.copy_of[i]);
  }
  return copies.size();
}

}  // namespace

std::vector<const ResultField*> loss_fields() {
  std::vector<const ResultField*> fields;
  for (const ResultField& field : result_fields()) {
    if ((field.outputs & in_losses) != 0) fields.push_back(&field);
  }
  return fields;
}

std::string loss_cause(const ResultField& field) {
  const std::string name = field.name;
  const std::string cause = name.substr(name.find('.') + 1);
  return cause == "total" ? "loss" : cause;
}

std::vector<double> loss_shares(const OfResult& of) {
  std::vector<double> shares;
  for (const ResultField* const field : loss_fields()) {
    const FieldValue value = field->value(of);
    const auto* const seconds = std::get_if<double>(&value);
    if (seconds == nullptr) return {};
    shares.push_back(*seconds / *of.comparison.lower_bound_s);
  }
  return shares;
}

std::vector<std::vector<std::string>> loss_rows(const std::string& heading,
                                                const std::vector<std::string>& names,
                                                const std::vector<std::vector<double>>& shares) {
  const std::vector<const ResultField*> fields = loss_fields();
  std::vector<double> most(fields.size(), 0.0);
  for (const std::vector<double>& of : shares) {
    for (std::size_t i = 0; i < of.size(); ++i) most[i] = std::max(most[i], std::abs(of[i]));
  }
  if (most.front() < least_loss) return {};
  std::vector<std::vector<std::string>> rows = {{heading}};
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (most[i] >= least_cause) rows[0].push_back(loss_cause(*fields[i]));
  }
  for (std::size_t k = 0; k < names.size(); ++k) {
    if (shares[k].empty()) continue;
    std::vector<std::string>& row = rows.emplace_back(1, names[k]);
    for (std::size_t i = 0; i < fields.size(); ++i) {
      if (most[i] >= least_cause) row.push_back(fmt::format("{:.1f}", 100.0 * shares[k][i]));
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
    names.push_back(result.policy + (is_one_world ? "" : ", " + result.on));
    shares.push_back(loss_shares({comparison, result}));
  }
  return loss_rows("policy", names, shares);
}

const char* loss_legend() {
  return "loss: over the lower bound, in % of it. computing: dear block sizes, units without work, "
         "noise;\nlink: copies that waited for links; copies: others that nothing hid; controller: "
         "waiting for it or\nfor a decision; training, barrier: waiting for other units; tail: "
         "waiting for the end; failure: lost\nblocks";
}

std::string loss_text(const RunReport& report, const ResidentPath& resident) {
  Comparison alone;
  alone.lower_bound_s = report.lower_bound_s;
  PolicyResult result = summarise({}, {}, {report.run}, report.lower_bound_s);
  if (!result.loss) return {};
  const Seconds all = total(*result.loss);
  if (all.value < least_loss * *report.lower_bound_s) return {};
  const std::vector<const ResultField*> fields = loss_fields();
  const std::vector<double> shares = loss_shares({alone, result});
  std::vector<std::pair<double, std::string>> causes;
  for (std::size_t i = 1; i < fields.size(); ++i) {
    const double of_loss = shares[i] / shares.front();
    if (of_loss < least_cause) continue;
    causes.emplace_back(of_loss,
                        fmt::format("{} {:.0f}%", loss_cause(*fields[i]), 100.0 * of_loss));
  }
  std::ranges::stable_sort(causes, std::greater<>(), [](const auto& cause) { return cause.first; });
  std::string text = fmt::format("lost over the bound: {} s", significant(all.value, 4));
  for (const auto& [of_loss, words] : causes) text += ", " + words;
  text += "\n";
  if (const std::size_t copies = delaying_copies(resident, result, *report.lower_bound_s)) {
    text +=
        fmt::format("note: setting up a unit took {} s: {}\n",
                    significant(result.loss->longest_setup.value, 4), sent_text(resident, copies));
  }
  return text;
}

std::string resident_note(const Comparison& comparison) {
  if (!comparison.lower_bound_s) return {};
  constexpr std::size_t most_names = 5;
  std::vector<std::string> names;
  std::size_t most_copies = 0;
  for (const PolicyResult& result : comparison.results) {
    if (!result.loss) continue;
    const std::size_t copies =
        delaying_copies(comparison.resident, result, *comparison.lower_bound_s);
    if (copies > 0) names.push_back(result.policy);
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
