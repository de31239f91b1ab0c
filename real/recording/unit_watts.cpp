// Divides the watts of domains among units, and adds up what units computed between readings.
#include "real/recording/unit_watts.hpp"

#include <algorithm>
#include <utility>

namespace equipoise {
namespace {

double sum_of(const WattsByDomain& watts, const std::vector<std::string>& domains) {
  double sum_w = 0.0;
  for (const std::string& domain : domains) sum_w += watts.at(domain);
  return sum_w;
}

}  // namespace

UnitDomains::UnitDomains(std::span<const UnitSpec> units, WattsByDomain idle_w)
    : idle_w_(std::move(idle_w)), of_(units.size()), share_w_(units.size()) {
  std::vector<std::optional<Gpu>> gpus;
  std::map<std::string, int> users;  // of each GPU
  int threads = 0;
  for (const UnitSpec& spec : units) {
    gpus.push_back(spec.factory->gpu());
    is_on_gpu_.push_back(gpus.back().has_value());
    if (gpus.back()) ++users[gpus.back()->name];
    if (!gpus.back()) threads += spec.factory->cores();
  }
  std::vector<std::string> packages;
  for (const auto& [domain, watts] : idle_w_) {
    if (!users.contains(domain)) packages.push_back(domain);
  }
  const double packages_w = sum_of(idle_w_, packages);
  const auto on_gpus = std::ranges::count_if(gpus, [](const auto& gpu) { return gpu.has_value(); });
  for (std::size_t i = 0; i < units.size(); ++i) {
    const int cores = gpus[i] ? 0 : units[i].factory->cores();
    if (gpus[i] && idle_w_.contains(gpus[i]->name)) {
      const std::string& domain = gpus[i]->name;
      of_[i] = {domain};
      share_w_[i] = idle_w_.at(domain) / users.at(domain);
      if (threads == 0) share_w_[i] += packages_w / static_cast<double>(on_gpus);
    } else if (cores > 0) {
      of_[i] = packages;
      share_w_[i] = packages_w * cores / threads;
    }
  }
}

std::optional<double> UnitDomains::idle_w(std::size_t unit) const {
  return of_[unit].empty() ? std::nullopt : std::optional(share_w_[unit]);
}

bool UnitDomains::is_apart(std::size_t unit, std::size_t first, std::size_t count) const {
  for (std::size_t other = first; other < first + count; ++other) {
    if (other == unit) continue;
    if (is_on_gpu_[other] && !is_on_gpu_[unit]) return false;
    if (std::ranges::find_first_of(of_[unit], of_[other]) != of_[unit].end()) return false;
  }
  return true;
}

void BusyWatch::block(std::size_t unit, Seconds end, const StageTimes& times) {
  if (!begin_) return;
  const double computed_s = (end - times.out).value;
  computing_[unit].blocks.push_back({computed_s - times.compute.value, computed_s});
  computing_[unit].last_end_s = end.value;
}

void BusyWatch::reading(const Measured& measured) {
  if (!begin_ || measured.at < *begin_ || measured.what != "energy_j") return;
  readings_[measured.domain].push_back({measured.at.value, measured.value});
}

bool BusyWatch::lasted(std::size_t unit, Seconds span) const {
  return begin_ && computing_[unit].last_end_s >= (*begin_ + span).value;
}

double BusyWatch::computing_s(std::size_t unit, const CountedEnergy& span) const {
  double sum_s = 0.0;
  for (const Computing& block : computing_[unit].blocks) {
    const double inside_s =
        std::min(block.end_s, span.end_s) - std::max(block.begin_s, span.begin_s);
    sum_s += std::max(inside_s, 0.0);
  }
  return sum_s;
}

std::optional<double> BusyWatch::added_w(std::size_t unit, std::span<const std::string> domains,
                                         const WattsByDomain& idle_w) const {
  const double last_end_s = computing_[unit].last_end_s;
  double sum_w = 0.0;
  for (const std::string& domain : domains) {
    const auto found = readings_.find(domain);
    if (found == readings_.end()) return std::nullopt;
    std::vector<CounterReading> within = found->second;
    if (within.back().at_s < last_end_s) return std::nullopt;
    std::erase_if(within, [&](const auto& reading) { return reading.at_s > last_end_s; });
    const std::optional<CountedEnergy> span = counted_energy(within);
    const double busy_s = span ? computing_s(unit, *span) : 0.0;
    if (!(busy_s > 0.0)) return std::nullopt;
    sum_w += (span->joules - idle_w.at(domain) * (span->end_s - span->begin_s)) / busy_s;
  }
  if (domains.empty()) return std::nullopt;
  return std::max(sum_w, 0.0);
}

}  // namespace equipoise
