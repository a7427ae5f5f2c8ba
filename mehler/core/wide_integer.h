#pragma once

namespace mehler {

/// 128 bits, which every compiler we support has but ISO C++ does not name.
__extension__ typedef unsigned __int128 uint128;

}  // namespace mehler
