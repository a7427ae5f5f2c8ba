# Arrow C++ from the pyarrow wheel of a Python environment: headers, libarrow and libparquet.
#
# MEHLER_PYTHON names the interpreter that has pyarrow; the default is the .venv that ./quickstart and ./test make.
if(NOT MEHLER_PYTHON)
  set(MEHLER_PYTHON ${PROJECT_SOURCE_DIR}/.venv/bin/python)
endif()
execute_process(
  COMMAND ${MEHLER_PYTHON} -c
    "import pyarrow; print(pyarrow.get_include(), pyarrow.get_library_dirs()[0], pyarrow.__version__, sep=';')"
  OUTPUT_VARIABLE pyarrow_facts OUTPUT_STRIP_TRAILING_WHITESPACE
  RESULT_VARIABLE pyarrow_result ERROR_VARIABLE pyarrow_error)
if(NOT pyarrow_result EQUAL 0)
  message(FATAL_ERROR "pyarrow was not found with ${MEHLER_PYTHON}: ${pyarrow_error}\n"
    "Run scripts/install-dependencies, pass -DMEHLER_PYTHON=<python with pyarrow>, "
    "or build the library alone with -DMEHLER_FILES=OFF.")
endif()
list(GET pyarrow_facts 0 arrow_include)
list(GET pyarrow_facts 1 arrow_directory)
list(GET pyarrow_facts 2 arrow_version)
message(STATUS "Arrow C++ ${arrow_version} from ${arrow_directory}")

set(MEHLER_ARROW_RUNTIME "")
add_library(mehler_arrow INTERFACE)
target_include_directories(mehler_arrow SYSTEM INTERFACE $<BUILD_INTERFACE:${arrow_include}>)
foreach(name IN ITEMS parquet arrow)
  file(GLOB shared_library ${arrow_directory}/lib${name}.so.*)
  list(GET shared_library 0 shared_library)
  target_link_libraries(mehler_arrow INTERFACE $<BUILD_INTERFACE:${shared_library}>)
  list(APPEND MEHLER_ARROW_RUNTIME ${shared_library})
endforeach()
