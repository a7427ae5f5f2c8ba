# cmake --install: bin/mehler, the stage libraries and headers, find_package(mehler), and beside them the Arrow
# libraries that the file readers load. Everything is found relative to the tree, which can be moved as a whole.
include(CMakePackageConfigHelpers)

get_property(stage_libraries GLOBAL PROPERTY MEHLER_STAGE_LIBRARIES)
set(config_directory ${CMAKE_INSTALL_LIBDIR}/cmake/mehler)

install(TARGETS ${stage_libraries} mehler EXPORT mehler_targets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES ${PROJECT_BINARY_DIR}/generated/mehler/core/version.h
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/mehler/core)
if(MEHLER_CLI)
  install(TARGETS mehler_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
if(MEHLER_FILES)
  install(TARGETS mehler_arrow EXPORT mehler_targets)
  install(FILES ${MEHLER_ARROW_RUNTIME} DESTINATION ${CMAKE_INSTALL_LIBDIR}/mehler)
endif()
install(EXPORT mehler_targets FILE mehler-targets.cmake NAMESPACE mehler:: DESTINATION ${config_directory})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/mehler-config.cmake.in
  ${PROJECT_BINARY_DIR}/mehler-config.cmake INSTALL_DESTINATION ${config_directory})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/mehler-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/mehler-config.cmake ${PROJECT_BINARY_DIR}/mehler-config-version.cmake
  DESTINATION ${config_directory})
install(FILES ${PROJECT_SOURCE_DIR}/docs/mehler-schema.json ${PROJECT_SOURCE_DIR}/LICENSE
  DESTINATION ${CMAKE_INSTALL_DATADIR}/mehler)
