// The SMs of a GPU in groups, of which units get some each.
#pragma once

#include <cuda.h>

#include <cstddef>
#include <vector>

namespace equipoise {

/// The SMs of a GPU, divided into equal groups of the smallest size that it allows. Some SMs may be
/// in no group. Several groups can be joined only if they come from the same division, and what is
/// taken from one division is disjoint: so all units of a GPU take theirs from one object.
class SmGroups {
 public:
  /// Divides the GPU that CUDA numbers `device`. Throws BackendError if the driver is too old for
  /// that, and as check_cuda does.
  explicit SmGroups(int device);

  /// The SMs of a group.
  [[nodiscard]] int sms_of_group() const { return static_cast<int>(groups_.front().sm.smCount); }
  [[nodiscard]] int count() const { return static_cast<int>(groups_.size()); }
  /// Joins the next `count` groups; there must be so many left. Throws as check_cuda does.
  [[nodiscard]] CUdevResourceDesc take(int count);

 private:
  std::vector<CUdevResource> groups_;
  std::size_t taken_ = 0;
};

}  // namespace equipoise
