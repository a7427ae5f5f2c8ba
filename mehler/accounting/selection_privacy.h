#pragma once

namespace mehler {

/// The privacy of a choice by the exponential mechanism, with weights exp(epsilon score / (2
/// sensitivity)).
///
/// Its privacy loss lies in an interval of length epsilon (bounded range: Dong, Durfee and Rogers
/// 2020), so that its trade-off between errors is no worse than two straight lines which meet at
/// one point; the Gaussian trade-off through that point, which is convex, lies below. Over all
/// places of the interval the worst is the symmetric one:
///
///   mu = 2 Phi^-1(1 / (1 + exp(-epsilon / 2))), about .627 epsilon.

/// The mu with which choices compose beside Gaussian noise, rounded up. epsilon > 0.
double mu_of_selection(double epsilon);

/// The epsilon of a choice that costs mu > 0: the inverse, to a relative 1e-14.
double epsilon_of_selection(double mu);

}  // namespace mehler
