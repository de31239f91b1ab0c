// Inference of gene regulatory networks: for every gene, an exhaustive search for the two
// regulators that predict it best.
//
// One item is one target gene and stands for all pairs of the `candidates` regulators as its
// predictors: candidates (candidates - 1) / 2 gene sets. Expression is binarised. The regulators'
// states at one time predict the target's state at the next time, in `samples` pairs of times.
// Regulators stay on the unit. A target's samples (one bit each, 8 bytes) are copied to the unit;
// the best pair and its mean conditional entropy (12 bytes) are copied back.
//
// Source: Borelli, de Camargo, Martins-Jr, Rozante (2013), whose program PLB-HeC, PLB-HAC and
// DLB-GPU divide gene by gene. These three papers give 60,000 to 2,000,000 genes and times that
// grow no faster than the number of genes, so each gene must be searched among a fixed number of
// candidates. They state neither the number of candidates nor the number of samples.
#include <algorithm>

#include "real/kernels/catalog.hpp"
#include "real/kernels/grn/grn_check.hpp"
#include "real/kernels/grn/pair_search.hpp"
#include "real/kernels/seeded.hpp"

namespace equipoise {
namespace {

struct GrnSize {
  std::size_t genes;
  std::size_t candidates;
  std::size_t samples;
};

/// All data on the host.
struct HostGenes {
  BufferOf<Samples> candidates;  ///< (candidates)
  Regulators regulators;         ///< computed from the candidates
  BufferOf<Samples> genes;       ///< (genes)
  BufferOf<BestPair> found;      ///< (genes)
};

class Grn final : public Kernel {
 public:
  Grn(const GrnSize& size, int iterations, Distribution distribution) : size_(size) {
    const auto candidates = static_cast<double>(size.candidates);
    const auto samples = static_cast<double>(size.samples);
    workload_.kernel = "grn";
    workload_.items = static_cast<Items>(size.genes);
    workload_.iterations = iterations;
    workload_.distribution = distribution;
    workload_.in_bytes_per_item = sizeof(Samples);
    workload_.out_bytes_per_item = sizeof(BestPair);
    workload_.resident_bytes = Regulators::bytes(size.candidates, size.samples);
    workload_.memory_bytes_per_item = sizeof(Samples) + sizeof(BestPair);
    // Integer operations; there are no others. For each pair: an addition for every sample in which
    // the first regulator is active, which is half of them; two multiplications and four additions
    // and subtractions to find the places in the table; adding the entries, and comparing.
    workload_.flop_per_item = 0.5 * candidates * (candidates - 1.0) * (0.5 * samples + 8.0);
    workload_.parameters = {{"genes", static_cast<double>(size.genes)},
                            {"candidates", candidates},
                            {"samples", samples}};
  }

  const Workload& workload() const override { return workload_; }
  std::string item() const override { return "gene"; }
  std::map<std::string, double> problem() const override {
    return {{"candidates", static_cast<double>(size_.candidates)},
            {"samples", static_cast<double>(size_.samples)}};
  }
  double host_bytes() const override {
    return static_cast<double>(size_.genes) * workload_.memory_bytes_per_item +
           workload_.resident_bytes + static_cast<double>(size_.candidates * sizeof(Samples));
  }

  void allocate(std::uint64_t seed) override {
    host_.candidates = BufferOf<Samples>(size_.candidates);
    host_.regulators = Regulators(size_.candidates, size_.samples);
    host_.genes = BufferOf<Samples>(size_.genes);
    host_.found = BufferOf<BestPair>(size_.genes);
    const Samples every = all_samples(size_.samples);
    for (std::size_t c = 0; c < size_.candidates; ++c) {
      host_.candidates.data()[c] = seeded_bits(seed, c) & every;
    }
    host_.regulators.set(host_.candidates.span());
    for (std::size_t g = 0; g < size_.genes; ++g) {
      host_.genes.data()[g] = regulated_gene(seed, g) & every;
    }
    data_ = {{input_rows(host_.genes.data())},
             {result_rows(host_.found.data())},
             {resident_array(host_.regulators.active()), resident_array(host_.regulators.planes()),
              resident_array(host_.regulators.begins()), resident_array(host_.regulators.table())},
             host_.regulators.fixed()};
    data_.fixed.push_back(host_.genes.fixed());
    clear_results();
  }

  void clear_results() override { std::ranges::fill(host_.found.span(), BestPair{}); }

  const KernelData& data() const override { return data_; }

  std::unique_ptr<CpuProgram> make_cpu_program() const override {
    return make_cpu_program_of([size = size_](const StagedBlock& block, Items first, Items items) {
      find_best_pairs(
          {block.kept<Samples>(0), block.kept<std::uint8_t>(1), block.kept<std::int32_t>(2),
           block.kept<std::int32_t>(3), size.candidates, size.samples},
          block.input<Samples>(0) + first, static_cast<std::size_t>(items),
          block.result<BestPair>(0) + first);
    });
  }

  Verification verify() const override {
    return check_pairs(host_.candidates.span(), size_.samples, host_.genes.span(),
                       host_.found.span());
  }

 private:
  static Samples seeded_bits(std::uint64_t seed, std::uint64_t position) {
    constexpr double half = 0x1p32;
    const auto low = static_cast<Samples>(seeded_number(seed, 2 * position, 0.0, half));
    const auto high = static_cast<Samples>(seeded_number(seed, 2 * position + 1, 0.0, half));
    return high << 32 | low;
  }

  /// A Boolean function of two candidates that is wrong in one sample of eight.
  [[nodiscard]] Samples regulated_gene(std::uint64_t seed, std::uint64_t gene) const {
    const std::uint64_t position = (std::uint64_t{1} << 60) + 8 * gene;
    const auto draw = [&](std::uint64_t offset, double below) {
      return static_cast<std::size_t>(seeded_number(seed, position + offset, 0.0, below));
    };
    const Samples a = host_.candidates.data()[draw(0, static_cast<double>(size_.candidates))];
    const Samples b = host_.candidates.data()[draw(1, static_cast<double>(size_.candidates))];
    const std::size_t truth = draw(2, 16.0);
    const Samples states[] = {~a & ~b, a & ~b, ~a & b, a & b};
    Samples active = 0;
    for (std::size_t state = 0; state < 4; ++state) {
      if ((truth >> state & 1) != 0) active |= states[state];
    }
    const std::uint64_t noise = 4 * gene + (std::uint64_t{1} << 58);
    return active ^
           (seeded_bits(seed, noise) & seeded_bits(seed, noise + 1) & seeded_bits(seed, noise + 2));
  }

  GrnSize size_;
  Workload workload_;
  HostGenes host_;
  KernelData data_;
};

}  // namespace

std::unique_ptr<Kernel> make_grn(const Parameters& parameters) {
  const auto size = [&](const char* name, Items low, std::size_t high) {
    return static_cast<std::size_t>(parameters.items(name, low, static_cast<Items>(high)));
  };
  return std::make_unique<Grn>(
      GrnSize{static_cast<std::size_t>(parameters.items("genes", 0)),
              size("candidates", 2, candidates_max), size("samples", 1, samples_max)},
      iterations_of(parameters), distribution_of(parameters));
}

}  // namespace equipoise
