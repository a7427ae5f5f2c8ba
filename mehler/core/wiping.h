#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace mehler {

/// Overwrites memory with zeros, which the compiler may not leave out although nothing reads them.
inline void wipe_memory(void* memory, std::size_t bytes) {
  if (bytes > 0) {
    std::memset(memory, 0, bytes);
    asm volatile("" : : "r"(memory) : "memory");
  }
}

/// Wipes memory before it gives it back: also what a vector leaves behind when it grows.
template <typename T>
struct WipingAllocator {
  using value_type = T;

  WipingAllocator() = default;
  template <typename Other>
  WipingAllocator(const WipingAllocator<Other>&) {}  // NOLINT: allocators convert

  T* allocate(std::size_t count) { return std::allocator<T>().allocate(count); }
  void deallocate(T* memory, std::size_t count) {
    wipe_memory(memory, count * sizeof(T));  // NOLINT: of pointers too
    std::allocator<T>().deallocate(memory, count);
  }
  bool operator==(const WipingAllocator&) const { return true; }
};

/// For what is kept of private records, and computed from them without noise. A short text lies in
/// the object itself, whose owner wipes it.
template <typename T>
using WipedVector = std::vector<T, WipingAllocator<T>>;
using WipedText = std::basic_string<char, std::char_traits<char>, WipingAllocator<char>>;

}  // namespace mehler
