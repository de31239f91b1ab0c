// Starts activities of SimGrid, and finds whose they are when they end.
#include "sim/stage_activities.hpp"

#include <simgrid/s4u/Activity.hpp>
#include <simgrid/s4u/Comm.hpp>
#include <simgrid/s4u/Exec.hpp>
#include <simgrid/s4u/Host.hpp>

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace equipoise {
namespace {

namespace s4u = simgrid::s4u;

constexpr std::array stages = {Stage::setup, Stage::in, Stage::compute, Stage::out};

class Activities final : public StageActivities {
 public:
  Activities(std::size_t units, StageEnd tell_end)
      : places_(units * stages.size()), tell_end_(std::move(tell_end)) {
    s4u::Comm::on_completion_cb([this](const s4u::Activity& activity) { complete(activity); });
    s4u::Exec::on_completion_cb([this](const s4u::Activity& activity) { complete(activity); });
  }

  void transfer(UnitId unit, Stage stage, const TransferRoute& route, double bytes) override {
    start(place(unit, stage), s4u::Comm::sendto_init(route.from, route.to)
                                  ->set_payload_size(static_cast<std::uint64_t>(bytes)));
  }

  void compute(UnitId unit, s4u::Host* host, Seconds span) override {
    const s4u::ExecPtr exec = s4u::Exec::init();
    exec->set_flops_amount(span.value * host->get_speed());
    exec->set_host(host);
    start(place(unit, Stage::compute), exec);
  }

  void cancel(UnitId unit) override {
    for (const Stage stage : stages) {
      Place& place = this->place(unit, stage);
      if (place.activity == nullptr) continue;
      retire(place);
      place.spent->cancel();
    }
  }

  [[nodiscard]] std::size_t running() const override { return running_; }

 private:
  /// The activity of one stage of a unit.
  struct Place {
    s4u::ActivityPtr activity;
    s4u::ActivityPtr spent;  ///< kept: SimGrid still accesses an activity after its completion
                             ///< callback
  };

  Place& place(UnitId unit, Stage stage) {
    return places_[unit.index * stages.size() + static_cast<std::size_t>(stage)];
  }

  void start(Place& place, const s4u::ActivityPtr& activity) {
    place.activity = activity;
    ++running_;
    activity->set_data(&place);
    activity->start();
  }

  void retire(Place& place) {
    place.spent = std::exchange(place.activity, nullptr);
    --running_;
  }

  void complete(const s4u::Activity& activity) {
    auto* const place = activity.get_data<Place>();
    if (place == nullptr || place->activity.get() != &activity) return;  // cancelled before
    retire(*place);
    const auto index = static_cast<std::size_t>(place - places_.data());
    tell_end_(UnitId{static_cast<std::uint32_t>(index / stages.size())},
              stages[index % stages.size()], activity.get_state() == s4u::Activity::State::FAILED);
  }

  std::vector<Place> places_;  ///< (units x stages)
  StageEnd tell_end_;
  std::size_t running_ = 0;
};

}  // namespace

std::unique_ptr<StageActivities> make_stage_activities(std::size_t units,
                                                       StageActivities::StageEnd tell_end) {
  return std::make_unique<Activities>(units, std::move(tell_end));
}

}  // namespace equipoise
