#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "mehler/core/options.h"

namespace mehler {

/// A public linear map of columns of numbers: the generalised (Mahalanobis) Hermite kernel
///
///   k(x, y) = exp(-|A (x - y)|^2 / 2),  x in units where the declared bounds are -1 and 1,
///
/// is a product over the rows of A, each a direction with a length scale of its own.
struct LinearMap {
  std::vector<std::string> columns = {};
  std::vector<std::vector<double>> rows = {};  ///< A: [directions][columns]
};

/// Product blocks: the tensor products of a few columns' features, which carry dependences.
struct ProductOptions {
  static constexpr std::size_t kDefaultOrder = 5;
  static constexpr std::size_t kMaxSubsets = 10'000;

  /// In place of a number of columns: 2; but no subsets are drawn where the table has fewer
  /// columns, or where products are named or over directions.
  static constexpr std::size_t kTwoIfThereAre = std::numeric_limits<std::size_t>::max();

  /// Columns in each subset that is drawn; 0: no subset is drawn.
  std::size_t columns = 0;
  /// Subsets to draw, each a block of its own and different from the others; all there are, if
  /// that is fewer. The label is never among their columns.
  std::size_t subsets = 20;
  /// What the subsets are drawn with. Public: they do not depend on the records.
  std::uint64_t seed = 1;
  /// Subsets given by the names of their columns, besides those that are drawn.
  std::vector<std::vector<std::string>> named = {};
  /// Products over directions instead of columns, besides those.
  std::vector<LinearMap> linear = {};
  std::size_t order = kDefaultOrder;
  /// Orders of single columns in product blocks, by name.
  std::map<std::string, double> column_orders = {};
  /// In units where the declared bounds are -1 and 1.
  double length_scale = 0.3;
  std::map<std::string, double> column_length_scales = {};
  /// Importance of a product block when the budget is shared; the sum block has 1.
  double weight = 0.3;

  bool wanted() const { return columns > 0 || !named.empty() || !linear.empty(); }
};

/// A block of random Fourier features of all columns of numbers together, and of all pixels, with
/// the codes of the other columns: the embedding of DP-MERF.
struct FourierOptions {
  static constexpr std::size_t kDefaultFrequencies = 500;
  static constexpr double kLengthScalePerRoot = 0.5;

  /// Each gives a cosine and a sine; 0: no such block.
  std::size_t frequencies = 0;
  /// In units where the declared bounds are -1 and 1; by default kLengthScalePerRoot times the root
  /// of how many numbers are taken together, whose distances grow so.
  std::optional<double> length_scale = {};
  /// What the frequencies are drawn with. Public.
  std::uint64_t seed = 1;

  bool wanted() const { return frequencies > 0; }

  /// The options that parse() reads.
  static std::vector<Option> list();
  static FourierOptions parse(const OptionValues& values);
};

/// What a mean embedding is made of. Never read from data.
struct EmbeddingOptions {
  static constexpr std::size_t kDefaultOrder = 20;
  static constexpr double kDefaultLengthScale = 0.15;

  /// The sum block over every column but the label.
  bool sum = true;
  std::size_t order = kDefaultOrder;
  /// Orders of single columns in the sum block, by name.
  std::map<std::string, double> column_orders = {};
  /// In units where the declared bounds are -1 and 1.
  double length_scale = kDefaultLengthScale;
  /// Length scales of single columns, by name.
  std::map<std::string, double> column_length_scales = {};
  /// Weights of single columns within the sum block, by name.
  std::map<std::string, double> column_weights = {};
  ProductOptions product = {};
  FourierOptions fourier = {};

  /// A block of random Fourier features alone: what DP-MERF embeds.
  static EmbeddingOptions of_fourier(const FourierOptions& fourier);

  /// The options that parse() reads.
  static std::vector<Option> list();
  /// By default a sum block, and products of two columns where the table has as many. Options that
  /// are not in list() are not looked at. Throws Error(kInvalidArgument) for a value that an option
  /// does not take, or options that do not go together.
  static EmbeddingOptions parse(const OptionValues& values);
  /// Throws Error(kInvalidArgument) where another option that is about products was given with a
  /// kernel that has none.
  static void require_products_for(const std::string& option, const OptionValues& values);
};

}  // namespace mehler
