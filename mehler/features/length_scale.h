#pragma once

namespace mehler {

// A Gaussian kernel is described by its length scale, its Hermite features by rho. For inputs
// stretched by `scale` (z = scale x) the two are tied by 1 / (2 s) = rho / (1 - rho^2) with s =
// (length_scale scale)^2; a scale of 1 is the paper's choice.

/// Throws Error(kInvalidArgument) unless 0 < rho < 1.
void require_rho(double rho);

/// rho = -s + sqrt(s^2 + 1), computed as 1 / (s + sqrt(s^2 + 1)): nothing cancels, relative error
/// below 1e-15. Throws Error(kInvalidArgument) unless both arguments are positive and finite and
/// rho lies in (0, 1) as a double, which it does for length_scale scale from about 1e-8 to 1e77.
double rho_of_length_scale(double length_scale, double scale = 1.0);

/// The inverse: sqrt((1 - rho^2) / (2 rho)) / scale, relative error below 1e-15. Throws
/// Error(kInvalidArgument) unless 0 < rho < 1 and the scale is positive and finite.
double length_scale_of_rho(double rho, double scale = 1.0);

}  // namespace mehler
