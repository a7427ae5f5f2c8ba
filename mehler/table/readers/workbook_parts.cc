#include "mehler/table/readers/workbook_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "mehler/core/error.h"
#include "mehler/core/name_suggestions.h"
#include "mehler/table/calendar.h"

namespace mehler {
namespace {

constexpr std::size_t kMostTextBytes = std::size_t{1} << 30;

std::string attribute(const XmlAttributes& attributes, std::string_view name) {
  const auto place = attributes.find(name);
  return place == attributes.end() ? "" : place->second;
}

int number_of(const std::string& text) {
  int value = -1;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

/// xl/workbook.xml: the sheets, in order, and where days are counted from.
class WorkbookHandler : public XmlHandler {
 public:
  void start(std::string_view name, const XmlAttributes& attributes) override {
    if (name == "sheet") {
      sheets.emplace_back(attribute(attributes, "name"), attribute(attributes, "id"));
    } else if (name == "workbookPr") {
      const std::string value = attribute(attributes, "date1904");
      counts_from_1904 = value == "1" || value == "true";
    }
  }
  void end(std::string_view) override {}

  std::vector<std::pair<std::string, std::string>> sheets;  ///< name and relation
  bool counts_from_1904 = false;
};

/// xl/_rels/workbook.xml.rels: the documents of relations.
class RelationsHandler : public XmlHandler {
 public:
  void start(std::string_view name, const XmlAttributes& attributes) override {
    if (name == "Relationship") {
      documents[attribute(attributes, "Id")] = attribute(attributes, "Target");
    }
  }
  void end(std::string_view) override {}

  std::map<std::string, std::string> documents;
};

/// xl/sharedStrings.xml: texts, without their fonts and without readings of Japanese.
class TextsHandler : public XmlHandler {
 public:
  TextsHandler(std::vector<std::string>& texts, const std::string& what)
      : texts_(texts), what_(what) {}

  void start(std::string_view name, const XmlAttributes&) override {
    if (name == "si") {
      texts_.emplace_back();
    } else if (name == "rPh") {
      in_reading_ = true;
    } else if (name == "t") {
      in_text_ = !in_reading_ && !texts_.empty();
    }
  }
  void end(std::string_view name) override {
    in_text_ = in_text_ && name != "t";
    in_reading_ = in_reading_ && name != "rPh";
  }
  void text(std::string_view text) override {
    if (!in_text_) {
      return;
    }
    texts_.back() += text;
    bytes_ += text.size();
    if (bytes_ > kMostTextBytes) {
      throw Error(ErrorCode::kInvalidTable,
                  what_ + " has more than a gigabyte of texts; save it as CSV UTF-8 and give that");
    }
  }

 private:
  std::vector<std::string>& texts_;
  const std::string& what_;
  std::size_t bytes_ = 0;
  bool in_text_ = false;
  bool in_reading_ = false;
};

NumberShows shown_by_number(int format) {
  const bool is_date = (format >= 14 && format <= 17) || (format >= 27 && format <= 31) ||
                       format == 36 || (format >= 50 && format <= 54) || format == 57 ||
                       format == 58;
  return format == 22 ? NumberShows::kDatetime
         : is_date    ? NumberShows::kDate
                      : NumberShows::kNumber;
}

/// xl/styles.xml: the number formats of cell formats.
class StylesHandler : public XmlHandler {
 public:
  void start(std::string_view name, const XmlAttributes& attributes) override {
    if (name == "numFmt") {
      formats_[number_of(attribute(attributes, "numFmtId"))] =
          shown_by_format(attribute(attributes, "formatCode"));
    } else if (name == "cellXfs") {
      in_cell_formats_ = true;
    } else if (name == "xf" && in_cell_formats_) {
      const int format = number_of(attribute(attributes, "numFmtId"));
      const auto place = formats_.find(format);
      styles.push_back(place == formats_.end() ? shown_by_number(format) : place->second);
    }
  }
  void end(std::string_view name) override {
    in_cell_formats_ = in_cell_formats_ && name != "cellXfs";
  }

  std::vector<NumberShows> styles;

 private:
  std::map<int, NumberShows> formats_;
  bool in_cell_formats_ = false;
};

/// A target of a relation as the archive names it.
std::string document_name(const std::string& target) {
  return target.starts_with('/') ? target.substr(1) : "xl/" + target;
}

}  // namespace

NumberShows shown_by_format(std::string_view code) {
  std::string letters;
  for (std::size_t i = 0; i < code.size(); ++i) {
    const char c = code[i];
    if (c == '\\' || c == '_' || c == '*') {
      ++i;  // the next character stands for itself
    } else if (c == '"' || c == '[') {
      const std::size_t end = code.find(c == '[' ? ']' : '"', i + 1);
      i = end == std::string_view::npos ? code.size() : end;
    } else if (c == ';') {
      break;  // what follows is for negative numbers
    } else {
      letters.push_back(static_cast<char>(std::tolower(static_cast<unsigned char>(c))));
    }
  }
  if (letters == "general") {
    return NumberShows::kNumber;
  }
  const bool has_time = letters.find_first_of("hs") != std::string::npos;
  const bool has_day = letters.find_first_of("yd") != std::string::npos ||
                       (!has_time && letters.find('m') != std::string::npos);
  return !has_day ? NumberShows::kNumber : has_time ? NumberShows::kDatetime : NumberShows::kDate;
}

WorkbookParts read_workbook_parts(const WorkbookArchive& archive,
                                  const std::optional<std::string>& sheet,
                                  const std::string& what) {
  WorkbookHandler workbook;
  archive.read("xl/workbook.xml", workbook);
  RelationsHandler relations;
  archive.read("xl/_rels/workbook.xml.rels", relations);
  const auto chosen = std::find_if(workbook.sheets.begin(), workbook.sheets.end(),
                                   [&](const auto& one) { return !sheet || one.first == *sheet; });
  if (chosen == workbook.sheets.end()) {
    std::vector<std::string> names;
    for (const auto& one : workbook.sheets) {
      names.push_back(one.first);
    }
    throw Error(ErrorCode::kInvalidTable,
                fmt::format("{} has no sheet '{}'{}", what, shown(sheet.value_or("")),
                            suggest_names(sheet.value_or(""), names)));
  }
  WorkbookParts parts;
  parts.sheet_document = document_name(relations.documents[chosen->second]);
  parts.counts_from_1904 = workbook.counts_from_1904;
  if (archive.has("xl/sharedStrings.xml")) {
    TextsHandler texts(parts.texts, what);
    archive.read("xl/sharedStrings.xml", texts);
  }
  if (archive.has("xl/styles.xml")) {
    StylesHandler styles;
    archive.read("xl/styles.xml", styles);
    parts.cell_styles = std::move(styles.styles);
  }
  return parts;
}

std::optional<std::string> moment_of_days(double days, NumberShows shows, bool counts_from_1904) {
  constexpr double kFirstOf1900 = 1.0;
  constexpr double kAfterLast = 2958466.0;     // the year 10000
  constexpr double kFrom1900To1970 = 25569.0;  // with a 29 February 1900, as Excel counts
  constexpr double kFrom1900To1904 = 1462.0;
  days += counts_from_1904 ? kFrom1900To1904 : 0.0;
  if (!(days >= kFirstOf1900) || !(days < kAfterLast)) {
    return std::nullopt;
  }
  days -= days < 60.0 ? kFrom1900To1970 - 1.0 : kFrom1900To1970;
  if (shows == NumberShows::kDate) {
    return format_date(static_cast<std::int64_t>(std::floor(days)));
  }
  constexpr double kMillisecondsPerDay = 86'400'000.0;
  return format_datetime(static_cast<std::int64_t>(std::llround(days * kMillisecondsPerDay)) *
                         1000);
}

}  // namespace mehler
