#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "mehler/core/strict_json.h"
#include "mehler/generator/generator.h"
#include "mehler/release/release.h"

namespace mehler {

/// A model file that has been taken apart as far as all kinds are alike.
struct ModelParts {
  Release release;           ///< verified
  JsonObjectReader& header;  ///< the kind reads its own keys; unknown ones are refused afterwards
  std::string_view numbers;  ///< the payload after the release
};

/// One kind of model: what the header's key "model" says, and how the rest is read. A reader throws
/// Error(kInvalidRelease) for parts that do not fit together.
struct ModelKind {
  std::string_view name;
  std::unique_ptr<Generator> (*read)(ModelParts parts);
};

/// Every kind that files can hold. A further kind is a further entry.
std::span<const ModelKind> model_kinds();

/// The bytes of a model file: the release, whole, and the kind's own header keys and numbers.
std::string serialize_model(std::string_view kind, const Release& release, const Json& keys,
                            std::string_view numbers);

}  // namespace mehler
