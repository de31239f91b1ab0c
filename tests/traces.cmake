# Trace files, imports, and the block times that are drawn from them.
equipoise_tests(traces
  SOURCES
    traces/files/input_file_test.cpp
    traces/files/locked_file_test.cpp
    traces/files/output_lock_test.cpp
    shared_policies/machine/block_timing_test.cpp
    shared_policies/machine/interruptions_test.cpp
    shared_policies/machine/item_costs_test.cpp
    shared_policies/machine/redrawn_trace_test.cpp
    traces/costs_file_test.cpp
    traces/csv_import_test.cpp
    traces/experience_file_test.cpp
    traces/validations_file_test.cpp
    traces/work_file_test.cpp
    traces/journal_file_test.cpp
    traces/json_document_test.cpp
    support/json_schema.cpp
    traces/json_record_test.cpp
    traces/run_reader_test.cpp
    traces/run_trace_test.cpp
    traces/scenario_file_test.cpp
    traces/starpu_import_test.cpp
    traces/streamed_trace_test.cpp
    traces/trace_file_test.cpp
  LIBS equipoise::traces
)
