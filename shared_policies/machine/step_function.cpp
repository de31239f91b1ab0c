// Piecewise-constant factors: products, values, integrals and their inverse.
#include "shared_policies/machine/step_function.hpp"

#include <algorithm>

#include "shared_policies/model/failure.hpp"

namespace equipoise {

std::size_t StepFunction::step_of(Seconds time) const {
  const auto after = std::upper_bound(steps_.begin(), steps_.end(), time,
                                      [](Seconds t, const Step& step) { return t < step.from; });
  return static_cast<std::size_t>(std::max<std::ptrdiff_t>(after - steps_.begin() - 1, 0));
}

std::size_t StepFunction::split(Seconds time) {
  const std::size_t step = step_of(time);
  if (steps_[step].from >= time) return step;
  const auto place = steps_.begin() + static_cast<std::ptrdiff_t>(step) + 1;
  steps_.insert(place, {time, steps_[step].factor});
  return step + 1;
}

void StepFunction::multiply(Seconds from, Seconds until, double factor) {
  EQ_CHECK(factor >= 0.0, "a factor is not negative");
  if (!(from < until) || factor == 1.0) return;
  const std::size_t first = split(std::max(from, Seconds{}));
  const std::size_t end = until < Seconds::infinity() ? split(until) : steps_.size();
  for (std::size_t step = first; step < end; ++step) steps_[step].factor *= factor;
}

void StepFunction::become(Seconds from, double factor) {
  EQ_CHECK(factor >= 0.0, "a factor is not negative");
  const std::size_t first = split(std::max(from, Seconds{}));
  steps_.resize(first + 1);
  steps_[first].factor = factor;
}

double StepFunction::at(Seconds time) const { return steps_[step_of(time)].factor; }

std::vector<Seconds> StepFunction::changes() const {
  std::vector<Seconds> times;
  for (std::size_t step = 1; step < steps_.size(); ++step) times.push_back(steps_[step].from);
  return times;
}

Seconds StepFunction::end_of(Seconds from, Seconds work) const {
  if (work <= Seconds{}) return from;
  for (std::size_t step = step_of(from);; ++step) {
    const double factor = steps_[step].factor;
    const bool is_last = step + 1 == steps_.size();
    const Seconds end = is_last ? Seconds::infinity() : steps_[step + 1].from;
    const Seconds needed = factor > 0.0 ? Seconds{work.value / factor} : Seconds::infinity();
    if (from + needed <= end) return from + needed;
    work = work - factor * (end - from);
    from = end;
  }
}

StepFunction combined(const std::vector<StepFunction>& parts,
                      const std::function<double(std::span<const double>)>& of) {
  std::vector<Seconds> times = {Seconds{}};
  for (const StepFunction& part : parts) {
    const std::vector<Seconds> changes = part.changes();
    times.insert(times.end(), changes.begin(), changes.end());
  }
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  StepFunction whole;
  std::vector<double> values(parts.size());
  for (const Seconds time : times) {
    std::transform(parts.begin(), parts.end(), values.begin(),
                   [time](const StepFunction& part) { return part.at(time); });
    const double value = of(values);
    if (value != whole.at(time)) whole.become(time, value);
  }
  return whole;
}

StepFunction product(const StepFunction& a, const StepFunction& b) {
  if (a.is_one()) return b;
  if (b.is_one()) return a;
  return combined({a, b}, [](std::span<const double> now) { return now[0] * now[1]; });
}

}  // namespace equipoise
