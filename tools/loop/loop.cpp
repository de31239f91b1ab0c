// Loops of the user's program: keeps what they are told of arrays and bodies until they run.
#include "tools/loop/equipoise/loop.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <utility>

#include "real/threads/this_thread.hpp"
#include "tools/console/console.hpp"
#include "tools/loop/loop_run.hpp"
#include "tools/loop/pull_run.hpp"

namespace equipoise {
namespace {

/// Calls `body` and lets only Errors out.
template <class Body>
auto with_errors(Body&& body) {
  try {
    return body();
  } catch (...) {
    throw as_error();
  }
}

std::vector<std::string> words_of(int argc, char** argv) {
  return argc > 1 ? std::vector<std::string>(argv + 1, argv + argc) : std::vector<std::string>();
}

/// How the program is called where its own name is not known.
const std::string default_program = "PROGRAM";

std::string program_of(int argc, char** argv) {
  return argc > 0 ? std::filesystem::path(argv[0]).filename().string() : default_program;
}

/// The options as they would be typed.
std::vector<std::string> words_of(const LoopOptions& options) {
  std::vector<std::string> words;
  for (const std::string& unit : options.units) words.insert(words.end(), {"--unit", unit});
  const auto add = [&words](const char* option, const std::string& value) {
    if (!value.empty()) words.insert(words.end(), {option, value});
  };
  add("--policy", options.policy);
  add("--out", options.out);
  add("--experience", options.experience);
  add("--record", options.record);
  add("--platform-out", options.platform_out);
  words.insert(words.end(), options.further.begin(), options.further.end());
  return words;
}

}  // namespace

Error::~Error() = default;

int Error::report() const {
  if (exit_code_ == 0) {
    std::fputs(what(), stdout);
  } else if (*what() != '\0') {
    say_error(what());
  }
  if (calls_left_ == 0) return exit_code_;
  std::fflush(nullptr);
  ::_exit(exit_code_);
}

class Loop::State {
 public:
  explicit State(LoopInfo info) {
    Workload& workload = work.workload;
    workload.kernel = std::move(info.name);
    workload.items = info.items;
    workload.grain_items = info.grain;
    workload.iterations = info.iterations;
    workload.flop_per_item = info.flop_per_item;
    workload.problem = std::move(info.problem);
    work.item = std::move(info.item);
    check_and_measure(work);
  }

  /// The loop, as it has been told so far.
  [[nodiscard]] LoopWork completed() const {
    LoopWork all = work;
    const auto bytes = std::make_shared<const RowBytes>(row_bytes());
    if (cpu_body) {
      all.cpu = [body = cpu_body, bytes](const StagedBlock& block, std::size_t first,
                                         std::size_t items) {
        body(BlockView(block.first + static_cast<std::int64_t>(first),
                       static_cast<std::int64_t>(items), arrays_of(block, *bytes, first)));
      };
    }
    if (cuda_body) {
      all.gpu = [body = cuda_body, bytes](const StagedBlock& block, void* stream) {
        body(BlockView(block.first, block.items, arrays_of(block, *bytes, 0)), stream);
      };
    }
    all.cores_of_between = cores_of_this_thread();
    all.calls = std::make_shared<BodyCalls>();
    check_and_measure(all);
    return all;
  }

  LoopWork work;  ///< as told; `completed` adds the bodies
  std::function<void(const BlockView&)> cpu_body;
  std::function<void(const BlockView&, void* stream)> cuda_body;

 private:
  /// The rows of arrays, for views of blocks.
  struct RowBytes {
    std::vector<std::size_t> inputs;
    std::vector<std::size_t> outputs;
  };

  static BlockArrays arrays_of(const StagedBlock& block, const RowBytes& bytes, std::size_t begin) {
    return {&block.inputs, &block.results, &block.resident, &bytes.inputs, &bytes.outputs, begin};
  }

  [[nodiscard]] RowBytes row_bytes() const {
    RowBytes bytes;
    for (const InputRows& rows : work.data.inputs) bytes.inputs.push_back(rows.row_bytes);
    for (const ResultRows& rows : work.data.results) bytes.outputs.push_back(rows.row_bytes);
    return bytes;
  }
};

Loop::Loop(LoopInfo info)
    : state_(with_errors([&info] { return std::make_unique<State>(std::move(info)); })) {}
Loop::Loop(Loop&& other) noexcept = default;
Loop::~Loop() = default;

Loop& Loop::input(const void* data, std::size_t bytes_each, std::int64_t further_items) {
  state_->work.data.inputs.push_back(
      {static_cast<const std::byte*>(data), bytes_each, further_items});
  return *this;
}

Loop& Loop::output(void* data, std::size_t bytes_each) {
  state_->work.data.results.push_back({static_cast<std::byte*>(data), bytes_each});
  return *this;
}

Loop& Loop::resident(const void* data, std::size_t bytes, Changes changes) {
  state_->work.data.resident.push_back({static_cast<const std::byte*>(data), bytes});
  state_->work.resident_changes.push_back(changes == Changes::between_iterations);
  return *this;
}

std::size_t Loop::bytes_of_item(std::size_t bytes) const {
  const Workload& workload = state_->work.workload;
  const auto items = static_cast<std::size_t>(workload.items);
  if (bytes % items == 0 && bytes > 0) return bytes / items;
  throw Error(
      fmt::format("{}: an array of {} bytes has no equal part for each of {} items; say how "
                  "many bytes an item has",
                  workload.kernel, bytes, items),
      2);
}

Loop& Loop::on_cpu(std::function<void(const BlockView&)> body, Threads threads) {
  state_->cpu_body = std::move(body);
  state_->work.starts_threads = threads == Threads::own;
  return *this;
}

Loop& Loop::on_cuda(std::function<void(const BlockView&, void* stream)> body) {
  state_->cuda_body = std::move(body);
  return *this;
}

Loop& Loop::between(std::function<void(int iteration)> step) {
  state_->work.between = std::move(step);
  return *this;
}

Loop& Loop::verify(std::function<std::string()> check) {
  state_->work.verify = nullptr;
  if (!check) return *this;
  state_->work.verify = [check = std::move(check)] {
    const std::string wrong = check();
    return Verification{wrong.empty(), wrong.empty() ? "the loop's own check agrees" : wrong};
  };
  return *this;
}

std::string Loop::check() const {
  return with_errors([this] { return fault_of_body(state_->completed()); });
}

Summary Loop::run(int argc, char** argv) {
  return with_errors(
      [&] { return run_loop(state_->completed(), program_of(argc, argv), words_of(argc, argv)); });
}

Summary Loop::run(const LoopOptions& options) {
  return with_errors(
      [&] { return run_loop(state_->completed(), default_program, words_of(options)); });
}

Pull Loop::pull(const std::vector<std::string>& units, int argc, char** argv) {
  return with_errors([&] {
    return Pull(std::make_unique<Pull::Run>(state_->completed(), units, program_of(argc, argv),
                                            words_of(argc, argv)));
  });
}

Pull Loop::pull(const std::vector<std::string>& units, const LoopOptions& options) {
  return with_errors([&] {
    return Pull(std::make_unique<Pull::Run>(state_->completed(), units, default_program,
                                            words_of(options)));
  });
}

}  // namespace equipoise
