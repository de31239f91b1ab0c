// What a unit has of a GPU, and the SMs of a GPU in groups, for code that includes no header of
// CUDA.
#pragma once

#include <memory>

struct CUdevResourceDesc_st;

namespace equipoise {

/// A GPU, or some of its SMs.
struct GpuPart {
  int device = 0;                        ///< as CUDA numbers it
  int sms = 0;                           ///< how many the unit has
  CUdevResourceDesc_st* some = nullptr;  ///< which, for CUDA; null: all
};

class CudaContext;
class CudaPool;

/// Opens `part` for the calling thread, with the memory of `pool`; null: one of its own. Throws as
/// the constructor of CudaContext does.
[[nodiscard]] std::shared_ptr<const CudaContext> open_cuda_context(
    const GpuPart& part, std::shared_ptr<CudaPool> pool = nullptr);

/// The SMs of a GPU, divided into equal groups of the smallest size that it allows. Some SMs may be
/// in no group. Several groups can be joined only if they come from the same division, and what is
/// taken from one division is disjoint: so all units of a GPU take theirs from one object.
class SmGroups {
 public:
  /// Divides the GPU that CUDA numbers `device`. Throws BackendError if the driver is too old for
  /// that, and as check_cuda does.
  explicit SmGroups(int device);
  SmGroups(const SmGroups&) = delete;
  SmGroups& operator=(const SmGroups&) = delete;
  ~SmGroups();

  /// The SMs of a group.
  [[nodiscard]] int sms_of_group() const;
  [[nodiscard]] int count() const;
  /// Joins the next `count` groups; there must be so many left. Throws as check_cuda does.
  [[nodiscard]] GpuPart take(int count);

 private:
  struct Groups;

  int device_;
  std::unique_ptr<Groups> groups_;
};

}  // namespace equipoise
