#pragma once

#include <string>

#include "mehler/core/strict_json.h"
#include "mehler/evaluation/evaluation_figures.h"

namespace mehler {

/// The part of an evaluation's report about the classifier; an empty text, and null, where there is
/// none.
std::string classification_text(const Encoder& encoder, const EvaluationFigures& figures);
Json classification_json(const Encoder& encoder, const EvaluationFigures& figures);

}  // namespace mehler
