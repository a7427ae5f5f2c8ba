// CSV text through the readers and the encoder.

#include "fuzz/harness.h"
#include "fuzz/read_table.h"
#include "mehler/demo/people.h"
#include "mehler/table/readers/dialect_sniffer.h"

namespace {

/// The demo's table as a German Excel would write it.
mehler::Schema german_schema() {
  mehler::Dialect dialect;
  dialect.delimiter = ';';
  dialect.decimal = ',';
  dialect.thousands = ".";
  dialect.missing = {"NA"};
  dialect.encoding = mehler::TextEncoding::kWindows1252;
  return mehler::people_schema().in_dialect(
      dialect, {{"income", {.suffix = " €"}},
                {"smoker", {.true_words = {"ja"}, .false_words = {"nein"}}},
                {"first_visit", {.format = "%d.%m.%Y"}}});
}

}  // namespace

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
  static const mehler::Schema german = german_schema();
  options = {};
  options.format = mehler::TableFormat::kCsv;
  mehler::read_table(file.path(), options, &german);
  try {
    mehler::read_table(file.path(), mehler::sniff_dialect({file.path()}, options)->reading(options),
                       nullptr);
  } catch (const mehler::Error&) {  // the file is empty, say
  }
  return 0;
}

std::vector<std::string> seeds() {
  return {
      "patient_id,region,age,education,income,hours,smoker,pressure,first_visit,diagnosis\n"
      "P100000,east,69,degree,29423.45,0,false,146.7,2023-03-14,watch\n"
      "P100001,east,50,\"vocational\",30268.14,,false,126.4,2022-08-21,healthy\n",
      "patient_id;region;age;education;income;hours;smoker;pressure;first_visit;diagnosis\n"
      "P100000;east;69;degree;29.423,45 \x80;0;nein;146,7;14.3.2023;watch\n",
      "a;b;c\n31.12.2020;$1,5;Yes\n1.2.2021;$2;No\n", "a;b\r\n1;\"x\ny\"\r\n\r\n?;z\r\n"};
}
