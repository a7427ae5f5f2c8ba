#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "mehler/core/context.h"
#include "mehler/core/options.h"
#include "mehler/generator/generator.h"
#include "mehler/measurement/domain_purchase.h"
#include "mehler/privacy/accountant.h"
#include "mehler/privacy/private_table.h"
#include "mehler/release/release.h"

namespace mehler {

/// A part of a release that is counts by method marginals.
struct CountedPart {
  Schema schema;       ///< of the columns that are counted
  double share = 1.0;  ///< of the mu^2 of everything
};

/// A way to make synthetic tables. Commands, options files, tests and the documentation go through
/// the table of methods and know none by name (docs/design/0010-a-new-method.md).
struct Method {
  std::string name;
  std::string summary;
  std::string page;  ///< of the documentation
  std::vector<Option> release_options = {};
  std::vector<Option> fit_options = {};
  /// Whether a release holds counts, of which it is known beforehand what their noise hides.
  bool has_counts = false;
  /// Whether a fit takes long enough that it can be interrupted and resumed.
  bool has_checkpoints = false;

  /// Throws Error(kInvalidArgument) for options that release() or fit() would refuse, as far as
  /// that is known before a record is read.
  void (*check)(const Schema& schema, const OptionValues& release, const OptionValues& fit);
  /// Privacy: charges the accountant all that is left of its budget, each part before its noise is
  /// drawn.
  Release (*release)(PrivateTable&& table, const OptionValues& options, Accountant& accountant,
                     const Context& context);
  /// Post-processing: costs no privacy.
  std::unique_ptr<const Generator> (*fit)(const Release& release, const FitRequest& request,
                                          const Context& context);
  /// Other options to try after a fit with these has diverged; may be null.
  OptionValues (*calmer)(OptionValues options) = nullptr;
  /// Of a method that measures other things besides: what of a schema it counts as method marginals
  /// does. Throws Error(kInvalidArgument) if that is nothing. May be null.
  CountedPart (*counted_part)(const Schema& schema, const OptionValues& options) = nullptr;
};

/// The default method first.
const std::vector<Method>& methods();

/// The default for a schema: images for tables with an image column, else the first of all.
const Method& default_method(const Schema& schema);

/// The method of that name. Throws Error(kInvalidArgument) with near names.
const Method& find_method(std::string_view name);

/// The method that made a release. Throws Error(kInvalidRelease) for one that this version does not
/// know.
const Method& method_of(const Release& release);

/// Which method makes a release, and with what options.
struct ReleaseRequest {
  /// Empty: the default for the schema.
  std::string method = {};
  OptionValues options = {};
  /// What bounds and categories cost that the schema leaves to be bought.
  DomainBudget domains = {};

  /// Throws Error(kInvalidArgument) for an unknown method.
  const Method& method_for(const Schema& schema) const;
};

/// Makes a release by a method; if the schema leaves bounds or categories to be bought, these
/// first. Throws Error(kInvalidArgument) for an unknown method or options that it does not take,
/// before the budget is charged.
///
/// Privacy: charges the accountant all that is left of its budget, each part before its noise is
/// drawn.
Release release(PrivateTable&& table, Accountant& accountant, const ReleaseRequest& request = {},
                const Context& context = {});

/// Fits a model to a release by the method that made it. Throws Error(kInvalidArgument) for options
/// that the method does not have or that lead to nothing, Error(kCancelled) on request.
std::unique_ptr<const Generator> fit(const Release& release, const FitRequest& request = {},
                                     const Context& context = {});

}  // namespace mehler
