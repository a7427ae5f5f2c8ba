# Finds LibTorch for the tests that compare with it: LibTorch::LibTorch, LibTorch_FOUND. The engine never links it.
#
# By its files and not by its own CMake package, which also looks for libraries that the comparison does not need (protobuf, glog, CUDA) and
# stops the configure step where one is missing; an optional test may not stop a build. -DCMAKE_DISABLE_FIND_PACKAGE_LibTorch=ON leaves it out.
find_path(LibTorch_INCLUDE_DIR ATen/ATen.h)
find_path(LibTorch_API_INCLUDE_DIR torch/types.h PATH_SUFFIXES torch/csrc/api/include)
find_library(LibTorch_CPU_LIBRARY torch_cpu)
find_library(LibTorch_CORE_LIBRARY c10)
mark_as_advanced(LibTorch_INCLUDE_DIR LibTorch_API_INCLUDE_DIR LibTorch_CPU_LIBRARY LibTorch_CORE_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(LibTorch REQUIRED_VARS
  LibTorch_CPU_LIBRARY LibTorch_CORE_LIBRARY LibTorch_INCLUDE_DIR LibTorch_API_INCLUDE_DIR)

if(LibTorch_FOUND AND NOT TARGET LibTorch::LibTorch)
  # Imported, so its headers are the system's: what they warn of is not our error.
  add_library(LibTorch::LibTorch INTERFACE IMPORTED)
  target_include_directories(LibTorch::LibTorch INTERFACE ${LibTorch_INCLUDE_DIR} ${LibTorch_API_INCLUDE_DIR})
  target_link_libraries(LibTorch::LibTorch INTERFACE ${LibTorch_CPU_LIBRARY} ${LibTorch_CORE_LIBRARY})
endif()
