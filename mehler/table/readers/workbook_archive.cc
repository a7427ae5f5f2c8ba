#include "mehler/table/readers/workbook_archive.h"

#include <expat.h>
#include <zip.h>

#include <array>

#include "mehler/core/error.h"

namespace mehler {
namespace {

zip_t* zip_of(void* archive) { return static_cast<zip_t*>(archive); }

std::string_view without_prefix(const char* name) {
  const std::string_view whole(name);
  const std::size_t colon = whole.find(':');
  return colon == std::string_view::npos ? whole : whole.substr(colon + 1);
}

}  // namespace

struct WorkbookArchive::Document::State {
  zip_file_t* file = nullptr;
  XML_Parser parser = nullptr;
  XmlHandler* handler = nullptr;
  std::exception_ptr failure;  ///< what the handler threw: it must not pass through Expat
  bool has_type_declaration = false;

  template <typename Work>
  void guarded(const Work& work) {
    try {
      work();
    } catch (...) {
      failure = std::current_exception();
      XML_StopParser(parser, XML_FALSE);
    }
  }

  static void on_start(void* user, const char* name, const char** attributes) {
    auto& state = *static_cast<State*>(user);
    state.guarded([&] {
      XmlAttributes named;
      for (; *attributes != nullptr; attributes += 2) {
        named.emplace(without_prefix(attributes[0]), attributes[1]);
      }
      state.handler->start(without_prefix(name), named);
    });
  }
  static void on_end(void* user, const char* name) {
    auto& state = *static_cast<State*>(user);
    state.guarded([&] { state.handler->end(without_prefix(name)); });
  }
  static void on_text(void* user, const char* text, int size) {
    auto& state = *static_cast<State*>(user);
    state.guarded([&] { state.handler->text({text, static_cast<std::size_t>(size)}); });
  }
  /// Workbooks have none; entities could make a small file endless.
  static void on_type_declaration(void* user, const char*, const char*, const char*, int) {
    auto& state = *static_cast<State*>(user);
    state.has_type_declaration = true;
    XML_StopParser(state.parser, XML_FALSE);
  }
};

WorkbookArchive::WorkbookArchive(const std::string& path, std::string what)
    : what_(std::move(what)), archive_(nullptr) {
  int error = 0;
  archive_ = zip_open(path.c_str(), ZIP_RDONLY, &error);
  if (archive_ == nullptr) {
    refuse();
  }
}

WorkbookArchive::~WorkbookArchive() { zip_discard(zip_of(archive_)); }

void WorkbookArchive::refuse() const {
  throw Error(ErrorCode::kInvalidTable,
              what_ +
                  " is a damaged workbook, or one with a password; open it in Excel and save it "
                  "again, without a password, or as CSV UTF-8");
}

bool WorkbookArchive::has(const std::string& name) const {
  return zip_name_locate(zip_of(archive_), name.c_str(), 0) >= 0;
}

void WorkbookArchive::read(const std::string& name, XmlHandler& handler) const {
  Document document(*this, name, handler);
  while (document.advance()) {
  }
}

WorkbookArchive::Document::Document(const WorkbookArchive& archive, const std::string& name,
                                    XmlHandler& handler)
    : archive_(archive), state_(std::make_unique<State>()) {
  state_->handler = &handler;
  state_->file = zip_fopen(zip_of(archive.archive_), name.c_str(), 0);
  if (state_->file == nullptr) {
    archive_.refuse();
  }
  state_->parser = XML_ParserCreate(nullptr);
  if (state_->parser == nullptr) {
    zip_fclose(state_->file);
    throw std::bad_alloc();
  }
  XML_SetUserData(state_->parser, state_.get());
  XML_SetElementHandler(state_->parser, State::on_start, State::on_end);
  XML_SetCharacterDataHandler(state_->parser, State::on_text);
  XML_SetStartDoctypeDeclHandler(state_->parser, State::on_type_declaration);
}

WorkbookArchive::Document::~Document() {
  XML_ParserFree(state_->parser);
  zip_fclose(state_->file);
}

bool WorkbookArchive::Document::advance() {
  std::array<char, 1 << 16> piece;
  const zip_int64_t count = zip_fread(state_->file, piece.data(), piece.size());
  if (count < 0) {
    archive_.refuse();
  }
  const XML_Status status =
      XML_Parse(state_->parser, piece.data(), static_cast<int>(count), count == 0 ? 1 : 0);
  if (state_->failure) {
    std::rethrow_exception(state_->failure);
  }
  if (status != XML_STATUS_OK || state_->has_type_declaration) {
    archive_.refuse();
  }
  return count > 0;
}

}  // namespace mehler
