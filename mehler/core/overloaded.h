#pragma once

namespace mehler {

/// For std::visit: calls the one of the functions that takes what the variant holds.
template <typename... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};
template <typename... Functions>
Overloaded(Functions...) -> Overloaded<Functions...>;

}  // namespace mehler
