// Places for output, and the programs of units in both modes.
#include "real/commands/command_kernel.hpp"

#include <unistd.h>

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "real/commands/command_process.hpp"
#include "real/commands/process_guard.hpp"
#include "real/machine.hpp"
#include "real/worker.hpp"
#include "shared_policies/model/failure.hpp"
#include "shared_policies/text/printable_text.hpp"

namespace equipoise {
namespace {

namespace fs = std::filesystem;

using Moment = CommandProcess::Clock::time_point;

/// When `timeout` from now is over.
Moment end_of(Seconds timeout) {
  if (timeout == Seconds::infinity()) return Moment::max();
  return CommandProcess::Clock::now() +
         std::chrono::duration_cast<Moment::duration>(std::chrono::duration<double>(timeout.value));
}

/// Removes `path` with all that is in it, whatever modes a command has given its folders. Throws
/// std::filesystem::filesystem_error if something stays.
void remove_whole(const fs::path& path) {
  std::error_code failure;
  fs::remove_all(path, failure);
  if (!failure) return;
  std::error_code ignored;
  const auto open = [&](const fs::path& folder) {
    fs::permissions(folder, fs::perms::owner_all, fs::perm_options::add, ignored);
  };
  open(path);
  const auto in_order = fs::directory_options::skip_permission_denied;
  for (auto one = fs::recursive_directory_iterator(path, in_order, ignored);
       !ignored && one != fs::recursive_directory_iterator(); one.increment(ignored)) {
    if (one->is_directory(ignored) && !one->is_symlink(ignored)) open(one->path());
  }
  fs::remove_all(path);
}

/// The folder of results, and in it, in a folder that a list of files does not show, the places of
/// blocks and the logs of units. Threads of several units use it.
class ResultPlaces {
 public:
  /// In `folder`, or in a temporary one if it is empty. `items`: of the work. `node`: that of this
  /// process, if others leave results there, too. Throws BackendError.
  ResultPlaces(const std::string& folder, const std::string& name, Items items,
               const std::string& node)
      : is_temporary_(folder.empty()), digits_(std::to_string(items - 1).size()) {
    process_guard::start();
    if (is_temporary_) {
      std::string path =
          fs::absolute(fs::temp_directory_path()) / ("equipoise-" + name + "-XXXXXX");
      if (mkdtemp(path.data()) == nullptr) {
        throw BackendError(fmt::format("no folder for the results of {} in {}: {}", name,
                                       fs::temp_directory_path().string(), std::strerror(errno)));
      }
      results_ = path;
    } else {
      results_ = fs::absolute(folder);
      fs::create_directories(results_);
    }
    own_ = results_ / ".equipoise";
    if (!is_temporary_ && !node.empty()) {
      fs::create_directories(own_);
      own_ /= node;
    }
    if (!fs::create_directory(own_)) {
      throw BackendError(results_.string() +
                         " has the results of another run; choose another folder");
    }
    fs::create_directory(blocks());
    process_guard::remember_folder(guarded());
  }
  ResultPlaces(const ResultPlaces&) = delete;
  ResultPlaces& operator=(const ResultPlaces&) = delete;
  ~ResultPlaces() {
    try {
      remove_whole(guarded());
      if (!is_temporary_ && fs::is_empty(own_)) fs::remove(own_);  // there are no logs
      process_guard::forget_folder(guarded());
    } catch (const fs::filesystem_error&) {
      // The guard tries again at the end of the program.
    }
  }

  [[nodiscard]] std::string results() const { return results_; }
  [[nodiscard]] std::string log_of(const std::string& unit) const { return own_ / (unit + ".log"); }
  /// A new place for output of `unit`, where there is nothing yet.
  [[nodiscard]] fs::path place_of(const std::string& unit) {
    return blocks() / fmt::format("{}.{}", unit, places_++);
  }

  /// Moves what is at `place`, if anything is, to the results of [first, first + items). What was
  /// kept of these items before goes: they were done again.
  void keep(const fs::path& place, Items first, Items items) {
    const std::lock_guard<std::mutex> lock(mutex_);
    remove_kept(first, first + items);
    if (!fs::exists(fs::symlink_status(place))) return;
    const Items last = first + items - 1;
    const fs::path kept = results_ / fmt::format("{:0{}}-{:0{}}", first, digits_, last, digits_);
    fs::rename(place, kept);
    kept_[first] = {first + items, kept};
  }

  /// Removes all results.
  void clear() {
    const std::lock_guard<std::mutex> lock(mutex_);
    remove_kept(0, std::numeric_limits<Items>::max());
  }

 private:
  /// The results of some items.
  struct Kept {
    Items end = 0;
    fs::path path;
  };

  [[nodiscard]] fs::path blocks() const { return own_ / "blocks"; }
  /// What does not outlive the program.
  [[nodiscard]] std::string guarded() const { return is_temporary_ ? results_ : blocks(); }

  /// Removes what was kept of items in [first, end).
  void remove_kept(Items first, Items end) {
    for (auto one = kept_.begin(); one != kept_.end() && one->first < end;) {
      if (one->second.end <= first) {
        ++one;
        continue;
      }
      remove_whole(one->second.path);
      one = kept_.erase(one);
    }
  }

  bool is_temporary_;
  std::size_t digits_;
  fs::path results_;
  fs::path own_;
  std::atomic<int> places_ = 0;
  std::mutex mutex_;
  std::map<Items, Kept> kept_;  ///< by the first item; they do not overlap
};

/// What programs share with the kernel, which they may outlive.
struct SharedWork {
  CommandWork work;
  std::unique_ptr<ResultPlaces> places;
  std::function<bool()> stop_requested;      ///< of the user; may be empty
  std::atomic<bool> does_not_begin = false;  ///< a unit has not come up

  [[nodiscard]] bool is_stopped() const { return stop_requested && stop_requested(); }
};
using SharedWorkPtr = std::shared_ptr<SharedWork>;

/// What both modes have in common: the command of a unit, the place for the output of its blocks,
/// and what follows from failures.
class CommandProgram : public BlockProgram {
 public:
  CommandProgram(SharedWorkPtr shared, const UnitPlace& place)
      : shared_(std::move(shared)),
        line_(shared_->work.line_of(place.unit)),
        words_(shared_->places->log_of(place.unit)) {
    values_ = {{"results", shared_->places->results()},
               {"unit", place.unit},
               {"index", std::to_string(place.index)}};
    start_.folder = shared_->work.folder;
    start_.cores = place.cores.empty() ? all_cores() : place.cores;
    if (!place.cores.empty()) {
      line_.environment.try_emplace("OMP_NUM_THREADS", std::to_string(place.cores.size()));
    }
    const auto names_file_in_it = [](const std::string& text) {
      return text.find("{out}/") != std::string::npos;
    };
    needs_folder_ = std::ranges::any_of(line_.words, names_file_in_it) ||
                    std::ranges::any_of(line_.environment, [&](const auto& variable) {
                      return names_file_in_it(variable.second);
                    });
  }

  /// What was not kept goes.
  ~CommandProgram() override { try_to_clear_place(); }

  void come_up() final {
    try {
      begin();
    } catch (...) {
      shared_->does_not_begin = true;
      throw;
    }
  }

  [[nodiscard]] bool compute(const StagedBlock& block, const BlockWish& wish) final {
    try {
      prepare_place();
      if (needs_folder_) fs::create_directory(place_);
      words_.begin();
      const bool is_whole = do_block(block, wish);
      failures_ = 0;
      return is_whole;
    } catch (const BlockFailure& failure) {
      if (++failures_ > 1) throw std::runtime_error(failure.what());
      throw;
    } catch (const fs::filesystem_error& failure) {
      if (++failures_ > 1) throw std::runtime_error(failure.what());
      throw BlockFailure(failure.what());
    }
  }

  void keep_results(const StagedBlock& block) final {
    try {
      shared_->places->keep(place_, block.first, block.items);
    } catch (const fs::filesystem_error& failure) {
      throw BlockFailure(failure.what());
    }
  }

 protected:
  /// As `come_up`.
  virtual void begin() = 0;
  /// Finds a place for the output of the next block, where there is nothing.
  virtual void prepare_place() = 0;
  /// As `compute`.
  [[nodiscard]] virtual bool do_block(const StagedBlock& block, const BlockWish& wish) = 0;

  void take_new_place(const std::string& unit) {
    place_ = shared_->places->place_of(unit);
    values_["out"] = place_;
  }
  void clear_place() { remove_whole(place_); }
  void try_to_clear_place() {
    try {
      clear_place();
    } catch (const fs::filesystem_error&) {
      // It goes with the folder of all places.
    }
  }

  /// What is to be started, with the values of placeholders so far.
  [[nodiscard]] ProcessStart filled() const {
    ProcessStart start = start_;
    for (const std::string& word : line_.words) start.words.push_back(with_values(word, values_));
    for (const auto& [name, value] : line_.environment) {
      start.environment[name] = with_values(value, values_);
    }
    return start;
  }

  /// Why a block has failed, with the last words of its command.
  [[nodiscard]] BlockFailure failure(const std::string& how) const {
    const std::string last = words_.last();
    return BlockFailure(last.empty() ? how : fmt::format("{}; its last words: {}", how, last));
  }
  [[nodiscard]] BlockFailure too_long(const char* what) const {
    return failure(
        fmt::format("{} took more than {:g} s (timeout_s)", what, shared_->work.timeout.value));
  }

  SharedWorkPtr shared_;
  CommandLine line_;
  ProcessWords words_;
  std::map<std::string, std::string> values_;
  ProcessStart start_;

 private:
  /// All that this program may use.
  static std::vector<int> all_cores() {
    std::vector<int> cores;
    for (const CpuThread& thread : this_machine().threads) cores.push_back(thread.number);
    return cores;
  }

  fs::path place_;  ///< for the output of the block
  bool needs_folder_ = false;
  int failures_ = 0;  ///< one after another
};

/// A process for each block.
class ExecProgram final : public CommandProgram {
 public:
  using CommandProgram::CommandProgram;

 private:
  void begin() override { expect_program(filled()); }

  /// What an earlier block has left, as it did not count, goes.
  void prepare_place() override {
    try_to_clear_place();
    take_new_place(values_.at("unit"));
  }

  bool do_block(const StagedBlock& block, const BlockWish& wish) override {
    values_["first"] = std::to_string(block.first);
    values_["last"] = std::to_string(block.first + block.items - 1);
    values_["count"] = std::to_string(block.items);
    CommandProcess process(filled(), words_);
    const auto goes_on = [&wish] { return wish.is_wanted() && !wish.is_given_up(); };
    switch (process.wait(end_of(shared_->work.timeout), goes_on)) {
      case CommandProcess::Waited::ended:
        break;
      case CommandProcess::Waited::late:
        throw too_long("its command");
      case CommandProcess::Waited::line:
      case CommandProcess::Waited::unwanted:
        return false;
    }
    const ProcessEnd end = process.collect();
    if (!end.is_success()) throw failure("its command ended with " + end.text());
    return true;
  }
};

/// One process for all blocks. It is started before the run, and again after it has failed.
class ServeProgram final : public CommandProgram {
 public:
  ServeProgram(SharedWorkPtr shared, const UnitPlace& place)
      : CommandProgram(std::move(shared), place) {
    start_.is_spoken_to = true;
    take_new_place(place.unit);
  }
  ~ServeProgram() override {
    if (process_) process_->end_input();
  }

 private:
  void begin() override {
    words_.begin();
    process_ = std::make_unique<CommandProcess>(filled(), words_);
    if (shared_->work.says_ready) await_ready();
  }

  void prepare_place() override { clear_place(); }

  /// Until it says that it can take blocks.
  void await_ready() {
    const Moment deadline = end_of(shared_->work.timeout);
    const auto goes_on = [this] { return !shared_->is_stopped() && !shared_->does_not_begin; };
    for (;;) {
      switch (process_->wait(deadline, goes_on)) {
        case CommandProcess::Waited::line: {
          const std::string line = process_->line();
          if (line == "ready") return;
          note(line);
          if (CommandProcess::Clock::now() > deadline) throw too_long("saying that it is ready");
          if (!goes_on()) throw std::runtime_error("it was stopped before it was ready");
          break;
        }
        case CommandProcess::Waited::ended:
          throw failure("its command ended before it was ready, with " +
                        process_->collect().text());
        case CommandProcess::Waited::late:
          throw too_long("saying that it is ready");
        case CommandProcess::Waited::unwanted:
          throw std::runtime_error("it was stopped before it was ready");
      }
    }
  }

  bool do_block(const StagedBlock& block, const BlockWish& wish) override {
    std::optional<std::string> answer;
    try {
      if (!process_) begin();
      expect_silence();
      if (!process_->say(fmt::format("{} {}\n", block.first, block.items))) {
        throw failure("its command does not read blocks any more");
      }
      answer = await_answer(wish);
    } catch (...) {
      process_.reset();
      throw;
    }
    if (!answer) {
      process_.reset();  // its answer would be taken for that of the next block
      return false;
    }
    if (*answer != done) throw BlockFailure("its command says: " + printable(*answer));
    return true;
  }

  /// Takes what it has written since its last answer. Throws if that is another one.
  void expect_silence() {
    while (process_->wait(CommandProcess::Clock::now(), [] { return true; }) ==
           CommandProcess::Waited::line) {
      const std::string line = process_->line();
      if (is_answer(line)) {
        throw std::runtime_error("its command answered more often than it was asked");
      }
      note(line);
    }
  }

  /// Its answer; nothing if the block was given up.
  std::optional<std::string> await_answer(const BlockWish& wish) {
    const Moment deadline = end_of(shared_->work.timeout);
    // A process that has begun is not started again for a block that nobody wants any more.
    const auto goes_on = [&wish] { return !wish.is_given_up(); };
    for (;;) {
      switch (process_->wait(deadline, goes_on)) {
        case CommandProcess::Waited::line: {
          std::string line = process_->line();
          if (is_answer(line)) return line;
          note(line);
          if (CommandProcess::Clock::now() > deadline) throw too_long("its command");
          if (!goes_on()) return std::nullopt;
          break;
        }
        case CommandProcess::Waited::ended:
          throw failure("its command ended without an answer, with " + process_->collect().text());
        case CommandProcess::Waited::late:
          throw too_long("its command");
        case CommandProcess::Waited::unwanted:
          return std::nullopt;
      }
    }
  }

  static constexpr std::string_view done = "done";

  static bool is_answer(const std::string& line) {
    return line == done || line == "failed" || line.starts_with("failed ");
  }

  /// Adds a line that is no answer to its words.
  void note(const std::string& line) {
    words_.add(line.data(), line.size());
    words_.add("\n", 1);
  }

  std::unique_ptr<CommandProcess> process_;  ///< one that owes no answer; null: to be started
};

class CommandKernel final : public Kernel {
 public:
  CommandKernel(CommandWork work, std::function<bool()> stop_requested)
      : Kernel(work.item, workload_of(work)), shared_(std::make_shared<SharedWork>()) {
    shared_->work = std::move(work);
    shared_->stop_requested = std::move(stop_requested);
  }

  void keep_results_in(const std::string& folder, const std::string& where) override {
    std::error_code ignored;
    if (fs::exists(folder, ignored) && !fs::is_empty(folder, ignored)) {
      throw InputError(where, fmt::format("{} is there and not empty; give a new folder for the "
                                          "results, or remove it",
                                          folder));
    }
    folder_ = folder;
  }

  void join_results_in(const std::string& folder, const std::string& node) override {
    folder_ = folder;
    node_ = node;
  }
  void begin_run_on_node() override { shared_->places->clear(); }

  void allocate(std::uint64_t /*seed*/) override { prepare_programs(); }
  void prepare_programs() override {
    try {
      if (!shared_->work.check.empty()) expect_program(start_of_check());
      shared_->places =
          std::make_unique<ResultPlaces>(folder_, shared_->work.name, workload_.items, node_);
    } catch (const std::runtime_error& failure) {
      throw BackendError(failure.what());
    }
  }

  std::string results_folder() const override { return shared_->places->results(); }
  void clear_results() override { shared_->places->clear(); }

  CpuProgram make_cpu_program() const override { return nullptr; }
  std::unique_ptr<BlockProgram> make_block_program(const UnitPlace& place) const override {
    if (shared_->work.mode == CommandMode::exec) {
      return std::make_unique<ExecProgram>(shared_, place);
    }
    return std::make_unique<ServeProgram>(shared_, place);
  }

  ProgramSource program_source() const override { return ProgramSource::command; }
  bool has_cpu_program() const override { return false; }
  bool has_block_program() const override { return true; }
  std::string why_not_on(const std::string& unit) const override {
    if (!shared_->work.line_of(unit).words.empty()) return {};
    return fmt::format(
        "the work file has no command for {}; add \"run\" for all units, or a "
        "pattern to \"units\"",
        unit);
  }

  Verification verify() const override {
    const CommandWork& work = shared_->work;
    if (work.check.empty()) return {true, "unverified: the work file has no check", true};
    ProcessStart start = start_of_check();
    for (std::string& word : start.words) {
      word = with_values(word, {{"results", shared_->places->results()}});
    }
    ProcessWords words;
    const auto said = [&words](const std::string& how) {
      const std::string last = words.last();
      return last.empty() ? how : how + "; its last words: " + last;
    };
    try {
      CommandProcess process(start, words);
      const auto waited =
          process.wait(end_of(work.timeout), [this] { return !shared_->is_stopped(); });
      if (waited == CommandProcess::Waited::unwanted) return {false, "the check was stopped"};
      if (waited == CommandProcess::Waited::late) {
        return {false, said(fmt::format("the check took more than {:g} s", work.timeout.value))};
      }
      const ProcessEnd end = process.collect();
      if (end.is_success()) return {true, said("the check agrees")};
      return {false, said("the check ended with " + end.text())};
    } catch (const std::runtime_error& failure) {
      return {false, std::string("the check: ") + failure.what()};
    }
  }

 private:
  [[nodiscard]] ProcessStart start_of_check() const {
    ProcessStart start;
    start.words = shared_->work.check;
    start.folder = shared_->work.folder;
    start.member = "check";
    return start;
  }

  SharedWorkPtr shared_;
  std::string node_;    ///< of this process; empty: it is the only one
  std::string folder_;  ///< of results; empty: a temporary one
};

}  // namespace

Workload workload_of(const CommandWork& work) {
  Workload workload;
  workload.kernel = work.name;
  workload.items = work.items;
  workload.grain_items = work.grain_items;
  workload.in_bytes_per_item = work.in_bytes_per_item;
  workload.out_bytes_per_item = work.out_bytes_per_item;
  workload.parameters = {{"items", static_cast<double>(work.items)}};
  workload.problem = {{"command", work.fingerprint()}};
  return workload;
}

std::unique_ptr<Kernel> make_command_kernel(CommandWork work,
                                            std::function<bool()> stop_requested) {
  return std::make_unique<CommandKernel>(std::move(work), std::move(stop_requested));
}

}  // namespace equipoise
