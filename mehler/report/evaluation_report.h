#pragma once

#include <string>

#include "mehler/evaluation/evaluate.h"
#include "mehler/evaluation/release/release_agreement.h"

namespace mehler {

/// A synthetic table beside real records, for people and as JSON for programs. Both begin with the
/// words that no guarantee covers the figures.
std::string text_of(const Evaluation& measured);
std::string json_of(const Evaluation& measured);

/// A synthetic table beside a release. Both begin by saying of which tables the figures may be
/// shared.
std::string text_of(const Release& release, const ReleaseAgreement& agreement);
std::string json_of(const Release& release, const ReleaseAgreement& agreement);

}  // namespace mehler
