# What Excel workbooks are read with: libzip and Expat, from the system. (Debian's configuration file of libzip asks for
# its tools too, so the libraries are looked for by name.)
foreach(library IN ITEMS zip expat)
  find_library(MEHLER_LIBRARY_${library} ${library})
  find_path(MEHLER_HEADER_${library} ${library}.h)
  mark_as_advanced(MEHLER_LIBRARY_${library} MEHLER_HEADER_${library})
  if(NOT MEHLER_LIBRARY_${library} OR NOT MEHLER_HEADER_${library})
    message(FATAL_ERROR "lib${library} was not found, with which Excel workbooks are read. "
      "Run scripts/install-dependencies, install libzip-dev and libexpat1-dev, "
      "or build the library alone with -DMEHLER_FILES=OFF.")
  endif()
endforeach()
