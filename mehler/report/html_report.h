#pragma once

#include <string>
#include <utility>
#include <vector>

#include "mehler/evaluation/evaluate.h"
#include "mehler/evaluation/release/release_agreement.h"

namespace mehler {

/// Where a page comes from, and what it shows besides figures.
struct PageOrigin {
  std::string command;  ///< that made it
  std::string subtitle;
  /// The figures in words, to be folded out, by their titles.
  std::vector<std::pair<std::string, std::string>> texts;
  /// A picture of synthetic images, the bytes of a PNG, and what it shows; empty for none.
  std::string picture;
  std::string picture_words;
};

/// How close a synthetic table is to a release, as a page of HTML by itself: it loads nothing, and
/// nothing in it is run but its own script (page.html). `agreement` and `tables` are of one
/// ReleaseComparison; null and empty where a release has nothing to compare with.
///
/// Privacy: reads the release and the synthetic table. The page says of which tables it may be
/// shared, in the words of text_of().
std::string html_of(const Release& release, const ReleaseAgreement* agreement,
                    const std::vector<ComparedCounts>& tables, const PageOrigin& origin);

/// A synthetic table beside real records, of a schema. The request must have kept what is drawn.
///
/// Privacy: shows real records, counted without noise. No guarantee covers the page; it is for the
/// owner of the data, and says so.
std::string html_of(const Schema& schema, const Evaluation& measured, const PageOrigin& origin);

}  // namespace mehler
