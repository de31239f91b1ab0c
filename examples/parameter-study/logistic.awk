# The logistic map x <- r x (1 - x) at `count` growth rates from number `first` on: what a population
# comes to. One line for each: the rate, and the least and the largest x of the last 100 steps.
#
#     awk -v first=0 -v count=10 -v out=FILE -f logistic.awk
BEGIN {
  for (i = first; i < first + count; ++i) {
    r = 2.5 + 1.5 * i / 4000
    x = 0.5
    for (step = 0; step < 20000; ++step) x = r * x * (1 - x)
    low = high = x
    for (step = 0; step < 100; ++step) {
      x = r * x * (1 - x)
      if (x < low) low = x
      if (x > high) high = x
    }
    printf "%.6f %.6f %.6f\n", r, low, high > out
  }
}
