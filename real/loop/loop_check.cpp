// Whether the body of a loop keeps to its block: does blocks twice and compares what it wrote.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "real/kernels/buffer.hpp"
#include "real/loop/loop_kernel.hpp"
#include "real/worker.hpp"
#include "shared_policies/model/failure.hpp"

namespace equipoise {
namespace {

using ByteBuffer = BufferOf<std::byte>;

/// What memory holds before a body writes to it. Every byte of one differs from that of the other.
constexpr std::byte fill_a{0xa5};
constexpr std::byte fill_b{0x5a};

/// Bytes before and behind the results of a block, where those of other items would be.
constexpr std::size_t guard_bytes = array_alignment;

/// The memory of a unit for one block.
class CheckedBlock {
 public:
  CheckedBlock(const LoopWork& work, const Block& block, std::byte fill)
      : work_(work), fill_(fill) {
    staged_.first = block.first;
    staged_.items = block.items;
    for (const InputRows& rows : work.data.inputs) {
      ByteBuffer& memory = inputs_.emplace_back(rows.bytes(block.items));
      std::byte* to = memory.data();
      for_each_segment(rows, block, [&to](const std::byte* from, std::size_t bytes) {
        std::memcpy(to, from, bytes);
        to += bytes;
      });
      staged_.inputs.push_back(memory.data());
    }
    for (const ResultRows& rows : work.data.results) {
      ByteBuffer& memory = results_.emplace_back(rows.bytes(block.items) + 2 * guard_bytes);
      std::ranges::fill(memory.span(), fill);
      staged_.results.push_back(memory.data() + guard_bytes);
    }
    for (const ResidentArray& array : work.data.resident) {
      ByteBuffer& memory = resident_.emplace_back(array.bytes);
      std::copy_n(array.data, array.bytes, memory.data());
      staged_.resident.push_back(memory.data());
    }
  }

  /// Does the block in `parts` of about the same size.
  void compute(const CpuProgram& program, std::size_t parts) {
    const auto items = static_cast<std::size_t>(staged_.items);
    for (std::size_t part = 0; part < parts; ++part) {
      const std::size_t begin = items * part / parts;
      const std::size_t end = items * (part + 1) / parts;
      if (end > begin) program(staged_, begin, end - begin);
    }
  }

  /// What the body wrote that is not its own; empty if nothing.
  [[nodiscard]] std::string harm(const Block& block) const {
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      const std::byte* now = inputs_[i].span().data();
      bool is_same = true;
      for_each_segment(work_.data.inputs[i], block, [&](const std::byte* from, std::size_t bytes) {
        is_same = is_same && std::equal(from, from + bytes, now);
        now += bytes;
      });
      if (!is_same) return fmt::format("it changes its input {}", i);
    }
    for (std::size_t i = 0; i < resident_.size(); ++i) {
      if (!std::equal(resident_[i].span().begin(), resident_[i].span().end(),
                      work_.data.resident[i].data)) {
        return fmt::format("it changes resident data {}", i);
      }
    }
    for (std::size_t i = 0; i < results_.size(); ++i) {
      const auto memory = results_[i].span();
      const auto is_filled = [this](std::byte byte) { return byte == fill_; };
      if (!std::ranges::all_of(memory.first(guard_bytes), is_filled) ||
          !std::ranges::all_of(memory.last(guard_bytes), is_filled)) {
        return fmt::format("it writes beyond its items in output {}", i);
      }
    }
    return {};
  }

  [[nodiscard]] std::span<const std::byte> result(std::size_t i) const {
    const auto memory = results_[i].span();
    return memory.subspan(guard_bytes, memory.size() - 2 * guard_bytes);
  }

 private:
  const LoopWork& work_;
  std::byte fill_;
  StagedBlock staged_;
  std::vector<ByteBuffer> inputs_;
  std::vector<ByteBuffer> results_;
  std::vector<ByteBuffer> resident_;
};

/// What differs between two runs of a block whose memory held `fill_a` and `fill_b`. A byte that
/// neither has written is left out where none of the items has it: between members of a struct.
std::string difference(const CheckedBlock& a, const CheckedBlock& b, const LoopWork& work,
                       const Block& block) {
  for (std::size_t i = 0; i < work.data.results.size(); ++i) {
    const std::size_t row_bytes = work.data.results[i].row_bytes;
    const auto one = a.result(i);
    const auto other = b.result(i);
    const auto is_unwritten = [&](std::size_t at) {
      return one[at] == fill_a && other[at] == fill_b;
    };
    std::vector<bool> is_gap(row_bytes, true);
    for (std::size_t at = 0; at < one.size(); ++at) {
      if (!is_unwritten(at)) is_gap[at % row_bytes] = false;
    }
    if (std::ranges::all_of(is_gap, [](bool gap) { return gap; })) {
      return fmt::format("it writes nothing to output {}", i);
    }
    for (std::size_t at = 0; at < one.size(); ++at) {
      if (one[at] == other[at] || is_gap[at % row_bytes]) continue;
      const auto item = block.first + static_cast<Items>(at / row_bytes);
      return is_unwritten(at)
                 ? fmt::format("it does not write all of item {} of output {}", item, i)
                 : fmt::format("item {} of output {} is another one the second time", item, i);
    }
  }
  return {};
}

/// Copies of the program's own results, which no body may write: it gets others for its block.
class OwnResults {
 public:
  explicit OwnResults(const LoopWork& work) : work_(work) {
    for (const ResultRows& rows : work.data.results) {
      ByteBuffer& copy = copies_.emplace_back(rows.bytes(work.workload.items));
      std::copy_n(rows.data, copy.span().size(), copy.data());
    }
  }
  /// Which of them has changed since; empty if none. They are as before afterwards.
  [[nodiscard]] std::string change() {
    std::string text;
    for (std::size_t i = 0; i < copies_.size(); ++i) {
      std::byte* const own = work_.data.results[i].data;
      const auto before = copies_[i].span();
      if (std::equal(before.begin(), before.end(), own)) continue;
      std::ranges::copy(before, own);
      text = fmt::format(
          "it writes to the array of output {} itself, in place of what it is given "
          "for its block",
          i);
    }
    return text;
  }

 private:
  const LoopWork& work_;
  std::vector<ByteBuffer> copies_;
};

/// Blocks at the beginning, in the middle and at the end, of a grain and of some.
std::vector<Block> sample_blocks(const Workload& workload) {
  std::vector<Block> blocks;
  std::set<std::pair<Items, Items>> taken;
  const Items grain = workload.grain_items;
  const Items grains = (workload.items + grain - 1) / grain;
  constexpr Items some = 3;
  for (const Items count : {Items{1}, some}) {
    const Items last = std::max<Items>(0, grains - count);
    for (const Items at : {Items{0}, last / 2, last}) {
      Block block;
      block.first = at * grain;
      block.items = std::min(count * grain, workload.items - block.first);
      if (taken.emplace(block.first, block.items).second) blocks.push_back(block);
    }
  }
  return blocks;
}

}  // namespace

std::string fault_of_body(const LoopWork& work) {
  const std::string& name = work.workload.kernel;
  if (!work.cpu) throw InputError(name, "has no body for CPU cores, and only these are checked");
  OwnResults own(work);
  for (const Block& block : sample_blocks(work.workload)) {
    CheckedBlock first(work, block, fill_a);
    CheckedBlock second(work, block, fill_b);
    try {
      first.compute(work.cpu, 1);
      second.compute(work.cpu, 3);
    } catch (const std::exception& failure) {
      throw BlockFailure(fmt::format("the body of {} threw: {}", name, failure.what()));
    }
    for (const std::string& fault : {first.harm(block), second.harm(block), own.change(),
                                     difference(first, second, work, block)}) {
      if (fault.empty()) continue;
      return fmt::format("the body of {}, for items {} to {}: {}", name, block.first,
                         block.first + block.items - 1, fault);
    }
  }
  return {};
}

}  // namespace equipoise
