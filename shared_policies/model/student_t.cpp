// Student's t quantile, computed by Boost.
#include "shared_policies/model/student_t.hpp"

#include <boost/math/distributions/students_t.hpp>

namespace equipoise {

double student_t_quantile(double degrees, double p) {
  return quantile(boost::math::students_t(degrees), p);
}

}  // namespace equipoise
