// One unit at a time, one size at a time, until the mean is known well enough.
#include "real/recorder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <utility>

#include "real/machine.hpp"
#include "real/real_executor.hpp"
#include "shared_policies/model/failure.hpp"

namespace equipoise {
namespace {

/// A time of 0 is the clock's resolution, not the truth.
constexpr Seconds time_min{1e-9};

/// One timed block.
struct Sample {
  StageTimes times;
  Seconds besides;  ///< from handing out to hearing of the end, without the stages
};

/// Mean and deviation of the times so far, one by one (Welford).
class Mean {
 public:
  void add(double x) {
    ++count_;
    const double before = x - mean_;
    mean_ += before / count_;
    squares_ += before * (x - mean_);
  }
  [[nodiscard]] int count() const { return count_; }
  /// Half the width of the 95 % confidence interval, relative to the mean.
  [[nodiscard]] double uncertainty() const {
    if (count_ < 2 || mean_ <= 0.0) return 1.0;
    const double t = quantile(boost::math::students_t(count_ - 1.0), 0.975);
    return t * std::sqrt(squares_ / (count_ - 1) / count_) / mean_;
  }

 private:
  int count_ = 0;
  double mean_ = 0.0;
  double squares_ = 0.0;
};

/// Times the blocks of one unit. Lives inside the executor's body.
class UnitRecorder {
 public:
  UnitRecorder(const RecordSetup& setup, std::size_t unit, Executor& executor, Recording& recording)
      : setup_(setup), unit_(unit), executor_(executor), recording_(recording) {
    sizes_ = setup.sizes.empty() ? size_ladder(setup.kernel->workload(), setup.units[unit].unit)
                                 : setup.sizes;
  }

  void run() {
    for (size_at_ = 0; size_at_ < sizes_.size() && !recording_.interrupted; ++size_at_) {
      const Seconds left = setup_.budget - executor_.now();
      record_size(sizes_[size_at_], (1.0 / static_cast<double>(sizes_.size() - size_at_)) * left);
    }
  }

  /// What the first block took longer to compute and copy back than later ones of its size.
  [[nodiscard]] Seconds first_use() const { return first_use_; }
  [[nodiscard]] const std::vector<double>& besides_s() const { return besides_s_; }

 private:
  void record_size(Items items, Seconds budget) {
    const Seconds begin = executor_.now();
    const std::optional<Sample> warm_up = time_block(items);
    Mean mean;
    Seconds later;
    while (warm_up && !is_known(mean, executor_.now() - begin, budget)) {
      const std::optional<Sample> sample = time_block(items);
      if (!sample) break;
      mean.add(total(sample->times).value);
      later += sample->times.compute + sample->times.out;
      keep(items, *sample);
      if (setup_.progress) {
        setup_.progress({setup_.units[unit_].unit.name, unit_, setup_.units.size(), items, size_at_,
                         sizes_.size(), mean.count()});
      }
    }
    if (recording_.interrupted) return;
    if (size_at_ == 0) {
      first_use_ = std::max(
          Seconds{}, warm_up->times.compute + warm_up->times.out - (1.0 / mean.count()) * later);
    }
    if (mean.uncertainty() > setup_.precision) {
      recording_.imprecise.push_back(fmt::format("{} at {} items: the mean is known to {:.1f} %",
                                                 setup_.units[unit_].unit.name, items,
                                                 100.0 * mean.uncertainty()));
    }
  }

  [[nodiscard]] bool is_known(const Mean& mean, Seconds spent, Seconds budget) const {
    if (mean.count() < setup_.samples_min) return false;
    return mean.count() >= setup_.samples_max || spent > budget ||
           mean.uncertainty() <= setup_.precision;
  }

  /// Runs one block; the next one begins where it ended. Nothing: a stop was requested.
  std::optional<Sample> time_block(Items items) {
    if (setup_.stop_requested && setup_.stop_requested()) {
      recording_.interrupted = true;
      return std::nullopt;
    }
    const Items all = setup_.kernel->workload().items;
    if (first_ + items > all) first_ = 0;
    const Block block{.id = id_++, .first = std::exchange(first_, first_ + items), .items = items};
    const Seconds begin = executor_.now();
    executor_.start(block, UnitId{0});
    const std::optional<Event> event = executor_.next(Seconds::infinity());
    const Seconds end = executor_.now();
    if (!event) {
      recording_.interrupted = true;
      return std::nullopt;
    }
    const auto* const finished = std::get_if<BlockFinished>(&event->what);
    if (finished == nullptr) {
      throw BackendError(
          fmt::format("unit {} was lost while it was recorded", setup_.units[unit_].unit.name));
    }
    return Sample{finished->times, end - begin - total(finished->times)};
  }

  void keep(Items items, const Sample& sample) {
    const Workload& workload = setup_.kernel->workload();
    TraceSample kept;
    kept.unit = static_cast<std::uint32_t>(unit_);
    kept.items = static_cast<double>(items);
    kept.compute_mean_s = std::max(sample.times.compute, time_min).value;
    if (workload.in_bytes_per_item > 0.0) {
      kept.in_s = std::max(sample.times.in, time_min).value;
      kept.in_bytes = workload.in_bytes_per_item * kept.items;
    }
    if (workload.out_bytes_per_item > 0.0) {
      kept.out_s = std::max(sample.times.out, time_min).value;
      kept.out_bytes = workload.out_bytes_per_item * kept.items;
    }
    recording_.trace.samples.push_back(kept);
    besides_s_.push_back(sample.besides.value);
  }

  const RecordSetup& setup_;
  std::size_t unit_;
  Executor& executor_;
  Recording& recording_;
  std::vector<Items> sizes_;
  std::size_t size_at_ = 0;
  Items first_ = 0;
  std::uint64_t id_ = 0;
  Seconds first_use_;
  std::vector<double> besides_s_;
};

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// `text` as a JSON string.
std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20) continue;
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + '"';
}

/// The header of the trace: all but samples and what is measured.
Trace empty_trace(const RecordSetup& setup) {
  const Machine& machine = this_machine();
  Trace trace;
  trace.source = "recorded";
  trace.kernel = setup.kernel->workload().kernel;
  trace.item = setup.kernel->item();
  trace.problem = setup.kernel->problem();
  trace.grain_items = setup.kernel->workload().grain_items;
  trace.provenance = fmt::format("equipoise record on {}", machine.name);
  trace.machine = fmt::format(R"({{"host":{},"cpu":{},"cpu_threads":{},"memory_bytes":{}}})",
                              quoted(machine.name), quoted(machine.cpu_model),
                              machine.threads.size(), machine.memory_bytes);
  for (const UnitSpec& spec : setup.units) trace.units.push_back(spec.unit);
  return trace;
}

void check_sizes(const RecordSetup& setup) {
  for (const Items items : setup.sizes) {
    for (const UnitSpec& spec : setup.units) {
      const Items most = largest_block(spec.unit, setup.kernel->workload());
      if (items >= 1 && items <= most) continue;
      throw InputError("--sizes",
                       fmt::format("{} has no block of {} items; give sizes from 1 to {}",
                                   spec.unit.name, items, most));
    }
  }
}

}  // namespace

Recording record(const RecordSetup& setup) {
  check_sizes(setup);
  Recording recording;
  recording.trace = empty_trace(setup);
  const Placement placement = place_units(setup.units, this_machine());
  std::vector<double> besides_s;
  Seconds first_use;
  std::size_t recorded = 0;
  for (; recorded < setup.units.size() && !recording.interrupted; ++recorded) {
    RealSetup real;
    real.units = {setup.units[recorded]};
    real.placement = Placement{{placement.cores[recorded]}, placement.free, {}};
    real.phases = {setup.kernel};
    real.stop_requested = setup.stop_requested;
    const std::unique_ptr<Executor> executor = make_real_executor(std::move(real));
    UnitRecorder recorder(setup, recorded, *executor, recording);
    executor->run([&] { recorder.run(); });
    besides_s.insert(besides_s.end(), recorder.besides_s().begin(), recorder.besides_s().end());
    first_use += recorder.first_use();
  }
  for (std::uint32_t i = 0; i < setup.units.size(); ++i) {
    const Trace& trace = recording.trace;
    recording.units.push_back(
        {setup.units[i].unit, copy_speed_of(trace, i, &TraceSample::in_bytes, &TraceSample::in_s),
         copy_speed_of(trace, i, &TraceSample::out_bytes, &TraceSample::out_s)});
  }
  if (!besides_s.empty()) {
    recording.trace.dispatch = Seconds{std::max(median(besides_s), 0.0)};
    recording.trace.first_use = (1.0 / static_cast<double>(recorded)) * first_use;
  }
  return recording;
}

}  // namespace equipoise
