// `equipoise new work`: tries a command on one item, and writes a work file for it.
#include <chrono>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <system_error>

#include <fmt/format.h>

#include "real/commands/command_kernel.hpp"
#include "shared_policies/model/command_work.hpp"
#include "shared_policies/model/failure.hpp"
#include "tools/commands/commands.hpp"
#include "tools/console/console.hpp"
#include "tools/console/quantity_text.hpp"
#include "traces/work_file.hpp"

namespace equipoise {
namespace {

namespace fs = std::filesystem;

/// Throws InputError if the command of each block does not say which items it is to do.
void expect_items(const CommandWork& work) {
  if (work.mode == CommandMode::serve) return;
  for (const std::string& word : work.all.words) {
    for (const std::string& name : names_in_braces(word)) {
      for (const CommandPlaceholder& one : command_placeholders) {
        if (one.of_block && name == one.name) return;
      }
    }
  }
  throw InputError("COMMAND",
                   "it does the same for every block; say which items it is to do with {first} and "
                   "{count} (or {last}), or say --mode serve");
}

/// What the command left: "12 KiB at {out}".
std::string left_text(const fs::path& results) {
  for (const fs::directory_entry& one : fs::directory_iterator(results)) {
    if (one.path().filename() == ".equipoise") continue;
    if (one.is_directory()) return "a folder at {out}";
    std::error_code unknown;
    const auto bytes = one.file_size(unknown);
    return unknown ? "something at {out}" : bytes_text(static_cast<double>(bytes)) + " at {out}";
  }
  return "nothing at {out}";
}

/// Does the first item. Returns what is to be said of it. Throws std::runtime_error if it fails.
std::string try_first_item(const CommandWork& work) {
  const auto is_stopped = [] { return stop_signal() != 0; };
  const std::unique_ptr<Kernel> kernel = make_command_kernel(work, is_stopped);
  kernel->allocate(0);
  const std::unique_ptr<BlockProgram> program = kernel->make_block_program({"cpu0", 0, {}});
  program->come_up();
  StagedBlock block;
  block.items = work.grain_items;
  const auto begin = std::chrono::steady_clock::now();
  const bool is_whole = program->compute(block, {[] { return true; }, is_stopped});
  if (!is_whole) throw Interrupted(stop_signal());
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  program->keep_results(block);
  return fmt::format("tried on {} 0{}: {}, {}", work.item,
                     work.grain_items > 1 ? fmt::format(" to {}", work.grain_items - 1) : "",
                     quantity_text(took.count(), "s", 3), left_text(kernel->results_folder()));
}

}  // namespace

int new_work_command(const NewWorkRequest& request) {
  const std::string path = request.out.empty() ? request.work.name + ".json" : request.out;
  if (fs::exists(fs::symlink_status(path))) {
    throw InputError(path, "is there already; choose another name, or another file with --out");
  }
  check_writable(path, "--out");
  const std::string text = work_text(request.work);
  const CommandWork work = parse_work(text, path);
  expect_items(work);
  catch_stop_signals();
  std::string tried;
  try {
    tried = try_first_item(work);
  } catch (const Interrupted&) {
    throw;
  } catch (const std::runtime_error& failure) {
    if (stop_signal() != 0) throw Interrupted(stop_signal());
    throw BackendError(
        fmt::format("the command failed with the first {}, so {} was not written: {}", work.item,
                    path, failure.what()));
  }
  write_whole_file(path, text);
  print_out("{}\nwork file: {}   {} {}s; correct \"items\" there if these are not all\n", tried,
            path, work.items, work.item);
  return print_out("\nNow run it:  equipoise run --unit cpu --workload {} --policy equipoise\n",
                   shell_word(path));
}

}  // namespace equipoise
