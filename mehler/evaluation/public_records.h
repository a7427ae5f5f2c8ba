#pragma once

#include <utility>

#include "mehler/encoding/encoded_batch.h"

namespace mehler {

/// Said by a person who knows that a table needs no protection: it is published, or simulated.
struct DeclaredPublic {
  explicit DeclaredPublic() = default;
};

/// Encoded records whose owner declares them public.
///
/// Privacy: the one way in says so in words at the place of the call. There is no conversion from a
/// PrivateTable, from records alone, or from anything else, so code that tunes or trains on
/// these records cannot be handed private ones by mistake.
class PublicRecords {
 public:
  PublicRecords(EncodedBatch records, DeclaredPublic) : records_(std::move(records)) {}

  const EncodedBatch& records() const { return records_; }

 private:
  EncodedBatch records_;
};

}  // namespace mehler
