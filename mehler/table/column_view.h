#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "mehler/table/arrow_c_interface.h"

namespace mehler {

/// What an Arrow column can be read as.
enum class ColumnType {
  kNull,         ///< every value is missing
  kBoolean,      ///< false or true
  kInteger,      ///< 8 to 64 bits, signed or not
  kFloating,     ///< 16, 32 or 64 bits
  kDecimal,      ///< 128 bits
  kText,         ///< UTF-8, short or long offsets, or views
  kDate,         ///< 32 or 64 bits
  kTimestamp,    ///< seconds to nanoseconds
  kDuration,     ///< spans of time, seconds to nanoseconds
  kTimeOfDay,    ///< seconds to nanoseconds
  kBytes,        ///< lists of bytes, all of one length
  kUnsupported,  ///< anything else, not read: lists, structs, ...
};

/// "integers", "texts", ...: what a column of that type holds, in words.
std::string_view type_words(ColumnType type);

/// The type of a column as its ArrowSchema gives it. A dictionary column has the type of its
/// values.
ColumnType column_type(const ArrowSchema& schema);

/// The bytes of each list of a column of kBytes; 0 for another type.
std::size_t bytes_of_lists(const ArrowSchema& schema);

/// Read access to one column of a batch. Borrows the arrays, which must outlive it.
class ColumnView {
 public:
  /// The child `index` of the struct array `batch` of type `schema`.
  ColumnView(const ArrowSchema& schema, const ArrowArray& batch, std::size_t index);

  ColumnType type() const { return type_; }
  std::size_t rows() const { return rows_; }

  /// Whether any value could be missing; false means that is_missing() is false everywhere.
  bool may_miss() const {
    return type_ == ColumnType::kNull || validity_ != nullptr || dictionary_;
  }
  bool is_missing(std::size_t row) const;

  /// All values as doubles into out[0 .. rows), for booleans (0, 1), numbers, dates (days since
  /// 1970), timestamps (microseconds, rounded down), durations and times of day (seconds). What
  /// stands at missing places is not defined. Integers and decimals beyond 2^53 are rounded.
  void copy_numbers(double* out) const;

  /// All lists of a column of kBytes, one after another, into out[0 .. rows * bytes of a list):
  /// zeros where a list or a byte is missing. False if one is. Throws Error(kInvalidTable) if the
  /// producer has handed over fewer bytes than it says.
  bool copy_bytes(std::uint8_t* out) const;

  /// A text value that is not missing.
  std::string_view text(std::size_t row) const;

  /// An integer or boolean value that is not missing, as category lists write it ("-3", "true").
  std::string integer_text(std::size_t row) const;

  /// The same of any number: pandas makes a column of whole numbers, some of them missing, one of
  /// floating-point numbers, and databases have decimals of no places. Nothing for a fraction, NaN,
  /// infinity, and a number so large that its type holds not all whole ones beside it.
  std::optional<std::string> whole_text(std::size_t row) const;

  /// Whether a floating-point value that is not missing is NaN; false for other types.
  bool is_nan(std::size_t row) const;

  /// For a dictionary column: its values, and where in them a row points. Else nullptr.
  const ColumnView* dictionary() const { return dictionary_.get(); }
  std::size_t dictionary_index(std::size_t row) const;

 private:
  ColumnView(const ArrowSchema& schema, const ArrowArray& array, std::int64_t offset,
             std::int64_t rows);
  void copy_range(std::size_t first, std::size_t count, double* out) const;

  const char* format_;
  std::size_t list_bytes_;  ///< kBytes only
  const ArrowArray* array_;
  std::size_t offset_;
  std::size_t rows_;
  const std::uint8_t* validity_ = nullptr;
  ColumnType type_;
  std::unique_ptr<ColumnView> dictionary_;
};

}  // namespace mehler
