#include "mehler/table/readers/arrow_errors.h"

#include <arrow/status.h>
#include <fmt/format.h>

#include <cstring>
#include <memory>

namespace mehler {
namespace {

constexpr const char* kDetailName = "mehler::Error";

class CarriedError : public arrow::StatusDetail {
 public:
  // NOLINTNEXTLINE(bugprone-throw-keyword-missing): kept here, thrown later
  explicit CarriedError(const Error& error) : error_(error) {}

  const char* type_id() const override { return kDetailName; }
  std::string ToString() const override { return error_.what(); }
  const Error& error() const { return error_; }

 private:
  Error error_;
};

}  // namespace

arrow::Status status_of(const Error& error) {
  return {arrow::StatusCode::IOError, error.what(), std::make_shared<CarriedError>(error)};
}

void throw_carried_error(const arrow::Status& status) {
  const std::shared_ptr<arrow::StatusDetail>& detail = status.detail();
  if (detail != nullptr && std::strcmp(detail->type_id(), kDetailName) == 0) {
    throw static_cast<const CarriedError&>(*detail).error();
  }
}

void require_ok(const arrow::Status& status, const std::string& message) {
  if (status.ok()) {
    return;
  }
  throw_carried_error(status);
  if (status.IsOutOfMemory()) {
    throw Error(ErrorCode::kFile,
                "there is not enough memory to read or write the table; close other "
                "programs or use a machine with more");
  }
  throw Error(ErrorCode::kInvalidTable, message);
}

std::string damaged_message(const std::string& what, const std::string& format) {
  return fmt::format(
      "{} could not be read as {}: the file is damaged or incomplete; copy or write it "
      "again",
      what, format);
}

}  // namespace mehler
