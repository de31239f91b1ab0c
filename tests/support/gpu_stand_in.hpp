// A unit that meters take for one on a GPU, though it computes on a core.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "real/unit_spec.hpp"

namespace equipoise {

/// A unit on a core that says that it is on the GPU `place`.
class GpuStandIn final : public CoresFactory {
 public:
  GpuStandIn(std::shared_ptr<const UnitFactory> core, GpuPlace place)
      : CoresFactory(core->cores()), core_(std::move(core)), place_(std::move(place)) {}

  std::optional<GpuPlace> gpu() const override { return place_; }
  double host_bytes(const Unit& unit, const Workload& workload) const override {
    return core_->host_bytes(unit, workload);
  }
  std::unique_ptr<Worker> make_worker(WorkerSetup setup) const override {
    return core_->make_worker(std::move(setup));
  }

 private:
  std::shared_ptr<const UnitFactory> core_;
  GpuPlace place_;
};

/// Makes `spec`, a CPU unit, one on the GPU with this domain and PCI bus id.
inline void put_on_gpu(UnitSpec& spec, const std::string& domain, const std::string& pci_bus_id) {
  spec.unit.kind = UnitKind::gpu;
  spec.factory =
      std::make_shared<GpuStandIn>(std::move(spec.factory), GpuPlace{domain, pci_bus_id});
}

}  // namespace equipoise
