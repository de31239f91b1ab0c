// Starts the controller of a pulled run, and passes calls of the program on to its units.
#include "tools/loop/pull_run.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

namespace equipoise {

Pull::Run::Run(LoopWork work, const std::vector<std::string>& names, const std::string& program,
               const std::vector<std::string>& arguments) {
  LoopRequest request = parse_loop_arguments(program, work.workload.kernel, arguments);
  for (std::size_t i = 0; i < names.size(); ++i)
    units_.push_back(std::make_unique<PulledUnit>(work.calls));
  static_cast<void>(pulled_units(names, units_));  // refuses names before a thread starts
  controller_ = std::thread([this, work = std::move(work), names, request = std::move(request)] {
    try {
      summary_ = run_pulled(work, request, names, units_);
    } catch (...) {
      failure_ = std::make_exception_ptr(as_error());
    }
    for (const auto& unit : units_) unit->close();
  });
  for (const auto& unit : units_) {
    if (unit->await_begin()) continue;
    static_cast<void>(finish());
    return;
  }
}

Pull::Run::~Run() {
  if (!controller_.joinable()) return;
  for (const auto& unit : units_) unit->leave("the program ends the loop");
  controller_.join();
}

PulledUnit& Pull::Run::unit(std::size_t number) {
  if (number < units_.size()) return *units_[number];
  throw std::out_of_range(
      fmt::format("there is no unit {}: the loop has {}, numbered from 0", number, units_.size()));
}

Summary Pull::Run::finish() {
  if (controller_.joinable()) controller_.join();
  if (failure_) std::rethrow_exception(failure_);
  return summary_;
}

Pull::Pull(std::unique_ptr<Run> run) : run_(std::move(run)) {}
Pull::Pull(Pull&& other) noexcept = default;
Pull::~Pull() = default;

std::optional<Range> Pull::next(std::size_t unit) {
  const std::optional<Block> block = run_->unit(unit).next();
  if (!block) return std::nullopt;
  return Range{block->first, block->items};
}

bool Pull::done(std::size_t unit) { return run_->unit(unit).done(); }
void Pull::failed(std::size_t unit, const std::string& why) { run_->unit(unit).failed(why); }
void Pull::leave(std::size_t unit) { run_->unit(unit).leave("its thread has left the loop"); }
Summary Pull::finish() { return run_->finish(); }

}  // namespace equipoise
