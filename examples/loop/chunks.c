/* Threads of OpenMP that take chunks of a loop, by the six calls of loop schedulers. */
#include <equipoise/chunks.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

/* How often the Collatz sequence of n is continued until it comes to 1. */
static int steps_of(long long n) {
  int steps = 0;
  for (; n != 1; ++steps) n = n % 2 == 0 ? n / 2 : 3 * n + 1;
  return steps;
}

int main(int argc, char** argv) {
  const char* policy = argc > 1 ? argv[1] : "equipoise";
  const char* run_file = argc > 2 ? argv[2] : NULL;
  const int threads = omp_get_max_threads();
  const long long n = 1000000;
  int* steps = malloc(n * sizeof *steps);
  equipoise_chunks* chunks = equipoise_setup("collatz", threads, policy, run_file);
  if (equipoise_start_loop(chunks, 1, n) != 0) { /* n items from 1 on */
    fprintf(stderr, "%s\n", equipoise_failure(chunks));
    return 2;
  }
#pragma omp parallel num_threads(threads)
  {
    const int me = omp_get_thread_num();
    long long first = 0;
    long long count = 0;
    while (!equipoise_terminated(chunks, me)) {
      equipoise_start_chunk(chunks, me, &first, &count);
      for (long long i = first; i < first + count; ++i) steps[i - 1] = steps_of(i);
      equipoise_end_chunk(chunks, me);
    }
  }
  double makespan_s = 0.0;
  if (equipoise_end_loop(chunks, &makespan_s) != 0) {
    fprintf(stderr, "%s\n", equipoise_failure(chunks));
    return 1;
  }
  long long longest = 1;
  for (long long i = 1; i <= n; ++i) {
    if (steps[i - 1] > steps[longest - 1]) longest = i;
  }
  printf("%s: %.2f ms; of the numbers up to %lld, %lld takes the most steps: %d\n", policy,
         1e3 * makespan_s, n, longest, steps[longest - 1]);
  equipoise_free(chunks);
  free(steps);
  return 0;
}
