// Sends a kernel's data: what does not change from where it lies, the rest from copies.
#include "real/nodes/sent_data.hpp"

#include <utility>

namespace equipoise {

SentData::SentData(const std::vector<WorkerPhase>& phases, int ranks) {
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
    sent.copies.resize(sent.shape.resident_bytes.size());
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
    send_array(communicator, rank, sent, i, version);
    bytes += static_cast<double>(array.bytes);
  }
  return bytes;
}

double SentData::send_block(Communicator& communicator, int rank, SendBlock& block) {
  const Phase& phase = phase_of(block.block.phase);
  const std::vector<SentPart> parts = input_parts(phase.data(), block.block);
  Packed packed = pack(parts);
  block.enclosed = std::move(packed.enclosed);
  block.pieces = std::move(packed.pieces);
  communicator.post(rank, archived(MessageToNode(block)));
  if (packed.form == PayloadForm::gathered) {
    const PooledBytes copy = copy_of(parts);
    communicator.send(rank, copy.bytes(), copy.owner);
  } else if (packed.form == PayloadForm::apart) {
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

/// Sends a resident array. One that may change is copied once for all ranks.
void SentData::send_array(Communicator& communicator, int rank, Phase& phase, std::size_t array,
                          std::uint64_t version) {
  const ResidentArray& resident = phase.data().resident[array];
  const SentPart part{resident.data, resident.bytes};
  if (std::shared_ptr<const void> owner = phase.owner_of(part)) {
    return communicator.send(rank, part, std::move(owner));
  }
  auto& [copied, copy] = phase.copies[array];
  if (std::exchange(copied, version) != version) copy = copy_of({part});
  communicator.send(rank, copy.bytes(), copy.owner);
}

/// Sends one part from where it lies if it stays there, else a copy.
void SentData::send_part(Communicator& communicator, int rank, const Phase& phase, SentPart part) {
  if (std::shared_ptr<const void> owner = phase.owner_of(part)) {
    return communicator.send(rank, part, std::move(owner));
  }
  const PooledBytes copy = copy_of({part});
  communicator.send(rank, copy.bytes(), copy.owner);
}

PooledBytes SentData::copy_of(const std::vector<SentPart>& parts) {
  PooledBytes copy = pool_.take(bytes_in(parts));
  gather(parts, copy.span());
  return copy;
}

/// Who keeps the memory of `part` if it does not change; else null.
std::shared_ptr<const void> SentData::Phase::owner_of(SentPart part) const {
  for (const FixedArray& fixed : data().fixed) {
    const std::byte* const begin = fixed.begin.get();
    if (part.data() >= begin && part.data() + part.size() <= begin + fixed.bytes) {
      return fixed.begin;
    }
  }
  return blank ? blank->owner() : nullptr;
}

}  // namespace equipoise
