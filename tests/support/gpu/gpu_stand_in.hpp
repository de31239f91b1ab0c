// A unit that is taken for one on a GPU, though it computes on a core.
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "real/unit_spec.hpp"

namespace equipoise {

/// A unit on a core that says that it is on `gpu`. Its links are measured as 8 GB/s with pinned
/// memory, and 2 GB/s as blocks are copied.
class GpuStandIn final : public CoresFactory {
 public:
  GpuStandIn(std::shared_ptr<const UnitFactory> core, Gpu gpu)
      : CoresFactory(core->cores()), core_(std::move(core)), gpu_(std::move(gpu)) {}

  std::optional<Gpu> gpu() const override { return gpu_; }
  std::optional<LinkRates> measure_link(CopyPath path) const override {
    const double bandwidth = path == CopyPath::pinned ? 8e9 : 2e9;
    const CopySpeed speed{Seconds{}, bandwidth};
    return LinkRates{speed, speed, 2.0 * bandwidth};
  }
  double host_bytes(const Unit& unit, const Workload& workload) const override {
    return core_->host_bytes(unit, workload);
  }
  std::unique_ptr<Worker> make_worker(WorkerSetup setup) const override {
    return core_->make_worker(std::move(setup));
  }

 private:
  std::shared_ptr<const UnitFactory> core_;
  Gpu gpu_;
};

/// Makes `spec`, a CPU unit, one on `gpu`.
inline void put_on_gpu(UnitSpec& spec, Gpu gpu) {
  spec.unit.kind = UnitKind::gpu;
  spec.factory = std::make_shared<GpuStandIn>(std::move(spec.factory), std::move(gpu));
}

}  // namespace equipoise
