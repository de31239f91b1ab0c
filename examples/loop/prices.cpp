// American put options, priced with binomial trees: a loop that Equipoise divides among units.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <equipoise/loop.hpp>
#include <vector>

struct Option {
  double spot, strike, years, volatility;
  int steps;  // of its tree: an option takes time with the square of them
};

double price(const Option& option) {
  const double rate = 0.03;
  const double step = option.years / option.steps;
  const double up = std::exp(option.volatility * std::sqrt(step));
  const double chance = (std::exp(rate * step) - 1.0 / up) / (up - 1.0 / up);
  const double discount = std::exp(-rate * step);
  const auto exercised = [&](int level, int ups) {
    return std::max(0.0, option.strike - option.spot * std::pow(up, 2.0 * ups - level));
  };
  std::vector<double> value;
  for (int ups = 0; ups <= option.steps; ++ups) value.push_back(exercised(option.steps, ups));
  for (int level = option.steps - 1; level >= 0; --level) {
    for (int ups = 0; ups <= level; ++ups) {
      const double held = chance * value[ups + 1] + (1.0 - chance) * value[ups];
      value[ups] = std::max(discount * held, exercised(level, ups));
    }
  }
  return value[0];
}

int main(int argc, char** argv) try {
  std::vector<Option> options;
  for (int i = 0; i < 20'000; ++i) {
    options.push_back({80.0 + i % 41, 100.0, 0.25 + i % 8, 0.2, 20 + i % 101});
  }
  std::vector<double> prices(options.size());

  equipoise::Loop loop{{.name = "prices",
                        .items = static_cast<std::int64_t>(options.size()),
                        .grain = 16,
                        .item = "option"}};
  loop.input(options).output(prices);
  loop.on_cpu([](const equipoise::BlockView& block) {
    const Option* option = block.in(0);
    double* result = block.out(0);
    for (std::int64_t i = 0; i < block.count; ++i) result[i] = price(option[i]);
  });
  const equipoise::Summary summary = loop.run(argc, argv);
  if (summary.rank > 0) return 0;  // under mpirun, rank 0 has the results
  std::printf("%s\nat the money: %.4f\n", summary.text.c_str(), prices[20]);
} catch (const equipoise::Error& error) {
  return error.report();
}
