#pragma once
// Which simulator this is: a hash of all sources that can change what a simulation says (cmake/fingerprint.cmake). A
// version number stays the same for months; results from before a change of a model must not pass for new ones.

namespace lockcast {

extern const char* const model_fingerprint;

}  // namespace lockcast
