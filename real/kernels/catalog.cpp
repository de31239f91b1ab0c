// The entries of the kernel catalog.
#include "real/kernels/catalog.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "shared_policies/model/failure.hpp"
#include "shared_policies/text/nearest_name.hpp"

namespace equipoise {
namespace {

const ParameterInfo iterations_info{"iterations", "1", "",
                                    "how often all items are processed, behind a barrier each"};

const ParameterInfo distribution_info{"distribution", "master", "",
                                      "where data that every unit keeps lie at the start: on the "
                                      "master, or replicated on every unit"};

const std::vector<KernelInfo> rows = {
    {"matmul",
     "C = A B for square matrices of doubles (OpenBLAS); B stays on every unit",
     {{"n", "1024", "rows", "rows and columns of each matrix"}, iterations_info, distribution_info},
     make_matmul},
    {"blackscholes",
     "prices of European call and put options in closed form, vectorised",
     {{"options", "1e6", "options", "how many options are priced"}, iterations_info},
     make_blackscholes},
    {"grn",
     "gene networks: for every gene, the pair of regulators that predicts it best, of all pairs",
     {{"genes", "1e4", "genes", "how many genes are predicted"},
      {"candidates", "1000", "genes", "how many regulators are tried, in all pairs"},
      {"samples", "20", "samples", "how often expression was measured; at most 64"},
      iterations_info,
      distribution_info},
     make_grn},
    {"kmeans",
     "k-means: each point's nearest centroid, vectorised; centroids move between iterations",
     {{"points", "5e5", "points", "how many points are clustered"},
      {"dimensions", "32", "coordinates", "coordinates of a point"},
      {"clusters", "1024", "centroids", "how many centroids there are; at most one a point"},
      {"iterations", "10", "", "how often all points are assigned, behind a merge each"},
      distribution_info},
     make_kmeans},
    {"fft2d",
     "2-D Fourier transforms of complex doubles, forward and inverse (FFTW)",
     {{"transforms", "64", "arrays", "how many arrays are transformed"},
      {"rows", "512", "rows", "of each array"},
      {"columns", "512", "columns", "of each array"},
      {"directions", "2", "", "1: forward; 2: forward, times the Laplacian's symbol, inverse"},
      iterations_info},
     make_fft2d},
    {"nbody",
     "gravity among all pairs of bodies, which stay on every unit and move between iterations",
     {{"bodies", "16384", "bodies", "how many attract one another"},
      iterations_info,
      distribution_info},
     make_nbody},
    {"binomial",
     "prices of European call options on a binomial lattice, vectorised",
     {{"options", "1e6", "options", "how many options are priced"},
      {"steps", "254", "steps", "steps of the lattice, from now to expiry"},
      iterations_info},
     make_binomial},
    {"mandelbrot",
     "steps to escape for the pixels of an image of the Mandelbrot set; rows cost differently",
     {{"width", "2048", "pixels", "of a row"},
      {"height", "2048", "rows", "of the image"},
      {"max_iterations", "1000", "", "steps after which a point counts as one of the set"},
      {"order", "random", "", "of the rows: random, the same every time, or natural: irregular"},
      iterations_info},
     make_mandelbrot},
    {"taylor",
     "Taylor series of a function of two variables at many points, vectorised",
     {{"points", "1e6", "points", "where the function is computed"},
      {"terms", "1000", "terms", "degree of the polynomial"},
      iterations_info},
     make_taylor},
    {"gaussian",
     "blur of an image by a square Gaussian filter, vectorised, bound by arithmetic",
     {{"width", "1024", "pixels", "of a row"},
      {"height", "1024", "rows", "of the image"},
      {"radius", "40", "pixels", "the filter has 2 * radius + 1 rows and columns"},
      iterations_info,
      distribution_info},
     make_gaussian},
    {"synthetic",
     "items that cost what is said: integer multiply-adds, and bytes that are copied and read",
     {{"items", "1e5", "items", "how many there are"},
      {"operations", "1e5", "multiply-adds", "of an item of mean cost"},
      {"bytes", "64", "bytes",
       "of an item, a multiple of 4, at least 16; operations over bytes is the arithmetic "
       "intensity"},
      costs_info,
      costs_seed_info,
      iterations_info},
     make_synthetic},
    {"empty",
     "nothing: times what the controller itself needs for a block",
     {{"items", "1e6", "items", "how many items are handed out"}, iterations_info},
     make_empty},
};

}  // namespace

Kernel::Kernel(const std::string& name, std::string item, Items items, const Parameters& parameters)
    : item_(std::move(item)) {
  workload_.kernel = name;
  workload_.items = items;
  workload_.iterations =
      static_cast<int>(parameters.items("iterations", 1, std::numeric_limits<int>::max()));
  const std::vector<ParameterInfo>& known = find_kernel(name, {}).parameters;
  if (std::ranges::find(known, distribution_info.name, &ParameterInfo::name) != known.end()) {
    workload_.distribution = distribution_of(parameters);
  }
}

void Kernel::set_bytes(double in, double out, double resident, double further_bytes) {
  workload_.in_bytes_per_item = in;
  workload_.out_bytes_per_item = out;
  workload_.memory_bytes_per_item = in + out;
  workload_.resident_bytes = resident;
  host_bytes_ = (in + out) * static_cast<double>(workload_.items) + resident + further_bytes;
}

void Kernel::set_problem(const char* items_parameter, std::map<std::string, double> problem) {
  workload_.parameters = problem;
  workload_.parameters[items_parameter] = static_cast<double>(workload_.items);
  workload_.problem = std::move(problem);
}

void Kernel::keep_results_in(const std::string& /*folder*/, const std::string& where) {
  throw InputError(where,
                   fmt::format("{} leaves no files; results are kept of commands (a work file)",
                               workload_.kernel));
}

bool takes_costs(const KernelInfo& info) {
  return std::ranges::find(info.parameters, costs_info.name, &ParameterInfo::name) !=
         info.parameters.end();
}

Distribution distribution_of(const Parameters& parameters) {
  return parameters.choice<Distribution>("distribution", {"master", "replicated"});
}

std::span<const KernelInfo> kernel_catalog() { return rows; }

const KernelInfo& find_kernel(const std::string& name, const std::string& where) {
  std::vector<std::string> names;
  for (const KernelInfo& info : kernel_catalog()) {
    if (info.name == name) return info;
    names.push_back(info.name);
  }
  throw InputError(where, unknown_name("kernel", name, names));
}

std::unique_ptr<Kernel> make_kernel(const std::string& name, const TypedParameters& parameters,
                                    const std::string& where) {
  const KernelInfo& info = find_kernel(name, where);
  std::unique_ptr<Kernel> kernel = info.make({parameters, info.parameters, name, where});
  kernel->workload().validate(where);
  return kernel;
}

}  // namespace equipoise
