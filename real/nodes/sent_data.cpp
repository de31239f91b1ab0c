// Sends a kernel's data: what does not change from where it lies, the rest from copies.
#include "real/nodes/sent_data.hpp"

#include <utility>

namespace equipoise {
namespace {

/// The memory of `part` if it belongs to an array that does not change; else null.
std::shared_ptr<const void> owner_of(const KernelData& data, SentPart part) {
  for (const FixedArray& fixed : data.fixed) {
    const std::byte* const begin = fixed.begin.get();
    if (part.data() >= begin && part.data() + part.size() <= begin + fixed.bytes) {
      return fixed.begin;
    }
  }
  return nullptr;
}

}  // namespace

SentData::SentData(std::uint64_t run, const std::vector<WorkerPhase>& phases, int ranks)
    : run_(run) {
  for (const WorkerPhase& phase : phases) {
    Phase& sent = phases_.emplace_back();
    sent.phase = phase;
    if (phase.kernel != nullptr) {
      sent.shape = shape_of(phase.kernel->data(), phase.workload->items);
    } else {
      sent.shape = shape_of(*phase.workload);
      sent.blank = std::make_shared<ShapedData>(sent.shape);
    }
    sent.versions.assign(static_cast<std::size_t>(ranks),
                         std::vector<std::uint64_t>(sent.shape.resident_bytes.size(), 0));
  }
}

std::vector<DataShape> SentData::shapes() const {
  std::vector<DataShape> shapes;
  for (const Phase& phase : phases_) shapes.push_back(phase.shape);
  return shapes;
}

const KernelData& SentData::data(int phase) const { return phase_of(phase).data(); }

std::uint32_t SentData::count_missing(int rank) const {
  const Phase& phase = phases_.front();
  const std::vector<std::uint64_t>& versions = phase.versions[static_cast<std::size_t>(rank)];
  std::uint32_t missing = 0;
  for (std::size_t i = 0; i < versions.size(); ++i) {
    if (phase.version_of(i, 0) != versions[i]) ++missing;
  }
  return missing;
}

/// Without a kernel, the last array is the one that iterations change.
std::uint64_t SentData::Phase::version_of(std::size_t array, int iteration) const {
  const bool changes = blank && phase.workload->iteration_bytes > 0.0;
  if (changes && array + 1 == data().resident.size()) {
    return static_cast<std::uint64_t>(iteration) + 1;
  }
  return data().resident[array].version;
}

double SentData::send_resident(Communicator& communicator, int rank, int phase, int iteration) {
  Phase& sent = phases_[static_cast<std::size_t>(phase)];
  std::vector<std::uint64_t>& versions = sent.versions[static_cast<std::size_t>(rank)];
  double bytes = 0.0;
  for (std::size_t i = 0; i < versions.size(); ++i) {
    const ResidentArray& array = sent.data().resident[i];
    const std::uint64_t version = sent.version_of(i, iteration);
    if (std::exchange(versions[i], version) == version) continue;
    communicator.post(
        rank,
        archived(MessageToNode(SendResident{run_, static_cast<std::uint32_t>(phase),
                                            static_cast<std::uint32_t>(i), version, array.bytes})));
    send_part(communicator, rank, sent, {array.data, array.bytes});
    bytes += static_cast<double>(array.bytes);
  }
  return bytes;
}

double SentData::send_block(Communicator& communicator, int rank, SendBlock& block) {
  const Phase& phase = phase_of(block.block.phase);
  const std::vector<SentPart> parts = input_parts(phase.data(), block.block);
  const PayloadForm form = form_of(parts);
  if (form == PayloadForm::enclosed) block.enclosed = gathered(parts);
  block.pieces = pieces_of(parts);
  communicator.post(rank, archived(MessageToNode(block)));
  if (form == PayloadForm::gathered) {
    send_copy(communicator, rank, parts);
  } else if (form == PayloadForm::apart) {
    for (const SentPart& part : parts) send_part(communicator, rank, phase, part);
  }
  return static_cast<double>(bytes_in(parts));
}

double SentData::send_probe(Communicator& communicator, int rank, SendBlock& probe) {
  const double bytes = probe.probe->there_bytes;
  if (bytes > 0.0) probe.pieces.push_back(static_cast<std::uint64_t>(bytes));
  communicator.post(rank, archived(MessageToNode(probe)));
  if (bytes > 0.0) {
    const PooledBytes blank = pool_.take(static_cast<std::size_t>(bytes));
    communicator.send(rank, blank.bytes(), blank.owner);
  }
  return bytes;
}

void SentData::send_part(Communicator& communicator, int rank, const Phase& phase, SentPart part) {
  std::shared_ptr<const void> owner = owner_of(phase.data(), part);
  if (!owner && phase.blank) owner = phase.blank->owner();
  if (owner) return communicator.send(rank, part, std::move(owner));
  send_copy(communicator, rank, {part});
}

void SentData::send_copy(Communicator& communicator, int rank, const std::vector<SentPart>& parts) {
  const PooledBytes copy = pool_.take(bytes_in(parts));
  gather(parts, copy.span());
  communicator.send(rank, copy.bytes(), copy.owner);
}

}  // namespace equipoise
