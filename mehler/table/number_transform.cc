#include "mehler/table/number_transform.h"

#include <cmath>

#include "mehler/core/error.h"

namespace mehler {

std::string_view transform_name(NumberTransform transform) {
  switch (transform) {
    case NumberTransform::kNone:
      return "none";
    case NumberTransform::kLog:
      return "log";
    case NumberTransform::kSignedLog:
      return "signed-log";
  }
  MEHLER_ASSERT(false && "every transform has a name");
}

std::optional<NumberTransform> transform_from_name(std::string_view name) {
  for (const NumberTransform transform : {NumberTransform::kLog, NumberTransform::kSignedLog}) {
    if (transform_name(transform) == name) {
      return transform;
    }
  }
  return std::nullopt;
}

std::vector<std::string> transform_names() {
  return {std::string(transform_name(NumberTransform::kLog)),
          std::string(transform_name(NumberTransform::kSignedLog))};
}

double transform_number(NumberTransform transform, double scale, double value) {
  if (transform == NumberTransform::kNone) {
    return value;
  }
  return std::copysign(std::log1p(std::fabs(value) / scale), value);
}

double untransform_number(NumberTransform transform, double scale, double transformed) {
  if (transform == NumberTransform::kNone) {
    return transformed;
  }
  return std::copysign(scale * std::expm1(std::fabs(transformed)), transformed);
}

}  // namespace mehler
