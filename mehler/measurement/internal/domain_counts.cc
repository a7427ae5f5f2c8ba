#include "mehler/measurement/internal/domain_counts.h"

#include <cmath>
#include <optional>

#include "mehler/encoding/encoder.h"
#include "mehler/measurement/internal/private_record_queue.h"
#include "mehler/table/assumed_domains.h"

namespace mehler {
namespace {

bool is_kept(std::span<const std::uint8_t> kept, std::size_t row) {
  return kept.empty() || kept[row] != 0;
}

}  // namespace

ExactDomain::ExactDomain(const Column& column) : column_(column) {
  if (column.is_number()) {
    cells_ = std::make_shared<const DomainCells>(column);
    counts_ = Cells(cells_->size());
  } else {
    counts_ = Texts();
  }
}

void ExactDomain::add(const ColumnView& view, std::span<const std::uint8_t> kept) {
  column_.is_number() ? add_numbers(view, kept) : add_texts(view, kept);
}

void ExactDomain::add_numbers(const ColumnView& view, std::span<const std::uint8_t> kept) {
  WipedVector<double> values(view.rows());
  NumberCoding(column_).read_values(view, values.data());
  Cells& counts = std::get<Cells>(counts_);
  for (std::size_t row = 0; row < values.size(); ++row) {
    const bool is_there = !(view.may_miss() && view.is_missing(row)) && !std::isnan(values[row]);
    if (is_there && is_kept(kept, row)) {
      ++counts[cells_->cell_of(values[row])];
    }
  }
}

void ExactDomain::add_texts(const ColumnView& view, std::span<const std::uint8_t> kept) {
  Texts& counts = std::get<Texts>(counts_);
  for (std::size_t row = 0; row < view.rows(); ++row) {
    if ((view.may_miss() && view.is_missing(row)) || !is_kept(kept, row)) {
      continue;
    }
    const bool is_text = view.type() == ColumnType::kText;
    std::optional<std::string> number = is_text ? std::nullopt : view.whole_text(row);
    if (!is_text && !number) {
      continue;  // NaN, a missing value; fractions are refused where they are encoded
    }
    const std::string_view text = is_text ? view.text(row) : std::string_view(*number);
    if (text.size() <= kLongestText) {
      const auto found = counts.find(text);
      ++(found != counts.end() ? found : counts.emplace(text, 0).first)->second;
    }
    if (number) {
      wipe_memory(number->data(), number->size());
    }
  }
}

void ExactDomain::merge(const ExactDomain& other) {
  if (Cells* own = std::get_if<Cells>(&counts_)) {
    for (std::size_t cell = 0; cell < own->size(); ++cell) {
      (*own)[cell] += other.cell_counts()[cell];
    }
    return;
  }
  for (const auto& [text, count] : other.texts()) {
    std::get<Texts>(counts_)[text] += count;
  }
}

std::vector<ExactDomain> DomainCounts::read(const PrivateTable& table, const Context& context) {
  const Schema assumed = with_assumed_domains(table.schema());
  const Encoder encoder(assumed);
  const PrivateTable pass = table.again(assumed);
  std::vector<ExactDomain> none;
  std::vector<std::size_t> bought;  ///< of each, a modelled column that is made of it
  for (std::size_t i = 0; i < encoder.modelled().size(); ++i) {
    const std::size_t source = encoder.modelled()[i].source;
    const bool is_new = bought.empty() || encoder.modelled()[bought.back()].source != source;
    if (is_new && table.schema().columns()[source].is_to_be_bought()) {
      none.emplace_back(assumed.columns()[source]);
      bought.push_back(i);
    }
  }
  std::vector<std::vector<ExactDomain>> found(context.threads, none);
  for_private_slices(
      pass, encoder, context,
      [&](std::size_t worker, const PrivateRecordQueue::Slice& slice, const EncodedBatch&) {
        for (std::size_t i = 0; i < bought.size(); ++i) {
          const ColumnView view(slice.stream->schema(), slice.rows,
                                slice.binding->children[bought[i]]);
          found[worker][i].add(view, slice.kept);
        }
        return true;
      });
  for (std::size_t worker = 1; worker < found.size(); ++worker) {
    for (std::size_t i = 0; i < none.size(); ++i) {
      found[0][i].merge(found[worker][i]);
    }
  }
  return std::move(found[0]);
}

PrivateTable DomainCounts::with_schema(const PrivateTable& table, Schema schema) {
  return table.again(std::move(schema));
}

}  // namespace mehler
