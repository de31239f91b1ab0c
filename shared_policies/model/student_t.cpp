// Student's t quantile, computed by Boost.
#include "shared_policies/model/student_t.hpp"

#include <boost/math/distributions/students_t.hpp>

namespace equipoise {

double student_t_quantile(double degrees, double p) {
  return quantile(boost::math::students_t(degrees), p);
}

double student_t_probability(double degrees, double t) {
  return boost::math::cdf(boost::math::students_t(degrees), t);
}

}  // namespace equipoise
