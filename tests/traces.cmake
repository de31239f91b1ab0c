# Trace files, imports, and the timing drawn from them.
equipoise_tests(traces
  SOURCES
    traces_block_timing_test.cpp
    traces_csv_import_test.cpp
    traces_journal_file_test.cpp
    traces_journal_queue_test.cpp
    traces_json_document_test.cpp
    traces_run_reader_test.cpp
    traces_run_trace_test.cpp
    traces_scenario_file_test.cpp
    traces_starpu_import_test.cpp
    traces_streamed_trace_test.cpp
    traces_trace_file_test.cpp
    traces_trace_report_test.cpp
  LIBS equipoise::traces
)
