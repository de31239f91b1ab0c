// Divides the GPUs of a machine among the units that a user asks for. Knows nothing of CUDA.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace equipoise {

/// What a user asks for one unit.
struct GpuWish {
  std::string unit;   ///< its name
  std::string where;  ///< `--unit TEXT`
  std::optional<int> device{};
  std::optional<int> sms{};
  std::optional<double> memory_bytes{};
};

/// A GPU whose SMs come in equal groups. Some may be in no group.
struct GpuSms {
  int device;
  int all;
  int group;   ///< the SMs of a group
  int groups;  ///< how many there are
};

/// The memory of a GPU.
struct FreeGpuMemory {
  int device;
  double free_bytes;
  double reserve_bytes;  ///< of that, for libraries that compute there
};

/// The GPU of each unit, of `gpus` that are there: the one that it asks for; GPU 0 if it asks for a
/// part of one and does not say which; otherwise the first one of which no other unit has anything.
/// Throws InputError if that one is not there, or if there is none left.
[[nodiscard]] std::vector<int> choose_gpus(std::span<const GpuWish> wishes, int gpus);

/// How many groups of a GPU's SMs each of its units gets; all of them ask for a number of SMs.
/// Throws InputError if that is no multiple of a group, or if all ask for more than is there.
[[nodiscard]] std::vector<int> divide_sms(std::span<const GpuWish> wishes, const GpuSms& gpu);

/// Throws InputError if some units of a GPU ask for a number of SMs and others do not: these would
/// compute on the others' SMs.
void check_wholes(std::span<const GpuWish> wishes, int device);

/// The memory of each unit of a GPU in bytes: what it asks for, or a part of what the others leave
/// of the free memory without the reserve, in proportion to its SMs. Throws InputError if they ask
/// for more than that or leave nothing.
[[nodiscard]] std::vector<double> divide_memory(std::span<const GpuWish> wishes,
                                                const FreeGpuMemory& gpu);

}  // namespace equipoise
