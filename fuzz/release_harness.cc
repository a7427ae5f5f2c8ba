// Release files. The bytes are tried as they are and, as a header and a payload in a well-formed
// container, past the checksum.

#include <cstdlib>

#include "fuzz/harness.h"
#include "mehler/core/error.h"
#include "mehler/demo/people.h"
#include "mehler/release/checked_file.h"
#include "mehler/synthesis/dp_hp/release_dp_hp.h"
#include "mehler/synthesis/independent/release_independent.h"
#include "mehler/synthesis/marginals/release_marginals.h"
#include "mehler/synthesis/privbayes/release_privbayes.h"
#include "mehler/table/table_stream.h"

namespace {

void read(std::string_view bytes) {
  try {
    const auto release = mehler::Release::from_bytes(bytes, "input");
    if (mehler::Release::from_bytes(release.to_bytes(), "copy").to_bytes() != release.to_bytes()) {
      std::abort();
    }
  } catch (const mehler::Error& error) {
    if (error.code() != mehler::ErrorCode::kInvalidRelease) {
      std::abort();
    }
  }
}

const std::string& sample_release() {
  static const std::string bytes = [] {
    ArrowArrayStream stream = mehler::arrow_stream_of({mehler::simulate_people(50, 1)});
    mehler::Accountant accountant({.epsilon = 1.0, .delta = 1e-6});
    mehler::DpHpOptions options;
    options.features.order = 3;
    options.features.product.named = {{"age", "region"}};
    options.features.product.order = 2;
    return mehler::release_dp_hp(mehler::PrivateTable(&stream, mehler::people_schema()), options,
                                 accountant, mehler::Context{})
        .to_bytes();
  }();
  return bytes;
}

const std::string& sample_of_counts() {
  static const std::string bytes = [] {
    ArrowArrayStream stream = mehler::arrow_stream_of({mehler::simulate_people(50, 1)});
    mehler::Accountant accountant({.epsilon = 1.0, .delta = 1e-6});
    return mehler::release_independent(mehler::PrivateTable(&stream, mehler::people_schema()),
                                       accountant, mehler::Context{})
        .to_bytes();
  }();
  return bytes;
}

/// Choices and counts of cells.
const std::string& sample_of_network() {
  static const std::string bytes = [] {
    ArrowArrayStream stream = mehler::arrow_stream_of({mehler::simulate_people(50, 1)});
    mehler::Accountant accountant({.epsilon = 1.0, .delta = 1e-6});
    return mehler::release_privbayes(mehler::PrivateTable(&stream, mehler::people_schema()), {},
                                     accountant, mehler::Context{})
        .to_bytes();
  }();
  return bytes;
}

/// A wide table of few records, whose release has sums of vectors.
const std::string& sample_of_vectors() {
  static const std::string bytes = [] {
    std::string columns;
    mehler::Table table;
    for (int c = 0; c < 20; ++c) {
      const std::string name = "x" + std::to_string(c);
      columns += R"({"name": ")" + name + R"(", "kind": "integer", "bounds": [0, 9]}, )";
      std::vector<std::int64_t> numbers;
      for (std::int64_t i = 0; i < 60; ++i) {
        numbers.push_back((i * (c + 3)) % 10);
      }
      table.columns.push_back({name, mehler::ColumnKind::kInteger, std::move(numbers), {}});
    }
    std::vector<std::int64_t> truths;
    for (std::int64_t i = 0; i < 60; ++i) {
      truths.push_back(i % 2);
    }
    table.columns.push_back({"y", mehler::ColumnKind::kBoolean, std::move(truths), {}});
    const auto schema =
        mehler::Schema::from_json(R"({"mehler_schema": 1, "target": "y", "columns": [)" + columns +
                                  R"({"name": "y", "kind": "boolean"}]})");
    ArrowArrayStream stream = mehler::arrow_stream_of({table});
    mehler::Accountant accountant({.epsilon = 1.0, .delta = 1e-6});
    return mehler::release_marginals(mehler::PrivateTable(&stream, schema), {}, accountant,
                                     mehler::Context{})
        .to_bytes();
  }();
  return bytes;
}

mehler::CheckedFile parts_of(std::string_view bytes) {
  return mehler::parse_checked_file(bytes, mehler::CheckedFileKind::kRelease,
                                    mehler::Release::kVersion, "sample");
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  read(bytes);
  for (const std::string* sample :
       {&sample_release(), &sample_of_counts(), &sample_of_vectors(), &sample_of_network()}) {
    const mehler::CheckedFile with_header{std::string(bytes), parts_of(*sample).payload};
    for (std::uint32_t version = 1; version <= mehler::Release::kVersion; ++version) {
      read(mehler::serialize_checked_file(mehler::CheckedFileKind::kRelease, version, with_header));
    }
  }
  return 0;
}

std::vector<std::string> seeds() {
  return {sample_release(),    parts_of(sample_release()).header,
          sample_of_counts(),  parts_of(sample_of_counts()).header,
          sample_of_vectors(), parts_of(sample_of_vectors()).header,
          sample_of_network(), parts_of(sample_of_network()).header};
}
