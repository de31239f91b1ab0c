// Tests of gravity among bodies: pairs worked out by hand, and wrong results that the check must
// find.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "real/kernels/catalog.hpp"
#include "real/kernels/nbody/gravity.hpp"
#include "real/kernels/seeded.hpp"
#include "tests/support/computed_blocks.hpp"

namespace equipoise::nbody_test {
namespace {

constexpr double softening = 0.05;

/// Random bodies and their accelerations.
struct Bodies {
  std::size_t count;
  std::vector<double> x, y, z, mass, ax, ay, az, v;

  explicit Bodies(std::size_t n)
      : count(n), x(padded_bodies(n)), y(x), z(x), mass(x), ax(n), ay(n), az(n), v(n) {
    for (std::size_t i = 0; i < n; ++i) {
      x[i] = seeded_number(1, i, -1.0, 1.0);
      y[i] = seeded_number(2, i, -1.0, 1.0);
      z[i] = seeded_number(3, i, -1.0, 1.0);
      mass[i] = seeded_number(4, i, 0.5, 1.5) / static_cast<double>(n);
    }
  }

  void compute(std::size_t first, std::size_t items, double soft = softening) {
    accelerate(columns(), first, items, soft,
               {ax.data() + first, ay.data() + first, az.data() + first});
  }

  [[nodiscard]] BodyColumns columns() const {
    return {x.data(), y.data(), z.data(), mass.data(), count};
  }

  [[nodiscard]] Verification check() const {
    return check_gravity({.bodies = columns(),
                          .acceleration = {ax.data(), ay.data(), az.data()},
                          .velocity = {v.data(), v.data(), v.data()},
                          .softening = softening});
  }
};

TEST(Nbody, AttractsTwoBodiesAsByHand) {
  Bodies bodies(2);
  bodies.x = {1.0, 4.0};
  bodies.y = {2.0, 2.0};
  bodies.z = {7.0, 7.0};
  bodies.mass = {5.0, 10.0};
  for (auto* column : {&bodies.x, &bodies.y, &bodies.z, &bodies.mass}) column->resize(16);
  // Distance 3, softening 4: (3^2 + 4^2)^(3/2) = 5^3 = 125.
  bodies.compute(0, 2, 4.0);
  EXPECT_DOUBLE_EQ(bodies.ax[0], 10.0 * 3.0 / 125.0);
  EXPECT_DOUBLE_EQ(bodies.ax[1], -5.0 * 3.0 / 125.0);
  for (const double zero : {bodies.ay[0], bodies.ay[1], bodies.az[0], bodies.az[1]}) {
    EXPECT_EQ(zero, 0.0);
  }
}

TEST(Nbody, IsPulledNowhereInTheMiddleOfARing) {
  Bodies bodies(7);
  for (std::size_t i = 0; i < 6; ++i) {
    bodies.x[i] = std::cos(M_PI / 3.0 * static_cast<double>(i));
    bodies.y[i] = std::sin(M_PI / 3.0 * static_cast<double>(i));
    bodies.z[i] = 0.0;
    bodies.mass[i] = 1.0;
  }
  bodies.x[6] = bodies.y[6] = 0.0;
  bodies.z[6] = 2.0;
  bodies.mass[6] = 1.0;
  bodies.compute(6, 1, 1e-6);
  EXPECT_NEAR(bodies.ax[6], 0.0, 1e-15);
  EXPECT_NEAR(bodies.ay[6], 0.0, 1e-15);
  EXPECT_NEAR(bodies.az[6], -6.0 * 2.0 / std::pow(5.0, 1.5), 1e-12);
}

TEST(Nbody, GivesTheSameBitsHoweverBodiesAreDivided) {
  Bodies whole(300);
  whole.compute(0, 300);
  for (const std::size_t block : {1, 7, 64, 299}) {
    Bodies parts(300);
    for (std::size_t first = 0; first < 300; first += block) {
      parts.compute(first, std::min<std::size_t>(block, 300 - first));
    }
    EXPECT_EQ(parts.ax, whole.ax);
    EXPECT_EQ(parts.ay, whole.ay);
    EXPECT_EQ(parts.az, whole.az);
  }
}

TEST(Nbody, AgreesWithItsCheckAtEverySize) {
  for (const std::size_t count : {1, 2, 3, 15, 16, 17, 127, 128, 129, 1000}) {
    Bodies bodies(count);
    bodies.compute(0, count);
    EXPECT_TRUE(bodies.check().passed) << count << ": " << bodies.check().what;
  }
}

TEST(Nbody, NoticesAWrongAccelerationWhereverItIs) {
  // The check sums 64 of the bodies one by one, the others only in the sums over all bodies.
  Bodies bodies(1000);
  bodies.compute(0, 1000);
  for (const std::size_t at : {0, 1, 499, 500, 777, 998, 999}) {
    for (std::vector<double>* const column : {&bodies.ax, &bodies.ay, &bodies.az}) {
      const double right = (*column)[at];
      for (const double wrong : {right + 1e-8, -right, right * 1e9, std::nan("")}) {
        (*column)[at] = wrong;
        EXPECT_FALSE(bodies.check().passed) << at << ": " << wrong;
      }
      (*column)[at] = right;
    }
  }
  EXPECT_TRUE(bodies.check().passed);
  bodies.az[999] *= 1.0 + 1e-10;
  EXPECT_TRUE(bodies.check().what.starts_with("body 999")) << bodies.check().what;
}

TEST(Nbody, NoticesPlacesThatAreNotThoseOfTheAccelerations) {
  Bodies bodies(100);
  bodies.compute(0, 100);
  bodies.x[50] += 1e-6;
  EXPECT_FALSE(bodies.check().passed);
}

TEST(Nbody, NoticesAStepInWhichABodyDidNotMove) {
  Bodies bodies(100);
  bodies.compute(0, 100);
  std::vector<double> v[] = {bodies.ax, bodies.ay, bodies.az};
  const auto check = [&] {
    return check_gravity({.bodies = bodies.columns(),
                          .acceleration = {bodies.ax.data(), bodies.ay.data(), bodies.az.data()},
                          .velocity = {v[0].data(), v[1].data(), v[2].data()},
                          .softening = softening,
                          .step = 1.0,
                          .steps_done = 1});
  };
  EXPECT_TRUE(check().passed) << check().what;
  v[1][40] = 0.0;
  EXPECT_NE(check().what.find("momenta"), std::string::npos) << check().what;
}

TEST(Nbody, GoesOnWithoutBodiesThatNobodyComputed) {
  const auto kernel = make_kernel("nbody", {{"bodies", "40"}}, "--workload");
  kernel->allocate(3);
  compute(*kernel, 0, 39);
  const Verification found = kernel->verify();
  EXPECT_TRUE(found.what.starts_with("body 39")) << found.what;
  kernel->begin_iteration(1);
  compute(*kernel, 0, 40);
  // All results of this iteration are right, but one body did not move in the iteration before.
  EXPECT_NE(kernel->verify().what.find("momenta"), std::string::npos) << kernel->verify().what;
  kernel->clear_results();
  compute(*kernel, 0, 40, 2);
  EXPECT_TRUE(kernel->verify().passed) << kernel->verify().what;
}

TEST(Nbody, DescribesItsWorkload) {
  const auto kernel = make_kernel("nbody", {{"bodies", "51200"}}, "--workload");
  const Workload& workload = kernel->workload();
  EXPECT_EQ(workload.items, 51200);
  EXPECT_EQ(workload.in_bytes_per_item, 0.0);
  EXPECT_EQ(workload.out_bytes_per_item, 24.0);
  EXPECT_EQ(workload.resident_bytes, 32.0 * 51200);
  EXPECT_EQ(workload.iteration_bytes, 24.0 * 51200);  // without the masses
  EXPECT_EQ(workload.flop_per_item, 18.0 * 51200);
  EXPECT_EQ(kernel->workload().problem, (std::map<std::string, double>{{"bodies", 51200}}));
  EXPECT_GE(kernel->host_bytes(), 80.0 * 51200);
}

TEST(Nbody, RefusesWhatIsOutOfRange) {
  EXPECT_NE(refusal_of_kernel("nbody", {{"bodies", "0"}}).find("at least one item"),
            std::string::npos);
  EXPECT_NE(refusal_of_kernel("nbody", {{"bodies", "1e18"}}).find("bodies"), std::string::npos);
  EXPECT_NE(refusal_of_kernel("nbody", {{"bodie", "3"}}).find("did you mean 'bodies'"),
            std::string::npos);
}

}  // namespace
}  // namespace equipoise::nbody_test
