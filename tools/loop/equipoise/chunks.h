/* Loop scheduling by six calls, as in DLS4LB and LB4MPI (DLS_Setup, DLS_StartLoop, DLS_Terminated,
   DLS_StartChunk, DLS_EndChunk, DLS_EndLoop), for C and, through iso_c_binding, Fortran. Threads of
   the program, such as OpenMP's, are the units. C++ has more in equipoise/loop.hpp.

       equipoise_chunks* chunks = equipoise_setup("prices", threads, "af", "run.jsonl");
       if (equipoise_start_loop(chunks, 0, n) != 0) return puts(equipoise_failure(chunks));
       #pragma omp parallel num_threads(threads)
       {
         const int me = omp_get_thread_num();
         long long first, count;
         while (!equipoise_terminated(chunks, me)) {
           equipoise_start_chunk(chunks, me, &first, &count);
           for (long long i = first; i < first + count; ++i) work(i);
           equipoise_end_chunk(chunks, me);
         }
       }
       double makespan_s;
       if (equipoise_end_loop(chunks, &makespan_s) != 0) puts(equipoise_failure(chunks));
       equipoise_free(chunks);

   A chunk may be given twice: if its thread is late, by policies that back up (equipoise without
   backup=off), and if it is much too late, so that it counts as lost. Results of an item must be the
   same each time. */
#ifndef EQUIPOISE_CHUNKS_H
#define EQUIPOISE_CHUNKS_H

#ifdef __cplusplus
extern "C" {
#endif

#define EQUIPOISE_C_API __attribute__((visibility("default")))

typedef struct equipoise_chunks equipoise_chunks; /* NOLINT(modernize-use-using): C has none */

/* Set up: a loop called `name` that `units` threads share, numbered from 0, with a policy as
   `equipoise run --policy` has it (NULL: equipoise:backup=off). Each run is written to `run_file` (NULL: to
   none). NULL if there is no memory. */
EQUIPOISE_C_API equipoise_chunks* equipoise_setup(const char* name, int units, const char* policy,
                                                  const char* run_file);
/* Ends a loop that has not ended, and frees all. */
EQUIPOISE_C_API void equipoise_free(equipoise_chunks* chunks);

/* Start loop: its `count` items from `first` on. One thread calls it, before the others begin. It
   may be called again after `equipoise_end_loop`. Returns 0, or the exit code of what failed: 2 for
   values that cannot be used. */
EQUIPOISE_C_API int equipoise_start_loop(equipoise_chunks* chunks, long long first,
                                         long long count);
/* Terminated: waits until there is a chunk for the unit, or none any more. Returns 1 if none. */
EQUIPOISE_C_API int equipoise_terminated(equipoise_chunks* chunks, int unit);
/* Start chunk: takes it. Returns 0; 1 if there is none. */
EQUIPOISE_C_API int equipoise_start_chunk(equipoise_chunks* chunks, int unit, long long* first,
                                          long long* count);
/* End chunk. Returns 1 if its results count; 0 if another unit has done the same items first. A chunk
   that was started ends at the latest when the unit asks for the next one. */
EQUIPOISE_C_API int equipoise_end_chunk(equipoise_chunks* chunks, int unit);
/* End loop: waits for the end of all chunks. One thread calls it. `makespan_s` may be NULL. Returns
   as `equipoise_start_loop` does. */
EQUIPOISE_C_API int equipoise_end_loop(equipoise_chunks* chunks, double* makespan_s);

/* Why the last equipoise_start_loop or equipoise_end_loop failed; an empty text if it did not. Valid
   until the next of these. */
EQUIPOISE_C_API const char* equipoise_failure(const equipoise_chunks* chunks);

#ifdef __cplusplus
}
#endif

#endif
