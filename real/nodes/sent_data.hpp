// What the master sends to nodes of its kernels' data: input of blocks, and resident data that a
// node does not have yet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "real/nodes/byte_pool.hpp"
#include "real/nodes/communicator.hpp"
#include "real/nodes/node_data.hpp"
#include "real/nodes/node_messages.hpp"
#include "real/nodes/payload.hpp"
#include "real/worker.hpp"

namespace equipoise {

/// The data of the phases of a run, and which of the resident ones each node has. Arrays that do
/// not change are sent from where they lie, others from copies. To be used by the communicator's
/// thread.
class SentData {
 public:
  SentData() = default;
  /// `ranks`: with the master.
  SentData(const std::vector<WorkerPhase>& phases, int ranks);
  /// Messages say this number of the run.
  void begin_run(std::uint64_t run) { run_ = run; }

  /// (phases)
  [[nodiscard]] std::vector<DataShape> shapes() const;
  /// Those of the kernel of a phase, or of a workload that no kernel computes.
  [[nodiscard]] const KernelData& data(int phase) const;
  /// How many resident arrays of the first phase the node does not have.
  [[nodiscard]] std::uint32_t count_missing(int rank) const;
  /// Sends what the node has not of the resident data of a phase. Returns how many bytes.
  double send_resident(Communicator& communicator, int rank, int phase, int iteration);
  /// Sends a block with its input. Returns the bytes of that.
  double send_block(Communicator& communicator, int rank, SendBlock& block);
  /// Sends a probe: bytes that mean nothing. Returns how many.
  double send_probe(Communicator& communicator, int rank, SendBlock& probe);

 private:
  /// The data of a phase.
  struct Phase {
    WorkerPhase phase;
    DataShape shape;
    std::shared_ptr<ShapedData> blank;                 ///< of a phase without a kernel
    std::vector<std::vector<std::uint64_t>> versions;  ///< (ranks), of resident arrays; 0: none
    /// (resident arrays) The last copy of one that may change, for all ranks, and its version.
    std::vector<std::pair<std::uint64_t, PooledBytes>> copies;

    [[nodiscard]] const KernelData& data() const {
      return phase.kernel != nullptr ? phase.kernel->data() : blank->data();
    }
    [[nodiscard]] std::shared_ptr<const void> owner_of(SentPart part) const;
    [[nodiscard]] std::uint64_t version_of(std::size_t array, int iteration) const;
  };

  [[nodiscard]] const Phase& phase_of(int phase) const {
    return phases_[static_cast<std::size_t>(phase)];
  }
  void send_array(Communicator& communicator, int rank, Phase& phase, std::size_t array,
                  std::uint64_t version);
  void send_part(Communicator& communicator, int rank, const Phase& phase, SentPart part);
  [[nodiscard]] PooledBytes copy_of(const std::vector<SentPart>& parts);

  std::uint64_t run_ = 0;
  std::vector<Phase> phases_;
  BytePool pool_;
};

}  // namespace equipoise
