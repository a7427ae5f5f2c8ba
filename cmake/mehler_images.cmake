# What images are read and written with: libpng and zlib, from the system.
foreach(library IN ITEMS png z)
  string(REPLACE "z" "zlib" header ${library})
  find_library(MEHLER_LIBRARY_${library} ${library})
  find_path(MEHLER_HEADER_${library} ${header}.h)
  mark_as_advanced(MEHLER_LIBRARY_${library} MEHLER_HEADER_${library})
  if(NOT MEHLER_LIBRARY_${library} OR NOT MEHLER_HEADER_${library})
    message(FATAL_ERROR "lib${library} was not found, with which images are read and written. "
      "Run scripts/install-dependencies, install libpng-dev and zlib1g-dev, "
      "or build the library alone with -DMEHLER_FILES=OFF.")
  endif()
endforeach()
