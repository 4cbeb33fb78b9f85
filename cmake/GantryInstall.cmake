# SPDX-License-Identifier: Apache-2.0
# cmake --install: the SDK, the codec sources, the CMake package and the configuration. The binary is
# installed by kernel/, each plugin by gantry_add_plugin().
#
# Codec sources are installed, not a compiled library: a plugin built outside the tree compiles them with
# its own compiler and standard library, so that no C++ ABI has to match.
include(CMakePackageConfigHelpers)

set(GANTRY_INSTALL_CMAKEDIR lib/cmake/Gantry)
set(GANTRY_INSTALL_INCLUDEDIR include)
set(GANTRY_INSTALL_CODECDIR share/gantry/sdk/codec)
set(GANTRY_INSTALL_TESTKITDIR share/gantry/sdk/testkit)

install(DIRECTORY sdk/include/ DESTINATION ${GANTRY_INSTALL_INCLUDEDIR} COMPONENT sdk OPTIONAL
        FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")
if(TARGET gantry_contracts)
  get_target_property(_contract_sources gantry_contracts SOURCES)
  get_target_property(_contract_dir gantry_contracts SOURCE_DIR)
  foreach(source IN LISTS _contract_sources)
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY "${_contract_dir}" NORMALIZE)
    install(FILES "${source}" DESTINATION ${GANTRY_INSTALL_CODECDIR} COMPONENT sdk)
  endforeach()
endif()
if(TARGET gantry_testkit)  # only the part that needs no kernel: sources, for the same reason
  install(DIRECTORY sdk/testkit/include/ DESTINATION ${GANTRY_INSTALL_INCLUDEDIR} COMPONENT sdk
          PATTERN kernel.hpp EXCLUDE PATTERN net_client.hpp EXCLUDE)
  get_target_property(_testkit_sources gantry_testkit SOURCES)
  get_target_property(_testkit_dir gantry_testkit SOURCE_DIR)
  foreach(source IN LISTS _testkit_sources)
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY "${_testkit_dir}" NORMALIZE)
    install(FILES "${source}" DESTINATION ${GANTRY_INSTALL_TESTKITDIR} COMPONENT sdk)
  endforeach()
endif()
if(EXISTS "${PROJECT_SOURCE_DIR}/sdk/template")
  install(DIRECTORY sdk/template/ DESTINATION share/gantry/sdk/template COMPONENT sdk)
  install(PROGRAMS tools/new-plugin RENAME gantry-new-plugin DESTINATION bin COMPONENT sdk)
endif()
if(EXISTS "${PROJECT_SOURCE_DIR}/config")
  install(DIRECTORY config/ DESTINATION share/gantry/config COMPONENT runtime USE_SOURCE_PERMISSIONS
          PATTERN systemd EXCLUDE)
  # The prefix is known when it is installed, and only then.
  install(CODE "
    foreach(unit gantry.service gantry-server.service)
      file(READ \"${PROJECT_SOURCE_DIR}/config/systemd/\${unit}\" text)
      string(REPLACE \"/usr/bin/gantry\" \"\${CMAKE_INSTALL_PREFIX}/bin/gantry\" text \"\${text}\")
      file(WRITE \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/share/gantry/config/systemd/\${unit}\"
           \"\${text}\")
    endforeach()" COMPONENT runtime)
endif()

configure_package_config_file(cmake/GantryConfig.cmake.in
  "${PROJECT_BINARY_DIR}/cmake/GantryConfig.cmake" INSTALL_DESTINATION ${GANTRY_INSTALL_CMAKEDIR}
  PATH_VARS GANTRY_INSTALL_INCLUDEDIR GANTRY_INSTALL_CODECDIR GANTRY_INSTALL_TESTKITDIR)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/cmake/GantryConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/cmake/GantryConfig.cmake"
              "${PROJECT_BINARY_DIR}/cmake/GantryConfigVersion.cmake"
              cmake/GantryPlugin.cmake cmake/gantry_plugin.map
        DESTINATION ${GANTRY_INSTALL_CMAKEDIR} COMPONENT sdk)
install(FILES LICENSE DESTINATION share/doc/gantry COMPONENT runtime)
install(DIRECTORY docs/ DESTINATION share/doc/gantry COMPONENT runtime)

# What tools/test needs to know about this build, without parsing CMake's own files.
get_property(_fuzzers GLOBAL PROPERTY GANTRY_FUZZERS)
file(GENERATE OUTPUT "${PROJECT_BINARY_DIR}/fuzzers.tsv" CONTENT "${_fuzzers}")
