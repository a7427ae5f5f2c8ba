#pragma once

#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace mehler {

/// The attributes of an XML element, by name.
using XmlAttributes = std::map<std::string, std::string, std::less<>>;

/// Takes the elements of an XML document in order. Names come without their namespace's prefix.
class XmlHandler {
 public:
  virtual ~XmlHandler() = default;
  virtual void start(std::string_view name, const XmlAttributes& attributes) = 0;
  virtual void end(std::string_view name) = 0;
  virtual void text(std::string_view) {}
};

/// The zip archive that a workbook (.xlsx) is: XML documents under names.
class WorkbookArchive {
 public:
  /// `what` begins every message: "the table 'a.xlsx'". Throws Error(kInvalidTable) if the file is
  /// no zip archive or is damaged.
  WorkbookArchive(const std::string& path, std::string what);
  ~WorkbookArchive();
  WorkbookArchive(const WorkbookArchive&) = delete;
  WorkbookArchive& operator=(const WorkbookArchive&) = delete;

  bool has(const std::string& name) const;

  /// Reads a whole document. Throws Error(kInvalidTable), or what the handler throws.
  void read(const std::string& name, XmlHandler& handler) const;

  /// A document that is read piece by piece.
  class Document {
   public:
    Document(const WorkbookArchive& archive, const std::string& name, XmlHandler& handler);
    ~Document();
    Document(const Document&) = delete;
    Document& operator=(const Document&) = delete;

    /// Reads the next piece; false at the end.
    bool advance();

   private:
    struct State;
    const WorkbookArchive& archive_;
    std::unique_ptr<State> state_;
  };

 private:
  [[noreturn]] void refuse() const;

  std::string what_;
  void* archive_;  ///< zip_t
};

}  // namespace mehler
