// CSV text through the readers and the encoder.

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "fuzz/harness.h"
#include "mehler/core/error.h"
#include "mehler/demo/people.h"
#include "mehler/encoding/encoder.h"
#include "mehler/table/files/table_reader.h"

namespace {

void read(const std::string& path, const mehler::Schema* schema) {
  mehler::TableReadOptions options;
  options.format = mehler::TableFormat::kCsv;
  options.trim_spaces = schema == nullptr;
  options.null_spellings = {"?"};
  try {
    const mehler::TableReader reader({path}, options, schema);
    for (const mehler::RecordStreamFactory& part : reader.parts()) {
      mehler::RecordStream stream = part();
      mehler::RecordBatch batch;
      mehler::EncodedBatch encoded;
      std::optional<mehler::Encoder> encoder;
      std::optional<mehler::EncoderBinding> binding;
      if (schema != nullptr) {
        encoder.emplace(*schema);
        binding = encoder->bind(stream.schema());
      }
      while (stream.next(batch)) {
        if (encoder) {
          encoder->encode(*binding, stream.schema(), batch.value(), encoded);
        }
      }
    }
  } catch (const mehler::Error& error) {
    if (error.code() == mehler::ErrorCode::kInternal) {
      std::abort();
    }
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const mehler::Schema schema = mehler::people_schema();
  static const std::string path = (std::filesystem::temp_directory_path() /
                                   ("mehler-fuzz-" + std::to_string(getpid()) + ".csv"))
                                      .string();
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  read(path, &schema);
  read(path, nullptr);
  std::filesystem::remove(path);
  return 0;
}

std::vector<std::string> seeds() {
  return {
      "patient_id,region,age,education,income,hours,smoker,pressure,first_visit,diagnosis\n"
      "P100000,east,69,degree,29423.45,0,false,146.7,2023-03-14,watch\n"
      "P100001,east,50,\"vocational\",30268.14,,false,126.4,2022-08-21,healthy\n",
      "a;b\r\n1;\"x\ny\"\r\n\r\n?;z\r\n"};
}
