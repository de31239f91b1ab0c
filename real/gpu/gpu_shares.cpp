// All units of a command line are known when GPUs are divided.
#include "real/gpu/gpu_shares.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "shared_policies/model/failure.hpp"

namespace equipoise {

std::vector<int> choose_gpus(std::span<const GpuWish> wishes, int gpus) {
  std::set<int> taken;
  for (const GpuWish& wish : wishes) {
    if (wish.device && *wish.device >= gpus) {
      throw InputError(
          wish.where,
          gpus == 1 ? "there is one GPU here, device=0"
                    : fmt::format("there are {} GPUs here, device=0 to device={}", gpus, gpus - 1));
    }
    if (wish.device || wish.sms) taken.insert(wish.device.value_or(0));
  }
  std::vector<int> chosen;
  for (const GpuWish& wish : wishes) {
    int device = wish.device.value_or(0);
    if (!wish.device && !wish.sms) {
      while (taken.contains(device)) ++device;
      if (device >= gpus) {
        throw InputError(
            wish.where,
            fmt::format("the {} of this machine {} taken by other units; to share a GPU, give each "
                        "of its units device= and sms=",
                        gpus == 1 ? "GPU" : fmt::format("{} GPUs", gpus),
                        gpus == 1 ? "is" : "are"));
      }
      taken.insert(device);
    }
    chosen.push_back(device);
  }
  return chosen;
}

void check_wholes(std::span<const GpuWish> wishes, int device) {
  const auto asks = [](const GpuWish& wish) { return wish.sms.has_value(); };
  const auto part = std::ranges::find_if(wishes, asks);
  const auto whole = std::ranges::find_if_not(wishes, asks);
  if (part == wishes.end() || whole == wishes.end()) return;
  throw InputError(
      whole->where,
      fmt::format("{} would compute on all SMs of GPU {}, also on those of {}; give it "
                  "sms=, too, or another device=",
                  whole->unit, device, part->unit));
}

std::vector<int> divide_sms(std::span<const GpuWish> wishes, const GpuSms& gpu) {
  const int most = gpu.group * gpu.groups;
  const std::string what_there_is =
      fmt::format("GPU {} has {} SMs, of which units can have {} in multiples of {}", gpu.device,
                  gpu.all, most, gpu.group);
  std::vector<int> groups;
  int sum = 0;
  for (const GpuWish& wish : wishes) {
    const int sms = wish.sms.value_or(0);
    if (sms < gpu.group || sms % gpu.group != 0) {
      throw InputError(wish.where, fmt::format("sms={} is not possible; {}", sms, what_there_is));
    }
    sum += sms;
    if (sum > most) {
      throw InputError(wish.where, fmt::format("with this unit there are {} SMs in all; {}", sum,
                                               what_there_is));
    }
    groups.push_back(sms / gpu.group);
  }
  return groups;
}

std::vector<double> divide_memory(std::span<const GpuWish> wishes, const FreeGpuMemory& gpu) {
  constexpr double gibibyte = 1024.0 * 1024.0 * 1024.0;
  const double there_bytes = std::max(0.0, gpu.free_bytes - gpu.reserve_bytes);
  const auto weight_of = [](const GpuWish& wish) {
    return wish.memory_bytes ? 0.0 : static_cast<double>(wish.sms.value_or(1));
  };
  double all_asked_bytes = 0.0;
  double weights = 0.0;
  for (const GpuWish& wish : wishes) {
    all_asked_bytes += wish.memory_bytes.value_or(0.0);
    weights += weight_of(wish);
  }
  double asked_bytes = 0.0;
  for (const GpuWish& wish : wishes) {
    asked_bytes += wish.memory_bytes.value_or(0.0);
    if (asked_bytes < there_bytes || (asked_bytes == there_bytes && weights == 0.0)) continue;
    throw InputError(
        wish.where,
        fmt::format("GPU {}: its units ask for {:.3g} GiB; {:.3g} GiB are free, of which {:.3g} "
                    "GiB are for libraries; {}give less memory_bytes=",
                    gpu.device, all_asked_bytes / gibibyte, gpu.free_bytes / gibibyte,
                    gpu.reserve_bytes / gibibyte,
                    weights == 0.0 ? "" : "nothing is left for units without memory_bytes=; "));
  }
  std::vector<double> parts;
  for (const GpuWish& wish : wishes) {
    parts.push_back(
        wish.memory_bytes.value_or((there_bytes - asked_bytes) * weight_of(wish) / weights));
  }
  return parts;
}

}  // namespace equipoise
