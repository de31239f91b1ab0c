// A table of ends: every block's end is known when it starts.
#include "tests/support/fake_executor.hpp"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

namespace equipoise {
namespace {

class FakeExecutor final : public Executor {
 public:
  explicit FakeExecutor(FakeSetup setup)
      : setup_(std::move(setup)), free_at_(setup_.units.size()), phase_(setup_.units.size(), -1) {
    for (const FakeFault& fault : setup_.faults) {
      if (fault.joins) {
        entries_.insert({fault.at, rank_join, fault.unit, 0, UnitJoined{fault.unit}});
      } else {
        entries_.insert({fault.at, rank_loss, fault.unit, 0, UnitLost{fault.unit}});
      }
    }
  }

  void run(const std::function<void()>& body) override { body(); }

  Seconds now() const override { return now_; }

  void start(const Block& block, UnitId unit) override {
    const FakeUnit& fake = setup_.units[unit.index];
    const auto items = static_cast<double>(block.items);
    const auto time = [&](const std::function<double(double)>& f) {
      return Seconds{f ? f(items) : 0.0};
    };
    StageTimes times{time(fake.in_s), time(fake.compute_s), time(fake.out_s)};
    if (phase_[unit.index] != block.phase) times.in += Seconds{fake.resident_s};
    phase_[unit.index] = block.phase;
    const Seconds begin = std::max(free_at_[unit.index], now_ + setup_.dispatch);
    const Seconds end = begin + total(times);
    free_at_[unit.index] = end;
    entries_.insert({end, rank_finish, unit, block.id, BlockFinished{unit, block, now_, times}});
  }

  void occupy(std::optional<UnitId> unit, Seconds span) override {
    if (unit) {
      Seconds& free_at = free_at_[unit->index];
      free_at = std::max(free_at, now_) + span;
    } else {
      now_ += span;
    }
  }

  std::optional<Event> next(Seconds deadline) override {
    if (entries_.empty() || entries_.begin()->at > deadline) {
      if (deadline < Seconds::infinity()) now_ = std::max(now_, deadline);
      return std::nullopt;
    }
    const Entry entry = *entries_.begin();
    entries_.erase(entries_.begin());
    now_ = std::max(now_, entry.at);
    if (entry.rank == rank_loss) {
      std::erase_if(entries_, [&](const Entry& other) {
        return other.rank == rank_finish && other.unit == entry.unit;
      });
    }
    if (entry.rank == rank_join) {
      free_at_[entry.unit.index] = entry.at;
      phase_[entry.unit.index] = -1;
    }
    return Event{entry.at, entry.what};
  }

 private:
  static constexpr int rank_finish = 0;
  static constexpr int rank_loss = 1;
  static constexpr int rank_join = 2;

  struct Entry {
    Seconds at;
    int rank;
    UnitId unit;
    std::uint64_t block;
    decltype(Event::what) what;
    bool operator<(const Entry& other) const {
      return std::tie(at, rank, unit, block) <
             std::tie(other.at, other.rank, other.unit, other.block);
    }
  };

  FakeSetup setup_;
  std::set<Entry> entries_;
  std::vector<Seconds> free_at_;
  std::vector<int> phase_;  ///< of the last block started, for resident data
  Seconds now_;
};

}  // namespace

std::unique_ptr<Executor> make_fake_executor(FakeSetup setup) {
  return std::make_unique<FakeExecutor>(std::move(setup));
}

FakeUnit affine_unit(double fixed_s, double per_item_s) {
  return {[=](double items) { return fixed_s + per_item_s * items; }, {}, {}};
}

}  // namespace equipoise
