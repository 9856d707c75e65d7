# `cmake --install`: headers, the static libraries, the CMake package (dyad::dyad, dyad::report) and the program.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/dyad)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/dyad ${PROJECT_BINARY_DIR}/include/dyad
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h"
        PATTERN internal EXCLUDE)
install(TARGETS dyad dyad_report EXPORT dyad-targets)
install(EXPORT dyad-targets NAMESPACE dyad:: DESTINATION ${package_dir})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/dyad-config.cmake.in
  ${PROJECT_BINARY_DIR}/dyad-config.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/dyad-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/dyad-config.cmake ${PROJECT_BINARY_DIR}/dyad-config-version.cmake
        DESTINATION ${package_dir})
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
if(DYAD_BUILD_PROGRAM)
  install(TARGETS dyad_program)
endif()
