// A queue of a CUDA device, for code that includes no header of CUDA.
#pragma once

namespace equipoise {

/// A queue of a CUDA device: a cudaStream_t. Not used by kernels that the host compiles.
struct Stream {
  void* handle = nullptr;
};

}  // namespace equipoise
