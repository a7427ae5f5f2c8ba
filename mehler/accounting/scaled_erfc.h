#pragma once

namespace mehler {

/// e^(x^2) erfc(x), for x above -1, accurate to a few units in the last place of a long double.
long double scaled_erfc(long double x);

/// log erfc(x) for any x, also where erfc(x) itself would underflow.
long double log_erfc(long double x);

/// Minus half the derivative of scaled_erfc, 1/sqrt(pi) - x scaled_erfc(x): positive, and without
/// cancellation where x is large.
long double falling_of_scaled_erfc(long double x);

}  // namespace mehler
