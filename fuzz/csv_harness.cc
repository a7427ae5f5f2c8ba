// CSV text through the readers and the encoder.

#include "fuzz/harness.h"
#include "fuzz/read_table.h"
#include "mehler/demo/people.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const mehler::Schema schema = mehler::people_schema();
  static const mehler::TemporaryFile file(".csv");
  file.write({reinterpret_cast<const char*>(data), size});
  mehler::TableReadOptions options;
  options.format = mehler::TableFormat::kCsv;
  options.null_spellings = {"?"};
  mehler::read_table(file.path(), options, &schema);
  options.trim_spaces = true;
  mehler::read_table(file.path(), options, nullptr);
  return 0;
}

std::vector<std::string> seeds() {
  return {
      "patient_id,region,age,education,income,hours,smoker,pressure,first_visit,diagnosis\n"
      "P100000,east,69,degree,29423.45,0,false,146.7,2023-03-14,watch\n"
      "P100001,east,50,\"vocational\",30268.14,,false,126.4,2022-08-21,healthy\n",
      "a;b\r\n1;\"x\ny\"\r\n\r\n?;z\r\n"};
}
