// Operation counts of known kernels. They count the textbook algorithm, not a particular program.
// The share of the peak that a program reaches is given in `efficiency`, with values typical of
// tuned libraries for matmul and of plain compiled code for the others.
#include "platforms/modelled_kernels.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace equipoise {
namespace {

using Problem = std::map<std::string, double>;

std::map<UnitKind, double> efficiencies(double cpu, double gpu, double mic) {
  return {{UnitKind::cpu, cpu}, {UnitKind::gpu, gpu}, {UnitKind::mic, mic}};
}

/// An item is a row of C = A B: n dot products; B stays on the unit. A GPU's library computes whole
/// tiles of C, of up to 256 rows (NVIDIA's Matrix Multiplication Background User's Guide: tile
/// quantization); 128 is in the middle.
ItemCost matmul(const Problem& problem, double element_bytes) {
  const double n = problem.at("n");
  ItemCost cost;
  cost.item = "row";
  cost.flop = 2.0 * n * n;
  cost.traffic_bytes = 3.0 * n * element_bytes;
  cost.in_bytes = n * element_bytes;
  cost.out_bytes = n * element_bytes;
  cost.resident_bytes = n * n * element_bytes;
  cost.memory_bytes = 2.0 * n * element_bytes;
  cost.threads = n;
  cost.efficiency = efficiencies(0.85, 0.6, 0.5);
  cost.round_items = {{UnitKind::gpu, 128.0}};
  return cost;
}

/// An item is an option, priced `passes` times in closed form: four numbers in, call and put out,
/// 205 operations (as in our own kernel).
ItemCost blackscholes(const Problem& problem, double element_bytes) {
  const double passes = problem.at("passes");
  ItemCost cost;
  cost.item = "option";
  cost.flop = 205.0 * passes;
  cost.traffic_bytes = 6.0 * element_bytes * passes;
  cost.in_bytes = 4.0 * element_bytes;
  cost.out_bytes = 2.0 * element_bytes;
  cost.memory_bytes = 6.0 * element_bytes;
  cost.efficiency = efficiencies(0.3, 0.4, 0.2);
  return cost;
}

/// An item is a target gene: every pair of candidate genes is tried as its predictor, with ten
/// operations for each sample (conditional entropy by counting). Every candidate is a target too
/// unless the number of items is given, so the whole takes O(candidates^3).
ItemCost grn(const Problem& problem, double element_bytes) {
  const double candidates = problem.at("candidates");
  const double samples = problem.at("samples");
  const double pairs = candidates * (candidates - 1.0) / 2.0;
  ItemCost cost;
  cost.item = "gene";
  cost.flop = 10.0 * pairs * samples;
  cost.in_bytes = samples * element_bytes;
  cost.out_bytes = 4.0 * element_bytes;
  cost.resident_bytes = candidates * samples * element_bytes;
  cost.memory_bytes = cost.in_bytes + cost.out_bytes;
  cost.threads = pairs;
  cost.efficiency = efficiencies(0.2, 0.25, 0.15);
  return cost;
}

/// An item is a point: its distances to all centres, in each of `passes` iterations.
ItemCost kmeans(const Problem& problem, double element_bytes) {
  const double dimensions = problem.at("dimensions");
  const double clusters = problem.at("clusters");
  ItemCost cost;
  cost.item = "point";
  const double passes = problem.at("passes");
  cost.flop = 3.0 * dimensions * clusters * passes;
  cost.traffic_bytes = dimensions * element_bytes * passes;
  cost.in_bytes = dimensions * element_bytes;
  cost.out_bytes = 4.0;
  cost.resident_bytes = dimensions * clusters * element_bytes;
  cost.memory_bytes = cost.in_bytes + cost.out_bytes;
  cost.efficiency = efficiencies(0.4, 0.4, 0.3);
  return cost;
}

/// An item is a 2-D complex FFT, forward and inverse: each has 5 N log2 N operations and two passes
/// (rows, columns) that read and write all data.
ItemCost fft2d(const Problem& problem, double element_bytes) {
  const double points = problem.at("rows") * problem.at("columns");
  const double bytes = 2.0 * element_bytes * points;
  ItemCost cost;
  cost.item = "2-D FFT, forward and inverse";
  cost.flop = 10.0 * points * std::log2(points);
  cost.traffic_bytes = 8.0 * bytes;
  cost.in_bytes = bytes;
  cost.out_bytes = bytes;
  cost.memory_bytes = 2.0 * bytes;
  cost.threads = points / 8.0;
  cost.efficiency = efficiencies(0.3, 0.3, 0.2);
  return cost;
}

/// An item is a body in one step: 20 operations for each other body; all bodies stay on the unit.
ItemCost nbody(const Problem& problem, double element_bytes) {
  const double bodies = problem.at("bodies");
  ItemCost cost;
  cost.item = "body";
  cost.flop = 20.0 * bodies;
  cost.in_bytes = 4.0 * element_bytes;
  cost.out_bytes = 4.0 * element_bytes;
  cost.resident_bytes = 4.0 * element_bytes * bodies;
  cost.memory_bytes = cost.in_bytes + cost.out_bytes;
  cost.efficiency = efficiencies(0.3, 0.5, 0.3);
  return cost;
}

/// An item is an option on a lattice: three operations for each of steps^2 / 2 nodes.
ItemCost binomial(const Problem& problem, double element_bytes) {
  const double steps = problem.at("steps");
  ItemCost cost;
  cost.item = "option";
  cost.flop = 1.5 * steps * steps;
  cost.in_bytes = 4.0 * element_bytes;
  cost.out_bytes = element_bytes;
  cost.memory_bytes = cost.in_bytes + cost.out_bytes;
  cost.threads = steps;
  cost.efficiency = efficiencies(0.25, 0.35, 0.2);
  return cost;
}

/// An item is a pixel with the mean number of iterations, ten operations each.
ItemCost mandelbrot(const Problem& problem, double) {
  ItemCost cost;
  cost.item = "pixel";
  cost.flop = 10.0 * problem.at("mean_iterations");
  cost.out_bytes = 4.0;
  cost.memory_bytes = cost.out_bytes;
  cost.efficiency = efficiencies(0.3, 0.4, 0.25);
  return cost;
}

/// An item is a point of a mesh: four operations for each term.
ItemCost taylor(const Problem& problem, double element_bytes) {
  ItemCost cost;
  cost.item = "point";
  cost.flop = 4.0 * problem.at("terms");
  cost.in_bytes = 2.0 * element_bytes;
  cost.out_bytes = element_bytes;
  cost.memory_bytes = cost.in_bytes + cost.out_bytes;
  cost.efficiency = efficiencies(0.3, 0.4, 0.25);
  return cost;
}

}  // namespace

const ModelledKernel* find_modelled_kernel(const std::string& name) {
  static const std::vector<ModelledKernel> kernels = {
      {"binomial", {{"steps", 254.0}}, binomial, ""},
      {"blackscholes", {{"passes", 1.0}}, blackscholes, ""},
      {"fft2d", {{"rows", 512.0}, {"columns", 512.0}}, fft2d, ""},
      {"grn", {{"candidates", 1000.0}, {"samples", 20.0}}, grn, "candidates"},
      {"kmeans", {{"dimensions", 32.0}, {"clusters", 1024.0}, {"passes", 1.0}}, kmeans, ""},
      {"mandelbrot", {{"mean_iterations", 100.0}}, mandelbrot, ""},
      {"matmul", {{"n", 1024.0}}, matmul, "n"},
      {"nbody", {{"bodies", 51200.0}}, nbody, "bodies"},
      {"taylor", {{"terms", 1000.0}}, taylor, ""}};
  const auto found = std::find_if(kernels.begin(), kernels.end(),
                                  [&name](const auto& kernel) { return kernel.name == name; });
  return found == kernels.end() ? nullptr : &*found;
}

}  // namespace equipoise
