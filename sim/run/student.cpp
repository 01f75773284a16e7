#include "sim/run/student.hpp"

#include <boost/math/distributions/students_t.hpp>

#include <cmath>

namespace lockcast {

double student_t(double freedom) {
  return std::round(boost::math::quantile(boost::math::students_t(freedom), 0.975) * 1e6) / 1e6;
}

}  // namespace lockcast
