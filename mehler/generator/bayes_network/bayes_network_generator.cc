#include "mehler/generator/bayes_network/bayes_network_generator.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "mehler/core/error.h"
#include "mehler/core/integer_math.h"
#include "mehler/generator/chunked_draw.h"
#include "mehler/release/payload.h"

namespace mehler {
namespace {

/// Rows that are dealt at once, at most: the more, the nearer their counts are to the network's.
constexpr std::uint64_t kDealtRows = 65'536;

std::vector<NetworkColumn> network_of(const Release& release) {
  const NoisyCounts& counts = release.counts();
  const PrivacyStatement& statement = release.statement();
  // Noise of the Laplace kind is that of the published protocol, which does not shrink.
  const bool is_published =
      !statement.charges.empty() && std::holds_alternative<LaplaceSums>(statement.charges.front());
  NetworkGrowth growth(release.encoder(), statement.public_rows,
                       is_published ? NetworkEstimate::kClipped : NetworkEstimate::kShrunk);
  for (std::size_t i = 0; i < counts.blocks.size(); ++i) {
    growth.add(counts.counts.blocks()[i], counts.blocks[i], statement.noise_of(i).sigma);
  }
  if (growth.columns().empty()) {
    throw Error(ErrorCode::kInvalidRelease, "the release holds no Bayesian network");
  }
  return growth.columns();
}

std::vector<std::shared_ptr<const ColumnPartition>> cells_of(
    const std::vector<ColumnEstimate>& columns) {
  std::vector<std::shared_ptr<const ColumnPartition>> cells;
  for (const ColumnEstimate& column : columns) {
    cells.push_back(column.cells);
  }
  return cells;
}

/// The first column with those of its cells alone that a condition leaves.
NetworkColumn held(NetworkColumn root, const std::vector<double>& allowed) {
  for (std::size_t k = 0; k < root.shares.size(); ++k) {
    root.shares[k] *= allowed[k];
  }
  double sum = std::accumulate(root.shares.begin(), root.shares.end(), 0.0);
  if (!(sum > 0.0)) {  // by the network there are none: all that are allowed are alike
    root.shares = allowed;
    sum = std::accumulate(allowed.begin(), allowed.end(), 0.0);
  }
  for (double& share : root.shares) {
    share /= sum;
  }
  return root;
}

}  // namespace

BayesNetworkGenerator::BayesNetworkGenerator(Release release)
    : release_(std::move(release)),
      estimates_(estimate_columns(MarginalMeasurements(release_))),
      columns_(network_of(release_)),
      decoder_(estimates_, FinerForest(cells_of(estimates_)), ValueLinks(estimates_.size())),
      guard_(release_.encoder()) {}

std::unique_ptr<Generator> BayesNetworkGenerator::read(ModelParts parts) {
  parts.release.schema().refuse_images("a Bayesian network");
  if (!parts.numbers.empty()) {
    parts.header.fail("has numbers where the release says all");
  }
  return std::make_unique<BayesNetworkGenerator>(std::move(parts.release));
}

std::string BayesNetworkGenerator::to_bytes() const {
  return serialize_model(kKind, release_, Json::object(), "");
}

std::vector<ColumnCondition> BayesNetworkGenerator::resolve(
    const std::vector<SampleCondition>& where) const {
  std::vector<ColumnCondition> conditions =
      resolve_conditions(release_.encoder(), where, ConditionedColumns::kAll);
  guard_.refuse_contradictions(conditions);
  return conditions;
}

void BayesNetworkGenerator::check_conditions(const std::vector<SampleCondition>& where) const {
  resolve(where);
}

void BayesNetworkGenerator::draw(const SampleOptions& options, const Context& context,
                                 const RecordSink& sink) const {
  options.validate();
  std::vector<ColumnCondition> conditions = resolve(options.where);
  NetworkColumn root = columns_.front();
  std::vector<CellDecoder::Restriction> restrictions;
  const auto of_root =
      std::find_if(conditions.begin(), conditions.end(),
                   [&](const ColumnCondition& one) { return one.column == root.column; });
  if (of_root != conditions.end()) {
    restrictions.push_back(decoder_.restrict(*of_root));
    root = held(std::move(root), restrictions.front().shares);
    conditions.erase(of_root);
  }
  // Chunks of equal size: what is cut off the last one would be off its counts. Where rows are
  // selected, of whole ones.
  std::uint64_t rows = kDealtRows;
  if (conditions.empty() && guard_.empty()) {
    const std::uint64_t chunks = ceil_divide(options.rows, kDealtRows);
    rows = ceil_divide(options.rows, chunks);
  }
  const ChunkSource source{static_cast<std::size_t>(rows), [&](std::uint64_t chunk) {
                             SeededRandom random = SeededRandom::of_piece(options.seed, chunk);
                             CodedRows dealt(static_cast<std::size_t>(rows), estimates_.size());
                             deal_column(root, random, dealt);
                             for (std::size_t i = 1; i < columns_.size(); ++i) {
                               deal_column(columns_[i], random, dealt);
                             }
                             return decoder_.decode(dealt, 0, dealt.rows, random, restrictions);
                           }};
  draw_in_chunks(options, conditions, release_.encoder(), guard_, source, context, sink);
}

}  // namespace mehler
