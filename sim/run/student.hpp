#pragma once
// Student's t for two-sided 95 % intervals, by Boost.Math, which takes long to compile.

namespace lockcast {

// `freedom` >= 1. Rounded to 1e-6, so that the last bit of a library function can never show in a result.
double student_t(double freedom);

}  // namespace lockcast
