#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "mehler/core/context.h"
#include "mehler/generator/sample_condition.h"
#include "mehler/table/table.h"

namespace mehler {

class Encoder;
struct EncodedBatch;

struct SampleOptions {
  std::uint64_t rows = 0;
  std::uint64_t seed = 1;
  /// All must hold, also several on one column.
  std::vector<SampleCondition> where = {};
  /// Called, instead of refusing them, for conditions that hardly any record meets, by a model that
  /// can hold to them all the same.
  std::function<void()> on_unlikely = {};

  /// Throws Error(kInvalidArgument) for zero rows.
  void validate() const;
};

/// Draws synthetic records of a schema. Immutable and thread-safe.
///
/// Privacy: says nothing of what it was made from. One that was made from a release is a Generator;
/// one that was trained on public records (reference/) is covered by no guarantee.
class RecordSampler {
 public:
  virtual ~RecordSampler() = default;

  /// Of the schema whose records it draws.
  virtual const Encoder& encoder() const = 0;

  /// Draws records and hands them over some thousands at a time; memory does not grow with the
  /// number of rows. Identifiers for which the schema has a pattern are made up. The same for a
  /// seed, whatever the threads. Throws Error(kInvalidArgument) for zero rows, an unknown column or
  /// value, conditions that hardly any record can meet, or more rows than a pattern has values.
  void sample(const SampleOptions& options, const Context& context,
              const std::function<void(const Table&)>& sink) const;

  /// As one table in memory.
  Table sample(std::uint64_t rows, std::uint64_t seed = 1, const Context& context = {}) const;

  /// Throws Error(kInvalidArgument) for conditions that sample() would refuse before it draws: an
  /// unknown column or value, conditions that this kind of model cannot hold to, a contradiction.
  virtual void check_conditions(const std::vector<SampleCondition>& where) const = 0;

  /// The names that conditions can be about: the schema's columns, and what its rules make of them.
  std::vector<std::string> condition_columns() const;

  /// The same without identifiers, with the numbers and codes that the values were decoded from.
  using RecordSink = std::function<void(const Table&, const EncodedBatch&)>;
  virtual void draw(const SampleOptions& options, const Context& context,
                    const RecordSink& sink) const = 0;
};

}  // namespace mehler
