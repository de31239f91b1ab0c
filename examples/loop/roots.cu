// A loop with two bodies: for CPU cores, and for NVIDIA GPUs (--unit cpu --unit cuda).
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <equipoise/loop.hpp>
#include <stdexcept>
#include <vector>

__host__ __device__ double root_of(double number) {
  double root = 1.0;
  for (int step = 0; step < 100; ++step) root = 0.5 * (root + number / root);
  return root;
}

__global__ void roots_of(const double* numbers, double* roots, std::int64_t count) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < count) roots[i] = root_of(numbers[i]);
}

int main(int argc, char** argv) try {
  std::vector<double> numbers(2'000'000);
  std::vector<double> roots(numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = 1.0 + static_cast<double>(i);

  equipoise::LoopInfo info;
  info.name = "roots";
  info.items = static_cast<std::int64_t>(numbers.size());
  info.grain = 256;
  info.item = "number";
  equipoise::Loop loop(info);
  loop.input(numbers).output(roots);
  loop.on_cpu([](const equipoise::BlockView& block) {
    const double* number = block.in(0);
    double* root = block.out(0);
    for (std::int64_t i = 0; i < block.count; ++i) root[i] = root_of(number[i]);
  });
  loop.on_cuda([](const equipoise::BlockView& block, void* stream) {
    const unsigned threads = 256;
    const unsigned groups = static_cast<unsigned>((block.count + threads - 1) / threads);
    roots_of<<<groups, threads, 0, static_cast<cudaStream_t>(stream)>>>(block.in(0), block.out(0),
                                                                        block.count);
    const cudaError_t error = cudaGetLastError();
    if (error != cudaSuccess) throw std::runtime_error(cudaGetErrorString(error));
  });
  loop.verify([&] {
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (!(std::abs(roots[i] - std::sqrt(numbers[i])) <= 1e-12 * roots[i])) {
        return "item " + std::to_string(i) + " is no root";
      }
    }
    return std::string();
  });
  std::puts(loop.run(argc, argv).text.c_str());
} catch (const equipoise::Error& error) {
  return error.report();
}
