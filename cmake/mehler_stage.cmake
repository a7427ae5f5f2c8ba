# mehler_stage(<folder> [SUBFOLDERS folder...] [DEPENDS stage...] [LINK target...] [PUBLIC header...] [EACH_FILE_ALONE]
#              [PROGRAM_ONLY])
#
# Makes the library mehler_<folder> (static, or shared with BUILD_SHARED_LIBS; and the alias mehler::<folder>) from every source of
# mehler/<folder> and its SUBFOLDERS, and fails the configure step when a file of it includes a stage that DEPENDS does not name.
# With MEHLER_UNITY_BUILD ten files are compiled as one, but for EACH_FILE_ALONE: Highway's files include themselves.
# Only the headers that PUBLIC names are installed: what they include is public too. Each header is compiled alone, the
# others as those of the library mehler_<folder>_internals (target all_verify_interface_header_sets). PROGRAM_ONLY: the
# library is a part of the program, static always, and is not installed.

# The stage that an include such as "mehler/table/readers/table_reader.h" belongs to: the folder, or that of which it is a
# subfolder.
function(mehler_stage_of_include include_path result)
  string(REGEX REPLACE "^mehler/" "" inner "${include_path}")
  get_filename_component(folder "${inner}" DIRECTORY)
  get_property(stage GLOBAL PROPERTY MEHLER_STAGE_OF_${folder})
  if(NOT stage)
    set(stage ${folder})
  endif()
  set(${result} "${stage}" PARENT_SCOPE)
endfunction()

function(mehler_check_includes stage allowed files)
  foreach(file IN LISTS files)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    file(STRINGS ${file} include_lines REGEX "^[ \t]*#[ \t]*include[ \t]*[\"<]mehler/")
    foreach(line IN LISTS include_lines)
      string(REGEX REPLACE "^[^\"<]*[\"<]([^\">]+)[\">].*$" "\\1" include_path "${line}")
      mehler_stage_of_include("${include_path}" included)
      if(include_path MATCHES "/internal/" AND NOT included STREQUAL stage)
        file(RELATIVE_PATH shown ${PROJECT_SOURCE_DIR} ${file})
        message(FATAL_ERROR "Forbidden include: ${shown} includes \"${include_path}\", which is internal to stage '${included}'")
      endif()
      if(NOT included STREQUAL stage AND NOT included IN_LIST allowed)
        file(RELATIVE_PATH shown ${PROJECT_SOURCE_DIR} ${file})
        list(JOIN allowed ", " allowed_text)
        message(FATAL_ERROR
          "Forbidden include: ${shown} includes \"${include_path}\", but stage '${stage}' may use only: ${allowed_text}. "
          "Move the code to a later stage, or, if the new direction is right, name '${included}' in "
          "mehler_stage(${stage} DEPENDS ...) and argue for it in docs/design/0001-layout.md.")
      endif()
    endforeach()
  endforeach()
endfunction()

function(mehler_stage folder)
  cmake_parse_arguments(PARSE_ARGV 1 stage "EACH_FILE_ALONE;PROGRAM_ONLY" "" "SUBFOLDERS;DEPENDS;LINK;PUBLIC")
  string(REPLACE "/" "_" suffix ${folder})
  set(library mehler_${suffix})
  set(directory ${PROJECT_SOURCE_DIR}/mehler/${folder})
  set(source_patterns ${directory}/*.cc)
  set(header_patterns ${directory}/*.h)
  foreach(subfolder IN LISTS stage_SUBFOLDERS)
    list(APPEND source_patterns ${directory}/${subfolder}/*.cc)
    list(APPEND header_patterns ${directory}/${subfolder}/*.h)
    set_property(GLOBAL PROPERTY MEHLER_STAGE_OF_${folder}/${subfolder} ${folder})
  endforeach()
  file(GLOB sources CONFIGURE_DEPENDS ${source_patterns})
  file(GLOB headers CONFIGURE_DEPENDS ${header_patterns})
  mehler_check_includes(${folder} "${stage_DEPENDS}" "${sources};${headers}")

  set(library_type "")
  if(stage_PROGRAM_ONLY)
    set(library_type STATIC)
  endif()
  add_library(${library} ${library_type} ${sources})
  add_library(mehler::${suffix} ALIAS ${library})
  list(TRANSFORM stage_PUBLIC PREPEND ${directory}/)
  foreach(header IN LISTS stage_PUBLIC)
    if(NOT header IN_LIST headers)
      message(FATAL_ERROR "mehler_stage(${folder} PUBLIC ...) names ${header}, which is not there")
    endif()
  endforeach()
  set(internal_headers ${headers})
  list(REMOVE_ITEM internal_headers ${stage_PUBLIC})
  target_sources(${library} PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR} FILES ${stage_PUBLIC})
  target_include_directories(${library} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>)
  add_library(${library}_internals INTERFACE)
  target_sources(${library}_internals INTERFACE FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}
    FILES ${internal_headers})
  target_link_libraries(${library}_internals INTERFACE ${library} fmt::fmt ${stage_LINK})
  set_property(GLOBAL APPEND PROPERTY MEHLER_HEADERS ${headers})
  target_compile_features(${library} PUBLIC cxx_std_20)
  target_include_directories(${library} PUBLIC $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/generated>)
  foreach(dependency IN LISTS stage_DEPENDS)
    string(REPLACE "/" "_" dependency_suffix ${dependency})
    target_link_libraries(${library} PUBLIC mehler_${dependency_suffix})
  endforeach()
  target_link_libraries(${library}
    PUBLIC Threads::Threads
    PRIVATE fmt::fmt ${stage_LINK} $<BUILD_INTERFACE:mehler_compile_options>
            $<$<BOOL:${stage_EACH_FILE_ALONE}>:$<BUILD_INTERFACE:mehler_highway_options>>)
  set_target_properties(${library} PROPERTIES
    EXPORT_NAME ${suffix} INSTALL_RPATH "$ORIGIN;$ORIGIN/mehler")
  if(MEHLER_UNITY_BUILD AND NOT stage_EACH_FILE_ALONE)
    set_target_properties(${library} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 10)
  endif()
  if(NOT stage_PROGRAM_ONLY)
    set_property(GLOBAL APPEND PROPERTY MEHLER_STAGE_LIBRARIES ${library})
  endif()
endfunction()
