// A loop of your program whose iterations (items) are divided among CPUs and GPUs. Needs no other
// header of Equipoise, and C++17 or later; `{.name = ...}` as below needs C++20, or g++. The manual
// has a page about it: "Your own work".
//
//     int main(int argc, char** argv) try {
//       std::vector<double> x(1'000'000, 1.0), y(x.size());
//       equipoise::Loop loop{{.name = "roots", .items = 1'000'000, .grain = 64}};
//       loop.input(x).output(y);
//       loop.on_cpu([](const equipoise::BlockView& b) {
//         const double* in = b.in(0);
//         double* out = b.out(0);
//         for (std::int64_t i = 0; i < b.count; ++i) out[i] = std::sqrt(in[i]);
//       });
//       const equipoise::Summary summary = loop.run(argc, argv);  // --unit, --policy, --out, ...
//       std::puts(summary.text.c_str());
//     } catch (const equipoise::Error& error) {
//       return error.report();
//     }
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#define EQUIPOISE_API __attribute__((visibility("default")))

namespace equipoise {

/// What ended a loop: arguments or files that cannot be used, units that are all lost, results that
/// the loop's own check refuses, Ctrl-C; or --help or a command, after which there is no run.
class EQUIPOISE_API Error : public std::runtime_error {
 public:
  Error(const std::string& what, int exit_code, int calls_left = 0)
      : std::runtime_error(what), exit_code_(exit_code), calls_left_(calls_left) {}
  ~Error() override;

  /// As of the program `equipoise`: 1 the work failed; 2 unusable arguments or input; 130 or 143
  /// after Ctrl-C or SIGTERM; 0 after --help, whose text is `what()`. After a command, its exit
  /// code, without a text.
  [[nodiscard]] int exit_code() const { return exit_code_; }
  /// As `Summary::calls_left`.
  [[nodiscard]] int calls_left() const { return calls_left_; }
  /// Prints it: help to stdout, everything else to stderr. Returns the exit code; but if bodies
  /// still run, it ends the program at once with it, because destructors would take away what they
  /// use.
  int report() const;

 private:
  int exit_code_;
  int calls_left_;
};

/// An address that becomes a pointer to whatever the body wants there: `const double* x = b.in(0)`.
/// `auto x = b.in(0)` is no pointer.
template <class Byte>
class Address {
 public:
  explicit Address(Byte* at) : at_(at) {}
  template <class T, class = std::enable_if_t<std::is_const_v<T> || !std::is_const_v<Byte>>>
  operator T*() const {  // NOLINT(google-explicit-constructor): so that it is an argument as it is
    return static_cast<T*>(
        static_cast<std::conditional_t<std::is_const_v<T>, const void*, void*>>(at_));
  }

 private:
  Byte* at_;
};

/// Where the arrays of a block lie; made by the library.
struct BlockArrays {
  const std::vector<std::byte*>* inputs = nullptr;
  const std::vector<std::byte*>* outputs = nullptr;
  const std::vector<std::byte*>* resident = nullptr;
  const std::vector<std::size_t>* input_bytes = nullptr;   ///< of an item
  const std::vector<std::size_t>* output_bytes = nullptr;  ///< of an item
  std::size_t begin = 0;  ///< items of the block before those of the view
};

/// The items that a body is to do, and where their data are: in the unit's memory, not in the
/// program's arrays. Valid during the call.
class BlockView {
 public:
  BlockView(std::int64_t first_item, std::int64_t items, const BlockArrays& arrays)
      : first(first_item), count(items), arrays_(arrays) {}

  std::int64_t first;  ///< number of the first item
  std::int64_t count;  ///< how many there are, at least 1

  /// Input, output and resident data number i, in the order in which the loop was told of them,
  /// from item `first` on. Becomes a pointer of any type: `const double* x = b.in(0)`, or
  /// `b.in<double>(0)`. Throws std::out_of_range if there is none.
  [[nodiscard]] Address<const std::byte> in(std::size_t i) const {
    expect(i, *arrays_.inputs, "input");
    return Address<const std::byte>((*arrays_.inputs)[i] +
                                    arrays_.begin * (*arrays_.input_bytes)[i]);
  }
  [[nodiscard]] Address<std::byte> out(std::size_t i) const {
    expect(i, *arrays_.outputs, "output");
    return Address<std::byte>((*arrays_.outputs)[i] + arrays_.begin * (*arrays_.output_bytes)[i]);
  }
  [[nodiscard]] Address<const std::byte> resident(std::size_t i) const {
    expect(i, *arrays_.resident, "resident data");
    return Address<const std::byte>((*arrays_.resident)[i]);
  }
  template <class T>
  [[nodiscard]] const T* in(std::size_t i) const {
    return in(i);
  }
  template <class T>
  [[nodiscard]] T* out(std::size_t i) const {
    return out(i);
  }
  template <class T>
  [[nodiscard]] const T* resident(std::size_t i) const {
    return resident(i);
  }

 private:
  static void expect(std::size_t i, const std::vector<std::byte*>& arrays, const char* kind) {
    if (i < arrays.size()) return;
    throw std::out_of_range(std::string("there is no ") + kind + " " + std::to_string(i) +
                            ": the loop has " + std::to_string(arrays.size()) +
                            ", numbered from 0");
  }

  BlockArrays arrays_;
};

/// What a loop is.
struct LoopInfo {
  std::string name;            ///< in traces and run files: letters, digits, `_`, `-` and `.`
  std::int64_t items = 0;      ///< iterations, numbered from 0
  std::int64_t grain = 1;      ///< blocks are multiples of it; only the last one may be smaller
  std::string item = "item";   ///< one of them in a word
  int iterations = 1;          ///< how often all items are done, each time after the last
  double flop_per_item = 0.0;  ///< 0: not known
  /// Sizes on which the time of an item depends. A trace of other values does not predict it.
  std::map<std::string, double> problem{};
};

/// How a loop is run: options of `equipoise run` and `equipoise record` of the same names.
struct LoopOptions {
  std::vector<std::string> units{};  ///< KIND[,k=v,...]; none: a `cpu` for each core that the
      ///< program may use, and each GPU if the loop has a body for it
  std::string policy = "equipoise";    ///< NAME[:k=v,...] or ./LIBRARY.so[:k=v,...]
  std::string out{};                   ///< write the run file here; empty: nowhere
  std::string experience{};            ///< file of block times that runs start from and add to
  std::string record{};                ///< before the run, record a trace here
  std::string platform_out{};          ///< the platform that matches the trace
  std::vector<std::string> further{};  ///< other options as they are typed: "--seconds-max", "2"
};

/// What a unit did.
struct UnitShare {
  std::string name;
  std::int64_t items = 0;
  std::int64_t blocks = 0;
  double busy_s = 0.0;  ///< time in which it worked on a block
};

/// What a run did.
struct Summary {
  int rank = 0;  ///< of this process under mpirun; only rank 0 has the results and what follows
  double makespan_s = 0.0;  ///< from the start of the run to the end of the last block
  std::int64_t blocks = 0;
  std::int64_t items_redone = 0;  ///< of blocks that were lost, taken back or given twice
  std::vector<UnitShare> units;   ///< in the order of the units
  std::vector<std::string> lost;  ///< names of units that were lost
  bool is_verified = false;       ///< a check of the results agrees; false: there is none
  /// How many calls of bodies have not returned, of units that were lost. They may still use what
  /// the bodies have captured; the loop's own arrays they cannot reach any more.
  int calls_left = 0;
  std::string text;  ///< all of this as `equipoise run` prints it
};

/// Items of a range that a thread takes.
struct Range {
  std::int64_t first = 0;
  std::int64_t count = 0;
};

/// A run whose blocks are done by threads of the program, which take one after another. Each unit
/// is one thread at a time. If a block takes very long, another unit may get its items, too; the
/// policy `equipoise` does that (`equipoise:backup=off` does not), and so does the run after a unit
/// is lost. `done` then says whose results count.
class EQUIPOISE_API Pull {
 public:
  Pull(Pull&& other) noexcept;
  Pull(const Pull&) = delete;
  Pull& operator=(const Pull&) = delete;
  Pull& operator=(Pull&&) = delete;
  /// Ends the run early if `finish` was not called.
  ~Pull();

  /// Waits for the next block of unit number `unit`, and takes it. Nothing: there are no more for
  /// this unit. Throws std::out_of_range if there is no such unit, and std::logic_error if its
  /// block before is neither done nor failed.
  [[nodiscard]] std::optional<Range> next(std::size_t unit);
  /// The block of the unit is done. Returns whether its results count: not if another unit has done
  /// the same items first.
  bool done(std::size_t unit);
  /// The unit could not do its block, which others get.
  void failed(std::size_t unit, const std::string& why);
  /// The unit does no more blocks.
  void leave(std::size_t unit);
  /// Waits for the end of the run. Throws Error if it cannot be completed.
  [[nodiscard]] Summary finish();

 private:
  friend class Loop;
  class Run;
  explicit Pull(std::unique_ptr<Run> run);
  std::unique_ptr<Run> run_;
};

/// Which threads do a block on a unit of CPU cores.
enum class Threads : std::uint8_t {
  of_unit,  ///< a thread on each core of the unit calls the body for an equal part of the block
  own       ///< the body is called for the whole block and starts threads of its own, for instance
            ///< with OpenMP; they keep to the unit's cores
};

/// The elements of a vector, an array or a span; no type for others.
template <class Rows>
using ElementOf = std::remove_reference_t<decltype(*std::data(std::declval<Rows&>()))>;

/// When resident data change.
enum class Changes : std::uint8_t { never, between_iterations };

/// A loop. A program may have several, of which one runs at a time: while it does, `run` and `pull`
/// of others throw. A loop keeps pointers to the arrays that it is told of.
class EQUIPOISE_API Loop {
 public:
  /// Throws Error if the name or a number cannot be used.
  explicit Loop(LoopInfo info);
  Loop(Loop&& other) noexcept;
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;
  Loop& operator=(Loop&&) = delete;
  ~Loop();

  // Arrays, with a row of `bytes_each` for each item. They are copied to the unit's memory before a
  // block and back after it. What else a body captures is not copied, and is the same for all
  // units.

  /// An array that a block reads. Item i needs row i and `further_items` rows behind it, so that
  /// the array has so many more rows.
  Loop& input(const void* data, std::size_t bytes_each, std::int64_t further_items = 0);
  /// An array that a block writes, which overlaps with no other. The first block of some items that
  /// is done counts, and only its results are copied back.
  Loop& output(void* data, std::size_t bytes_each);
  /// Data that all blocks read, and that a unit gets once.
  Loop& resident(const void* data, std::size_t bytes, Changes changes = Changes::never);

  /// The same for vectors, arrays and spans, with as many elements of it for each item. Throws
  /// Error if they cannot be divided equally.
  template <class Rows, class = ElementOf<Rows>>
  Loop& input(Rows&& rows) {
    static_assert(stays<Rows>, "the loop would keep a pointer to a temporary array");
    return input(std::data(rows), bytes_of_item(bytes_of(rows)));
  }
  template <class Rows, class = ElementOf<Rows>>
  Loop& output(Rows&& rows) {
    static_assert(stays<Rows>, "the loop would keep a pointer to a temporary array");
    return output(static_cast<void*>(std::data(rows)), bytes_of_item(bytes_of(rows)));
  }
  template <class Rows, class = ElementOf<Rows>>
  Loop& resident(Rows&& rows, Changes changes = Changes::never) {
    static_assert(stays<Rows>, "the loop would keep a pointer to a temporary array");
    return resident(std::data(rows), bytes_of(rows), changes);
  }

  /// The body for CPU cores. Several threads call it at a time. A block may be done twice, so it
  /// writes nothing but the results of its items, and the same each time (see `check`). What it
  /// throws makes the block lost, and other units get it.
  Loop& on_cpu(std::function<void(const BlockView&)> body, Threads threads = Threads::of_unit);
  /// The body for NVIDIA GPUs: puts the computation of its items, whose data are in the memory of
  /// the current device, into `stream` (a cudaStream_t), with at most 32 launches and copies, and
  /// returns. Let it throw if that fails.
  Loop& on_cuda(std::function<void(const BlockView&, void* stream)> body);
  /// Called between iterations, while no block is done, with the number of the next one, from 1: on
  /// the thread that called `run`, or one of the library for `pull`. Not called while the loop is
  /// recorded or validated, so that simulations do not know how long it takes.
  Loop& between(std::function<void(int iteration)> step);
  /// Called after a run: says what is wrong with the results, empty if nothing is.
  Loop& verify(std::function<std::string()> check);

  /// Does some blocks twice on this thread with the body for CPU cores, and says what it does that
  /// it must not: other results the second time, results beyond its items, changes of its input.
  /// Empty if nothing was found. No result is changed. It sees only the arrays that the loop was
  /// told of, and no races. Throws Error if there is no such body, or if it throws.
  [[nodiscard]] std::string check() const;

  /// Does all items, and prints nothing to stdout. `argv[0]` is the program's name; the others are
  /// options (`--help` lists them), none of which is required. If `argv[1]` is a command of
  /// `equipoise`, such as `compare`, `validate`, `replay` or `optimum`, that is done instead, with
  /// this loop for its workload, and Error has its exit code. Ctrl-C and SIGTERM end the run;
  /// afterwards they do what they did before. Throws Error.
  Summary run(int argc, char** argv);
  Summary run(const LoopOptions& options = {});

  /// Begins a run for threads of the program, of which each is a unit. It needs no body. Units are
  /// not given in the options, and nothing is recorded. Throws Error.
  [[nodiscard]] Pull pull(const std::vector<std::string>& units, int argc, char** argv);
  [[nodiscard]] Pull pull(const std::vector<std::string>& units, const LoopOptions& options = {});

 private:
  class State;

  /// Whether an argument is a variable, or a span.
  template <class Rows>
  static constexpr bool stays = std::is_lvalue_reference_v<Rows> ||
                                std::is_trivially_copyable_v<std::remove_reference_t<Rows>>;
  template <class Rows>
  static std::size_t bytes_of(const Rows& rows) {
    return std::size(rows) * sizeof(ElementOf<Rows>);
  }
  [[nodiscard]] std::size_t bytes_of_item(std::size_t bytes) const;

  std::unique_ptr<State> state_;
};

}  // namespace equipoise
