// The thread that reads meters, and the queue of its readings.
#include "real/meters/meter_sampler.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ctime>
#include <utility>

#include "real/threads/this_thread.hpp"
#include "shared_policies/model/failure.hpp"

namespace equipoise {

std::optional<CountedEnergy> counted_energy(std::span<const CounterReading> readings) {
  if (readings.empty()) return std::nullopt;
  const CounterReading* first = nullptr;
  const CounterReading* last = nullptr;
  for (std::size_t i = 1; i < readings.size(); ++i) {
    if (readings[i].joules == readings[i - 1].joules) continue;
    if (first == nullptr) first = &readings[i];
    last = &readings[i];
  }
  if (first == last) {
    first = &readings.front();
    last = &readings.back();
  }
  if (!(last->at_s > first->at_s)) return std::nullopt;
  return CountedEnergy{first->at_s, last->at_s, last->joules - first->joules};
}

MeterSampler::MeterSampler(Meters meters) : notes_(std::move(meters.notes)) {
  for (std::unique_ptr<Meter>& meter : meters.found) {
    domains_.emplace_back().meter = std::move(meter);
  }
}

void MeterSampler::measure_idle(std::chrono::milliseconds span) {
  if (domains_.empty()) return;
  std::vector<std::vector<CounterReading>> readings(domains_.size());
  const auto read_all_at = [&](double now_s) {
    for (std::size_t i = 0; i < domains_.size(); ++i) {
      const auto now_j = domains_[i].meter->joules(now_s);
      domains_[i].is_failed |= !now_j;
      if (now_j) readings[i].push_back({now_s, *now_j});
    }
  };
  for (Domain& domain : domains_) domain.is_failed = false;
  double now_s = seconds_of(CLOCK_MONOTONIC);
  const double end_s = now_s + std::chrono::duration<double>(span).count();
  read_all_at(now_s);
  while (now_s < end_s) {
    std::this_thread::sleep_for(sampling_period);
    now_s = seconds_of(CLOCK_MONOTONIC);
    read_all_at(now_s);
  }
  for (std::size_t i = 0; i < domains_.size(); ++i) {
    domains_[i].idle_w.reset();
    const std::optional<CountedEnergy> counted = counted_energy(readings[i]);
    if (counted && !domains_[i].is_failed) domains_[i].idle_w = counted->mean_w();
  }
}

std::map<std::string, double> MeterSampler::idle_w() const {
  std::map<std::string, double> watts;
  for (const Domain& domain : domains_) {
    if (domain.idle_w) watts[domain.meter->domain()] = *domain.idle_w;
  }
  return watts;
}

void MeterSampler::begin() {
  EQ_CHECK(!thread_.joinable(), "runs follow one another");
  readings_.clear();
  const double now_s = seconds_of(CLOCK_MONOTONIC);
  for (Domain& domain : domains_) {
    const auto begin_j = domain.meter->joules(now_s);
    domain.is_failed = !begin_j;
    if (!begin_j) continue;
    domain.begin_j = *begin_j;
    const std::string& name = domain.meter->domain();
    if (domain.idle_w) readings_.push_back({Seconds{}, name, "idle_w", *domain.idle_w});
    readings_.push_back({Seconds{}, name, "energy_j", 0.0});
  }
}

void MeterSampler::sample(const Clock& clock, const std::vector<int>& cores) {
  if (domains_.empty()) return;
  is_sampling_ = true;
  thread_ = start_thread("meters", [this, &clock, cores](const std::stop_token& stop) {
    pin_this_thread(cores);
    sample_until(stop, clock);
  });
}

void MeterSampler::sample_until(const std::stop_token& stop, const Clock& clock) {
  auto next = std::chrono::steady_clock::now();
  while (true) {
    next += sampling_period;
    {
      std::unique_lock lock(mutex_);
      stopping_.wait_until(lock, stop, next, [] { return false; });
    }
    if (stop.stop_requested()) return;
    read_all(clock.now());
    next = std::max(next, std::chrono::steady_clock::now() - sampling_period);
  }
}

/// Reads the meters before it takes the lock, because some take milliseconds.
void MeterSampler::read_all(Seconds at) {
  const double now_s = seconds_of(CLOCK_MONOTONIC);
  for (Domain& domain : domains_) {
    if (domain.is_failed) continue;
    const auto now_j = domain.meter->joules(now_s);
    domain.is_failed = !now_j;
    if (!now_j) continue;
    Measured reading{at, domain.meter->domain(), "energy_j", *now_j - domain.begin_j};
    const std::lock_guard lock(mutex_);
    readings_.push_back(std::move(reading));
  }
}

void MeterSampler::end(Seconds at) {
  stop();
  read_all(at);
}

std::optional<Measured> MeterSampler::take(Seconds until) {
  std::unique_lock lock(mutex_, std::defer_lock);
  // Without the sampling thread nobody has the lock for long.
  if (!is_sampling_) {
    lock.lock();
  } else if (!lock.try_lock()) {
    return std::nullopt;
  }
  if (readings_.empty() || readings_.front().at > until) return std::nullopt;
  std::optional<Measured> first = std::move(readings_.front());
  readings_.pop_front();
  return first;
}

std::string MeterSampler::note() const { return fmt::format("{}", fmt::join(notes_, "; ")); }

}  // namespace equipoise
