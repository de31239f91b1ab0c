// A run of two units in which everything happens, with times that can be added up by hand.
#pragma once

#include <functional>
#include <sstream>
#include <string>

#include "tests/support/temporary_folder.hpp"
#include "tools/exports/formats.hpp"
#include "traces/run_file.hpp"

namespace equipoise {

/// Its header. `gpu` is the name of its second unit, as JSON text without quotation marks.
inline std::string small_run_header(const std::string& gpu = "gpu0") {
  return R"({"schema":"equipoise.run/1.1","on":"sim","policy":"plb-hec",)"
         R"("spelling":"plb-hec:threshold=0.2,step_fraction=0.1","parameters":{},)"
         R"("workloads":[{"kernel":"k","items":80,"grain_items":1,"iterations":1,)"
         R"("in_bytes_per_item":0,"out_bytes_per_item":0,"resident_bytes":0,)"
         R"("memory_bytes_per_item":0,"flop_per_item":0,"parameters":{}}],)"
         R"("units":[{"id":"cpu0","kind":"cpu","copy_engines":1,"slots":1},{"id":")" +
         gpu +
         R"(","kind":"gpu","copy_engines":2,"slots":2}],"seed":1,"repetition":3,)"
         R"("decision_cost":"none","workload_spellings":["k:items=80"],"platform":"p.xml"})"
         "\n";
}

inline std::string small_run_block(int block, const std::string& unit, int first, int items,
                                   const std::string& times, int after, const std::string& tag) {
  return R"({"block":)" + std::to_string(block) + R"(,"unit":")" + unit +
         R"(","iteration":0,"phase":0,"first_item":)" + std::to_string(first) + R"(,"items":)" +
         std::to_string(items) + "," + times + R"(,"after_events":)" + std::to_string(after) +
         R"(,"tag":")" + tag + "\"}\n";
}

/// Its lines up to the summary. cpu0 is set up, does a block of training, waits from 1 s to 2 s for
/// a block of gpu0, until 2.25 s for a decision, and does two blocks. gpu0 overlaps two blocks, and
/// fails at 3 s with a block that cpu0 does again.
inline std::string small_run_lines(const std::string& gpu = "gpu0") {
  return small_run_header(gpu) +
         R"({"event":"iteration_started","at_s":0})"
         "\n" +
         small_run_block(
             0, "cpu0", 0, 40,
             R"("assigned_s":0,"setup_s":0.25,"in_s":0,"compute_s":0.75,"out_s":0,)"
             R"("setup_at_s":0,"in_at_s":0.25,"compute_at_s":0.25,"out_at_s":1,"end_s":1)",
             0, "train") +
         small_run_block(
             1, gpu, 40, 10,
             R"("assigned_s":0,"setup_s":0,"in_s":0.5,"compute_s":1,"out_s":0.5,)"
             R"("setup_at_s":0,"in_at_s":0,"compute_at_s":0.5,"out_at_s":1.5,"end_s":2)",
             0, "run") +
         R"({"decision":"fit","at_s":2,"cost_s":0.25,"end_s":2.25,"by":"master",)"
         R"("units":[{"unit":"cpu0","block_items":10}]})"
         "\n" +
         small_run_block(
             2, gpu, 50, 10,
             R"("assigned_s":0,"setup_s":0,"in_s":0.5,"compute_s":0.75,"out_s":0.25,)"
             R"("setup_at_s":0.5,"in_at_s":0.5,"compute_at_s":1.5,"out_at_s":2.25,"end_s":2.5)",
             0, "run") +
         R"({"event":"fail","at_s":3,"unit":")" + gpu + "\"}\n" +
         R"({"event":"unit_lost","at_s":3,"unit":")" + gpu + "\"}\n" +
         R"({"event":"block_lost","at_s":3,"unit":")" + gpu +
         R"(","block":4,"iteration":0,"phase":0,"items":10,"assigned_s":2.5,"after_events":3,)"
         R"("tag":"run"})"
         "\n" +
         small_run_block(
             3, "cpu0", 60, 10,
             R"("assigned_s":2.25,"setup_s":0,"in_s":0,"compute_s":1,"out_s":0,)"
             R"("setup_at_s":2.25,"in_at_s":2.25,"compute_at_s":2.25,"out_at_s":3.25,"end_s":3.25)",
             2, "run") +
         R"({"at_s":0,"domain":"package-0","what":"energy_j","value":0})"
         "\n"
         R"({"at_s":2,"domain":"package-0","what":"energy_j","value":100})"
         "\n" +
         small_run_block(
             5, "cpu0", 70, 10,
             R"("assigned_s":3.25,"setup_s":0,"in_s":0,"compute_s":1,"out_s":0,)"
             R"("setup_at_s":3.25,"in_at_s":3.25,"compute_at_s":3.25,"out_at_s":4.25,"end_s":4.25)",
             6, "run");
}

inline std::string small_run_text(const std::string& gpu = "gpu0") {
  return small_run_lines(gpu) +
         R"({"summary":true,"makespan_s":4.25,"lower_bound_s":2,"complete":true,"verified":true})"
         "\n";
}

/// `text` as a run that was read from the file small.jsonl.
inline RunFile run_of(const std::string& text) {
  std::istringstream in(text);
  return read_run(in, "small.jsonl");
}

/// What `put` exports.
inline std::string exported(const std::function<void(ExportFile&)>& put) {
  const TemporaryFolder scratch;
  ExportFile out(scratch.path("out"), "--out");
  put(out);
  out.finish();
  return scratch.read("out");
}

}  // namespace equipoise
