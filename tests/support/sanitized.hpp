#pragma once
// Whether the library and the program under test watch their addresses. AddressSanitizer does not know SimGrid's stacks
// and takes the unwinding of an actor, which is how the oracle kernel ends, for an overflow.

#include <string_view>

namespace lockcast {

inline constexpr bool addresses_are_watched = std::string_view(LOCKCAST_SANITIZE).find("address") == 0;

}  // namespace lockcast
