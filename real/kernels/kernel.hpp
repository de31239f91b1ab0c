// The interface of all kernels that real units compute: a kernel describes its data and checks its
// results. It copies nothing and computes no block; units copy, and programs compute.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "real/kernels/kernel_data.hpp"
#include "real/threads/thread_team.hpp"
#include "shared_policies/machine/item_costs.hpp"
#include "shared_policies/model/failure.hpp"
#include "shared_policies/model/workload.hpp"

namespace equipoise {

/// Computes the items [first, first + items) of `block`, counted from its start, on one CPU core.
/// If items differ, it may take others: calls whose ranges make up the block compute all of it.
/// Several threads and units may call it at once. It needs nothing of the kernel, because a thread
/// that was left behind may still compute when the kernel is destroyed. Throws if it cannot (no
/// memory).
using CpuProgram =
    std::function<void(const StagedBlock& block, std::size_t first, std::size_t items)>;

/// Computes `block` with all threads of `team`, an equal part each.
inline void compute_with(ThreadTeam& team, const CpuProgram& program, const StagedBlock& block) {
  team.run(block.items, [&](Items first, Items items) {
    program(block, static_cast<std::size_t>(first), static_cast<std::size_t>(items));
  });
}

/// For whom a program of whole blocks is.
struct UnitPlace {
  std::string unit;        ///< its name
  int index = 0;           ///< its number among the units of its kind, from 0
  std::vector<int> cores;  ///< on which it computes; empty: none of this machine
};

/// What becomes of a block while it is computed. Both may be asked at any time.
struct BlockWish {
  std::function<bool()> is_wanted;    ///< whether its results may still count
  std::function<bool()> is_given_up;  ///< whether the unit is to drop it at once: its run ends
};

/// Does whole blocks on one unit, other than with its threads: with a process. The thread of the
/// unit makes it and calls it.
class BlockProgram {
 public:
  BlockProgram() = default;
  BlockProgram(const BlockProgram&) = delete;
  BlockProgram& operator=(const BlockProgram&) = delete;
  virtual ~BlockProgram() = default;

  /// Prepares for blocks, before the run begins. Throws if it will not do any.
  virtual void come_up() = 0;
  /// Computes the block. Returns false if it ended early: at will if the block is not wanted, soon
  /// if it is given up. Throws BlockFailure if it cannot do the block, anything else if it can do
  /// no more blocks.
  [[nodiscard]] virtual bool compute(const StagedBlock& block, const BlockWish& wish) = 0;
  /// The results of the block that was computed last count: puts them where those of all blocks
  /// are. Not called if they do not count.
  virtual void keep_results(const StagedBlock& block) = 0;
};

/// Puts the computation of `block`, which lies in the memory of a GPU, into `queue` (for CUDA a
/// cudaStream_t). Throws BlockFailure if it cannot. Needs nothing of the kernel.
using GpuLaunch = std::function<void(const StagedBlock& block, void* queue)>;

/// Where what does the blocks of a kernel comes from.
enum class ProgramSource : std::uint8_t {
  catalog,  ///< it is ours, and each kind of units has its own
  command,  ///< a command of the user's, which any unit that the user names may give its blocks
  loop      ///< the user's program
};

class Parameters;

/// A kernel with its problem size and, once allocated, its data on the host.
class Kernel {
 public:
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;
  virtual ~Kernel() = default;

  /// Items, grain, bytes, memory, FLOP and parameters; known before allocation. A trace recorded
  /// with another `problem` does not predict the times of this kernel.
  [[nodiscard]] const Workload& workload() const { return workload_; }
  /// One item in words, such as "option" or "row".
  [[nodiscard]] const std::string& item() const { return item_; }
  /// Memory that `allocate` takes on the host.
  [[nodiscard]] double host_bytes() const { return host_bytes_; }

  /// Whether items cost what users say (`set_costs`), because they do nothing else.
  [[nodiscard]] virtual bool takes_costs() const { return false; }
  /// Makes items cost what `costs` say, relative to their mean; null: all the same, as they do
  /// without this call. To be called before `allocate`, and only for kernels that take costs.
  virtual void set_costs(const ItemCostsPtr& /*costs*/) {
    EQ_CHECK(false, "the items of this kernel cost what they cost");
  }
  /// Makes the input, which is the same for the same seed, and room for the results, and sets
  /// `data_`. Called once, before the functions below.
  virtual void allocate(std::uint64_t seed) = 0;
  /// Prepares what programs need, without input and results: on a node whose data come from
  /// elsewhere, in place of `allocate`, which does it, too. Does nothing by default.
  virtual void prepare_programs() {}
  /// Discards all results, so that `verify` fails for items that are not computed again.
  virtual void clear_results() = 0;
  /// Prepares the data that blocks of `iteration` (counted from 1) need from the results of the
  /// iteration before. Called between iterations, while no block is computed. Results may be
  /// missing, because a paced unit only takes the time of its items; missing results are ignored.
  /// Does nothing by default.
  virtual void begin_iteration(int /*iteration*/) {}
  /// Where the data lies on the host. Valid after `allocate` until the kernel is destroyed. Only
  /// the versions of resident data change, in `clear_results` and `begin_iteration`.
  [[nodiscard]] const KernelData& data() const { return data_; }
  [[nodiscard]] virtual ProgramSource program_source() const { return ProgramSource::catalog; }
  /// Whether threads of a unit can do its blocks, and whether there is another way to do them on
  /// cores. A unit of CPU cores needs one of both.
  [[nodiscard]] virtual bool has_cpu_program() const { return true; }
  [[nodiscard]] virtual bool has_block_program() const { return false; }
  /// Makes the program for units of CPU cores. To be called after `allocate` or
  /// `prepare_programs`. Null if there is none.
  [[nodiscard]] virtual CpuProgram make_cpu_program() const = 0;
  /// Makes the program of one unit that does whole blocks otherwise. Null if there is none. To be
  /// called after `allocate` or `prepare_programs`.
  [[nodiscard]] virtual std::unique_ptr<BlockProgram> make_block_program(
      const UnitPlace& /*place*/) const {
    return nullptr;
  }
  /// What GPUs do the blocks with; null if they cannot, or if it is from the catalog
  /// (real/gpu/programs.hpp).
  [[nodiscard]] virtual GpuLaunch gpu_launch() const { return nullptr; }
  /// Why the unit called `unit` cannot do blocks though units of its kind can; empty if it can.
  [[nodiscard]] virtual std::string why_not_on(const std::string& /*unit*/) const { return {}; }
  /// Lets the results stay as files in `folder`, which must be empty or not there. To be called
  /// before `allocate`. Throws InputError at `where` if the kernel has no such results.
  virtual void keep_results_in(const std::string& folder, const std::string& where);
  /// The same on a node, whose files lie beside those of others, if all see the folder.
  virtual void join_results_in(const std::string& /*folder*/, const std::string& /*node*/) {}
  /// A run begins in which another process is the master: results that were left before go.
  virtual void begin_run_on_node() {}
  /// Where the results are files, once it is allocated; empty: they are none.
  [[nodiscard]] virtual std::string results_folder() const { return {}; }
  /// Checks the results of all items against a computation that shares nothing with the kernel's
  /// code.
  [[nodiscard]] virtual Verification verify() const = 0;

 protected:
  /// The kernel called `name` in the catalog, with `items` items of the sort `item`. Reads what all
  /// kernels have from `parameters`: iterations and, with resident data, where these lie. What else
  /// the workload says is for the constructor of the kernel.
  Kernel(const std::string& name, std::string item, Items items, const Parameters& parameters);
  /// A kernel that is not in the catalog.
  Kernel(std::string item, Workload workload)
      : workload_(std::move(workload)), item_(std::move(item)) {}

  /// Sets the bytes of an item's input and results, which it also takes in a unit's memory, and of
  /// the resident data. The host has all these, and `further_bytes`.
  void set_bytes(double in, double out, double resident = 0.0, double further_bytes = 0.0);
  /// Sets `problem`, and `parameters` to the same and the number of items, called
  /// `items_parameter`.
  void set_problem(const char* items_parameter, std::map<std::string, double> problem);

  [[nodiscard]] std::size_t count() const { return static_cast<std::size_t>(workload_.items); }

  Workload workload_;
  double host_bytes_ = 0.0;
  KernelData data_;

 private:
  std::string item_;
};

}  // namespace equipoise
