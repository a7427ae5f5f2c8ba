#pragma once

#include <string>

#include "mehler/core/strict_json.h"
#include "mehler/evaluation/evaluation_figures.h"

namespace mehler {

/// The part of an evaluation's report about images, which there are.
std::string images_text(const ImageFigures& figures);
Json images_json(const ImageFigures& figures);

}  // namespace mehler
