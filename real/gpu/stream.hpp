// A queue of a GPU, for code that includes no header of its maker.
#pragma once

namespace equipoise {

/// A queue of a GPU (for CUDA a cudaStream_t). Not used by kernels that the host compiles.
struct Stream {
  void* handle = nullptr;
};

}  // namespace equipoise
