// A table of times: the stages of every block are known when it is handed out.
#include "tests/support/fake_executor.hpp"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "shared_policies/model/unit_pipeline.hpp"

namespace equipoise {
namespace {

class FakeExecutor final : public Executor, private PipelineStages {
 public:
  explicit FakeExecutor(FakeSetup setup)
      : setup_(std::move(setup)), is_present_(setup_.units.size(), true) {
    for (const FakeUnit& unit : setup_.units) {
      const UnitId id{static_cast<std::uint32_t>(pipelines_.size())};
      pipelines_.push_back(UnitPipeline(id, unit.copy_engines, *this));
    }
    std::stable_sort(setup_.faults.begin(), setup_.faults.end(),
                     [](const FakeFault& a, const FakeFault& b) {
                       return std::tie(a.at, a.joins) < std::tie(b.at, b.joins);
                     });
  }

  void run(const std::function<void()>& body) override { body(); }

  Seconds now() const override { return now_; }

  void start(const Block& block, UnitId unit) override {
    advance(now_);
    if (!is_present_[unit.index]) return;
    const FakeUnit& fake = setup_.units[unit.index];
    const auto items = static_cast<double>(block.items);
    const auto time = [&](const std::function<double(double)>& f) {
      return Seconds{f ? f(items) : 0.0};
    };
    PipelinedBlock work{block, now_, now_ + setup_.dispatch};
    work.room_items = fake.memory_items;
    work.alone = {time(fake.in_s), time(fake.compute_s), time(fake.out_s)};
    if (pipelines_[unit.index].is_new(block.phase)) work.alone.in += Seconds{fake.resident_s};
    pipelines_[unit.index].add(work);
  }

  void occupy(std::optional<UnitId> unit, Seconds span) override {
    if (unit) {
      advance(now_);
      pipelines_[unit->index].think(now_, span);
    } else {
      now_ += span;
    }
  }

  std::optional<Event> next(Seconds deadline) override {
    while (ready_.empty() || next_date() <= ready_.begin()->at) {
      const Seconds date = next_date();
      if (date > deadline || date == Seconds::infinity()) break;
      advance(date);
    }
    if (ready_.empty() || ready_.begin()->at > deadline) {
      if (deadline < Seconds::infinity()) now_ = std::max(now_, deadline);
      return std::nullopt;
    }
    const Ready ready = *ready_.begin();
    ready_.erase(ready_.begin());
    now_ = std::max(now_, ready.at);
    return Event{ready.at, ready.what};
  }

 private:
  static constexpr int rank_finish = 0;
  static constexpr int rank_loss = 1;
  static constexpr int rank_join = 2;

  /// What happened and was not reported.
  struct Ready {
    Seconds at;
    int rank;
    UnitId unit;
    std::uint64_t block;
    decltype(Event::what) what;
    bool operator<(const Ready& other) const {
      return std::tie(at, rank, unit, block) <
             std::tie(other.at, other.rank, other.unit, other.block);
    }
  };

  std::optional<Seconds> duration(UnitId /*unit*/, const PipelinedBlock& block, Stage stage,
                                  Seconds /*begin*/) const override {
    return time_of(block.alone, stage);
  }

  void launch(UnitId /*unit*/, const PipelinedBlock& /*block*/, Stage /*stage*/) override {}

  void finished(UnitId unit, const PipelinedBlock& block, Seconds at) override {
    ready_.insert({at, rank_finish, unit, block.block.id,
                   BlockFinished{unit, block.block, block.assigned, block.times}});
  }

  [[nodiscard]] Seconds next_date() const {
    Seconds date = Seconds::infinity();
    if (faults_past_ < setup_.faults.size()) date = setup_.faults[faults_past_].at;
    for (const UnitPipeline& pipeline : pipelines_) date = std::min(date, pipeline.next_date());
    return date;
  }

  /// Lets all happen that is due until `until`, in order of time, at one time blocks first.
  void advance(Seconds until) {
    for (;;) {
      const bool has_fault =
          faults_past_ < setup_.faults.size() && setup_.faults[faults_past_].at <= until;
      const Seconds at = has_fault ? setup_.faults[faults_past_].at : until;
      for (UnitPipeline& pipeline : pipelines_) pipeline.advance(at);
      if (!has_fault) return;
      happen(setup_.faults[faults_past_++]);
    }
  }

  void happen(const FakeFault& fault) {
    if (is_present_[fault.unit.index] == fault.joins) return;
    is_present_[fault.unit.index] = fault.joins;
    pipelines_[fault.unit.index].clear();
    if (fault.joins) {
      ready_.insert({fault.at, rank_join, fault.unit, 0, UnitJoined{fault.unit}});
    } else {
      ready_.insert({fault.at, rank_loss, fault.unit, 0, UnitLost{fault.unit}});
    }
  }

  FakeSetup setup_;
  std::vector<UnitPipeline> pipelines_;
  std::vector<bool> is_present_;
  std::size_t faults_past_ = 0;  ///< so many of the faults have happened
  std::set<Ready> ready_;
  Seconds now_;
};

}  // namespace

std::unique_ptr<Executor> make_fake_executor(FakeSetup setup) {
  return std::make_unique<FakeExecutor>(std::move(setup));
}

FakeUnit affine_unit(double fixed_s, double per_item_s) {
  FakeUnit unit;
  unit.compute_s = [=](double items) { return fixed_s + per_item_s * items; };
  return unit;
}

}  // namespace equipoise
