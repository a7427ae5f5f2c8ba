#include "errors.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mehler/mehler.h"

namespace nb = nanobind;

namespace mehler::python {
namespace {

/// Exceptions live as long as the process does.
struct Exceptions {
  PyObject* base = nullptr;
  PyObject* argument = nullptr;
  PyObject* schema = nullptr;
  PyObject* table = nullptr;
  PyObject* release = nullptr;
  PyObject* file = nullptr;
  PyObject* budget = nullptr;
  PyObject* internal = nullptr;
};

Exceptions& exceptions() {
  static Exceptions all;
  return all;
}

PyObject* type_of(ErrorCode code) {
  const Exceptions& all = exceptions();
  switch (code) {
    case ErrorCode::kInvalidArgument:
      return all.argument;
    case ErrorCode::kInvalidSchema:
      return all.schema;
    case ErrorCode::kInvalidTable:
      return all.table;
    case ErrorCode::kInvalidRelease:
      return all.release;
    case ErrorCode::kFile:
      return all.file;
    case ErrorCode::kBudgetExceeded:
      return all.budget;
    case ErrorCode::kCancelled:  // nobody sees it: what stopped the work is raised
      return all.base;
    case ErrorCode::kInternal:
      break;
  }
  return all.internal;
}

/// "'product-order'": names that are no Python names, as they stand in messages.
const std::vector<std::string>& hyphenated_options() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> found;
    for (const Method& method : methods()) {
      for (const auto* options : {&method.release_options, &method.fit_options}) {
        for (const Option& option : *options) {
          if (option.name.find('-') != std::string::npos) {
            found.push_back("'" + option.name + "'");
          }
        }
      }
    }
    return found;
  }();
  return names;
}

/// What a schema file says, and how Python says it.
constexpr std::pair<std::string_view, std::string_view> kInPython[] = {
    {"\"missing\": true", "missing=True"},
    {"\"other\": \"Other\"", "other='Other'"},
    {"write \"others\": \"ignored\"", "call ignore_others() of the schema"},
};

std::string in_words_of_python(std::string message) {
  for (const auto& [in_file, in_python] : kInPython) {
    if (const std::size_t place = message.find(in_file); place != std::string::npos) {
      message.replace(place, in_file.size(), in_python);
    }
  }
  for (const std::string& name : hyphenated_options()) {
    for (std::size_t place = message.find(name); place != std::string::npos;
         place = message.find(name, place + name.size())) {
      const auto begin = message.begin() + static_cast<std::ptrdiff_t>(place);
      std::replace(begin, begin + static_cast<std::ptrdiff_t>(name.size()), '-', '_');
    }
  }
  return message;
}

/// A text of ours, or of a name in a foreign table, which may hold anything.
void raise(PyObject* type, const std::string& message) {
  PyObject* text = PyUnicode_DecodeUTF8(message.data(), static_cast<Py_ssize_t>(message.size()),
                                        "backslashreplace");
  if (text != nullptr) {
    PyErr_SetObject(type, text);
    Py_DECREF(text);
  }
}

PyObject* add(nb::module_& module, const char* name, const char* doc, nb::handle bases) {
  const std::string full = std::string("mehler.") + name;
  PyObject* type = PyErr_NewExceptionWithDoc(full.c_str(), doc, bases.ptr(), nullptr);
  if (type == nullptr) {
    throw nb::python_error();
  }
  module.attr(name) = nb::handle(type);
  return type;
}

}  // namespace

bool is_own(const nb::python_error& error) { return error.matches(exceptions().base); }

void bind_errors(nb::module_& module) {
  Exceptions& all = exceptions();
  all.base = add(module, "Error",
                 "Something that you can mend. The message says what is wrong, what is allowed and "
                 "what to do;\nit names columns, never a value of a record.",
                 PyExc_ValueError);
  const nb::handle base(all.base);
  all.argument =
      add(module, "ArgumentError", "An argument or an option that is not allowed.", base);
  all.schema =
      add(module, "SchemaError", "A schema that contradicts itself or is incomplete.", base);
  all.table = add(module, "TableError", "Records that do not fit their schema, or no table.", base);
  all.release = add(module, "ReleaseError",
                    "A release or model that is damaged, altered or of another version.", base);
  all.file = add(module, "FileError", "A file that cannot be opened, read or written.",
                 nb::make_tuple(base, nb::handle(PyExc_OSError)));
  all.budget = add(module, "BudgetError", "A privacy spend that the budget does not hold.", base);
  all.internal = add(module, "InternalError", "A bug in mehler: please report it.",
                     nb::handle(PyExc_RuntimeError));
  nb::register_exception_translator([](const std::exception_ptr& pointer, void*) {
    try {
      std::rethrow_exception(pointer);
    } catch (const Error& error) {
      raise(type_of(error.code()), in_words_of_python(error.what()));
    }
  });
}

}  // namespace mehler::python
