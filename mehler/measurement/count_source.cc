#include "mehler/measurement/count_source.h"

#include "mehler/measurement/internal/codes_in_memory.h"
#include "mehler/measurement/internal/counts_in_passes.h"

namespace mehler {

std::unique_ptr<const CountSource> make_count_source(PrivateTable&& table, const Encoder& encoder,
                                                     std::size_t max_bytes,
                                                     const Context& context) {
  const PrivateTable held = std::move(table);
  const bool can_be_read_again =
      held.can_be_read_again() && CountsInPasses::bytes(encoder) <= max_bytes;
  if (auto codes = CodesInMemory::read(held, encoder, can_be_read_again ? max_bytes : SIZE_MAX,
                                       context, max_bytes)) {
    return codes;
  }
  return std::make_unique<const CountsInPasses>(held, encoder, context);
}

}  // namespace mehler
