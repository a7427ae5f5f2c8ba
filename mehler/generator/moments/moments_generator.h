#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "mehler/core/context.h"
#include "mehler/core/seeded_random.h"
#include "mehler/generator/generator.h"
#include "mehler/generator/model_file.h"
#include "mehler/generator/moments/moment_model.h"
#include "mehler/generator/rule_guard.h"
#include "mehler/generator/sample_conditions.h"

namespace mehler {

/// Draws records from the moments of a wide table. A shorter sample is the beginning of a longer
/// one. Conditions, on any columns, are met by selection among drawn records.
class MomentsGenerator final : public Generator {
 public:
  static constexpr std::string_view kKind = "moments";

  /// Whether a release holds moments: the fit of others is a table (TableGenerator).
  static bool is_for(const Release& release);

  /// Throws Error(kInvalidRelease) for a release that holds no moments.
  explicit MomentsGenerator(Release release);

  /// The model follows from the release; a file holds nothing else.
  static std::unique_ptr<Generator> read(ModelParts parts);

  const Release& release() const override { return release_; }
  void draw(const SampleOptions& options, const Context& context,
            const RecordSink& sink) const override;
  void check_conditions(const std::vector<SampleCondition>& where) const override;
  std::string to_bytes() const override;

 private:
  /// A column's values by the share of records below them.
  struct Quantiles {
    struct Piece {
      std::uint32_t first = 0;   ///< leaf
      std::uint32_t second = 0;  ///< after its last leaf
      double below = 0.0;        ///< share up to its end
    };
    std::vector<Piece> pieces;
    double missing = 0.0;  ///< share of missing values, which are not among the pieces

    explicit Quantiles(const ColumnEstimate& column);
  };

  std::vector<ColumnCondition> resolve(const std::vector<SampleCondition>& where) const;
  EncodedBatch draw_chunk(std::uint64_t chunk, std::uint64_t seed) const;
  /// Scores of a chunk, [row][score], of records of these classes.
  Matrix draw_scores(const std::vector<std::size_t>& classes, SeededRandom& random) const;
  /// Brings the lengths of each class's rows to what was measured of them.
  void set_lengths(const std::vector<std::size_t>& classes, SeededRandom& random,
                   Matrix& scores) const;
  /// Values of a column: by rank of its scores, or by chance if it has none; their leaves too.
  void set_column(std::size_t column, std::span<const float> ranked, SeededRandom& random,
                  EncodedColumn& out, std::vector<std::uint32_t>& leaves) const;

  Release release_;
  MomentModel model_;
  RuleGuard guard_;
  std::vector<Quantiles> quantiles_;
};

}  // namespace mehler
