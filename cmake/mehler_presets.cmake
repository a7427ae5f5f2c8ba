# Writes presets.h: the files of experiments/presets as texts, so that the program finds them wherever it is installed.
file(GLOB preset_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/experiments/presets/*.json)
set(preset_entries "")
foreach(preset_file IN LISTS preset_files)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${preset_file})
  get_filename_component(preset_name ${preset_file} NAME)
  string(REGEX REPLACE "\\.json$" "" preset_name ${preset_name})
  file(READ ${preset_file} preset_text)
  string(JSON preset_system GET "${preset_text}" method)
  string(APPEND preset_entries "    {\"${preset_name}\", \"${preset_system}\", R\"json(${preset_text})json\"},\n")
endforeach()
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/presets/presets.h @ONLY CONTENT
"#pragma once

#include <string_view>

namespace mehler {

/// Options that --preset NAME stands for.
struct Preset {
  std::string_view name;
  std::string_view system;  ///< the method, or the kind of reference, that it is of
  std::string_view json;
};

inline constexpr Preset kPresets[] = {
@preset_entries@};

}  // namespace mehler
")
