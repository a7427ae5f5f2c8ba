#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mehler {

/// The scale on which a column of numbers is looked at, a public choice of its schema. Incomes,
/// durations and counts spread over powers of ten; on a logarithmic scale they spread evenly.
///
///   kNone        g(v) = v
///   kLog         g(v) = log1p(v / scale), for columns whose lower bound is at least 0
///   kSignedLog   g(v) = sign(v) log1p(|v| / scale)
///
/// Around 0, up to about the scale, the logarithms are linear; beyond it they grow by log(10) for
/// every power of ten.
enum class NumberTransform { kNone, kLog, kSignedLog };

/// "none", "log" or "signed-log"; the schema file says "none" by saying nothing.
std::string_view transform_name(NumberTransform transform);
/// The transform that "log" or "signed-log" names; nothing for other words.
std::optional<NumberTransform> transform_from_name(std::string_view name);
/// What transform_from_name() knows.
std::vector<std::string> transform_names();

/// g(value), of any finite value, for scale > 0. Odd and increasing. The relative error is a few
/// units of 2^-53; infinite where value / scale is.
double transform_number(NumberTransform transform, double scale, double value);

/// The value whose transform_number() is `transformed`, with a relative error of a few units of
/// 2^-53.
double untransform_number(NumberTransform transform, double scale, double transformed);

}  // namespace mehler
