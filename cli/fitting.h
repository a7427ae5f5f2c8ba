#pragma once

#include <memory>
#include <string>

#include "mehler/core/error.h"
#include "mehler/evaluation/release/release_agreement.h"
#include "mehler/generator/generator.h"
#include "mehler/synthesis/methods.h"

namespace mehler {

/// Fits a model to a release by its method, with a line on the terminal. What an interrupted fit
/// keeps is said with the error.
std::unique_ptr<const Generator> fit_with_progress(const Release& release, FitRequest request,
                                                   std::size_t threads, bool quiet);

/// Of a release of weights whose fit failed with this error: the networks that it holds are not
/// those that it describes. With the file's name and a remedy.
Error not_whole(const std::string& path, const Error& error);

/// A paragraph: how far the counts of a table from this generator are from the released ones,
/// beside their noise; and if the fit did not settle. Empty for a release without counts.
/// `of_records`: words on which of its records were compared, if not all.
std::string fit_words(const Generator& generator, const ReleaseAgreement& agreement,
                      const std::string& of_records = "");

/// A seed option's number; 1 when it is not given.
std::uint64_t parse_seed(const std::string& text);

}  // namespace mehler
