#include "mehler/synthesis/dp_hp/dp_hp_options.h"

#include <fmt/format.h>

#include <algorithm>

#include "mehler/core/error.h"

namespace mehler {
namespace {

void parse_rules(const OptionValues& values, DpHpOptions& options) {
  if (values.choice("sensitivity", 0, {"certified", "published"}) == 1) {
    options.rules.sensitivity = SensitivityRule::kPublished;
  }
  const bool published = values.choice("accounting", 0, {"exact", "published"}) == 1;
  if (published) {
    options.rules.accounting = AccountingRule::kPublished;
  }
  if (values.has("product-share") && !published) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("{} belongs to {} published; with exact accounting the blocks share "
                            "the budget by {}",
                            option_words("product-share"), option_words("accounting"),
                            option_words("product-weight")));
  }
  if (values.has("product-weight") && published) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("{} belongs to {} exact; by the published accounting products get the "
                            "part of the budget that {} says",
                            option_words("product-weight"), option_words("accounting"),
                            option_words("product-share")));
  }
  options.product_share = values.number("product-share", options.product_share);
}

}  // namespace

std::vector<Option> DpHpOptions::list() {
  std::vector<Option> options = EmbeddingOptions::list();
  const auto product_weight =
      std::find_if(options.begin(), options.end(),
                   [](const Option& option) { return option.name == "product-weight"; });
  // Where there are no products, neither have a meaning.
  std::vector<Option::Displacement> share_displaced_by = product_weight->displaced_by;
  share_displaced_by.push_back({"accounting", "exact"});
  product_weight->displaced_by.push_back({"accounting", "published"});
  const std::vector<Option> noise = {
      {"sensitivity", "RULE",
       "certified (the default), or published: the paper's looser bound, for comparisons", "noise"},
      {"accounting", "RULE",
       "exact (the default), or published: the paper's split of epsilon, for comparisons", "noise"},
      {"product-share", "P",
       fmt::format("With published accounting: the products' share of epsilon; default {}",
                   DpHpOptions().product_share),
       "noise", false, "", share_displaced_by}};
  options.insert(options.end(), noise.begin(), noise.end());
  return options;
}

DpHpOptions DpHpOptions::parse(const OptionValues& values) {
  values.require_known(list(), "method dp-hp");
  DpHpOptions result;
  result.features = EmbeddingOptions::parse(values);
  EmbeddingOptions::require_products_for("product-share", values);
  parse_rules(values, result);
  return result;
}

}  // namespace mehler
