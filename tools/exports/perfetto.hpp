// Runs as Chrome trace events, which ui.perfetto.dev shows.
#pragma once

#include "tools/exports/export_file.hpp"
#include "traces/run_file.hpp"

namespace equipoise {

/// Writes the beginning of the document.
void begin_trace_events(ExportFile& out);
/// Adds a run as a process called after its policy, world and file. Each unit has a track with
/// slices for what it does; if its copies overlap other stages, they have tracks of their own.
/// Decisions are on a track called "policy"; events and disturbances are instant events on the
/// track of their unit or, if they concern none, of the policy; meters are counters. Slices of
/// blocks name block, items, phase, iteration and tag. Timestamps are in microseconds, exact to 1
/// ns. `number`: of the run in the document, from 1.
void put_trace_events(const RunFile& file, int number, ExportFile& out);
/// Writes the end of the document.
void end_trace_events(ExportFile& out);

}  // namespace equipoise
