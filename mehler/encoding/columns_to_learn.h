#pragma once

#include <string_view>

#include "mehler/encoding/encoder.h"

namespace mehler {

/// Whether a schema is as somebody wrote it, or what is left of it after bounds and categories were
/// bought: for the words of a refusal.
enum class SchemaOrigin { kWritten, kBought };

/// Throws Error(kInvalidSchema) if there is no column besides the target.
void require_columns_to_learn(const Encoder& encoder, SchemaOrigin origin = SchemaOrigin::kWritten);

/// Throws Error(kInvalidSchema) if there is no target with classes. `who` wants them: "method
/// gs-wgan". `remedy`: what else can be done, after a comma; may be empty.
void require_classes(const Encoder& encoder, std::string_view who, std::string_view remedy,
                     SchemaOrigin origin = SchemaOrigin::kWritten);

}  // namespace mehler
