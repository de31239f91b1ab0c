// The six calls for C, which are a pulled run with chunks for blocks.
#include "tools/loop/equipoise/chunks.h"

#include <fmt/format.h>

#include <cstddef>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tools/loop/equipoise/loop.hpp"

using equipoise::Range;

/// The chunk of a unit that was found by `terminated` and not yet started, on a line of its own.
struct alignas(64) NextChunk {
  std::optional<Range> range;
};

struct equipoise_chunks {
  std::string name;
  std::vector<std::string> units;
  equipoise::LoopOptions options;
  std::optional<equipoise::Pull> run;
  long long first = 0;
  std::vector<NextChunk> next;
  std::string failure;

  [[nodiscard]] bool has(int unit) const {
    return run && unit >= 0 && static_cast<std::size_t>(unit) < units.size();
  }
};

namespace {

/// Calls `body`. Returns 0, or keeps why it failed and returns that exit code.
template <class Body>
int guarded(equipoise_chunks& chunks, Body&& body) {
  try {
    chunks.failure.clear();
    body();
    return 0;
  } catch (const equipoise::Error& error) {
    chunks.failure = error.what();
    return error.exit_code() == 0 ? 1 : error.exit_code();
  } catch (const std::exception& error) {
    chunks.failure = error.what();
    return 1;
  } catch (...) {
    chunks.failure = "something was thrown that is no std::exception";
    return 1;
  }
}

/// The policy unless another one is asked for: it gives no chunk twice, unless a thread was lost.
constexpr const char* default_policy = "equipoise:backup=off";

}  // namespace

equipoise_chunks* equipoise_setup(const char* name, int units, const char* policy,
                                  const char* run_file) {
  try {
    auto chunks = std::make_unique<equipoise_chunks>();
    chunks->name = name == nullptr ? "" : name;
    for (int unit = 0; unit < units; ++unit) chunks->units.push_back(fmt::format("t{}", unit));
    chunks->next.resize(chunks->units.size());
    chunks->options.policy = policy != nullptr ? policy : default_policy;
    if (run_file != nullptr) chunks->options.out = run_file;
    return chunks.release();
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

void equipoise_free(equipoise_chunks* chunks) { delete chunks; }

int equipoise_start_loop(equipoise_chunks* chunks, long long first, long long count) {
  if (chunks == nullptr) return 1;
  return guarded(*chunks, [&] {
    chunks->run.reset();
    for (NextChunk& next : chunks->next) next = {};
    chunks->first = first;
    equipoise::Loop loop{{.name = chunks->name, .items = count}};
    chunks->run.emplace(loop.pull(chunks->units, chunks->options));
  });
}

int equipoise_terminated(equipoise_chunks* chunks, int unit) {
  if (chunks == nullptr || !chunks->has(unit)) return 1;
  const auto number = static_cast<std::size_t>(unit);
  NextChunk& next = chunks->next[number];
  try {
    if (!next.range) {
      chunks->run->done(number);
      next.range = chunks->run->next(number);
    }
  } catch (...) {
    return 1;  // no memory or no thread is left
  }
  return next.range ? 0 : 1;
}

int equipoise_start_chunk(equipoise_chunks* chunks, int unit, long long* first, long long* count) {
  if (equipoise_terminated(chunks, unit) != 0) return 1;
  NextChunk& next = chunks->next[static_cast<std::size_t>(unit)];
  *first = chunks->first + next.range->first;
  *count = next.range->count;
  next.range.reset();
  return 0;
}

int equipoise_end_chunk(equipoise_chunks* chunks, int unit) {
  if (chunks == nullptr || !chunks->has(unit)) return 0;
  try {
    return chunks->run->done(static_cast<std::size_t>(unit)) ? 1 : 0;
  } catch (...) {
    return 0;
  }
}

int equipoise_end_loop(equipoise_chunks* chunks, double* makespan_s) {
  if (chunks == nullptr) return 1;
  return guarded(*chunks, [&] {
    if (!chunks->run) throw equipoise::Error("no loop was started", 2);
    // The run stays, because other threads may still ask whether there are chunks.
    const equipoise::Summary summary = chunks->run->finish();
    if (makespan_s != nullptr) *makespan_s = summary.makespan_s;
  });
}

const char* equipoise_failure(const equipoise_chunks* chunks) {
  return chunks == nullptr ? "there is no memory" : chunks->failure.c_str();
}
