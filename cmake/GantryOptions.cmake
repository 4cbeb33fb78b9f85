# SPDX-License-Identifier: Apache-2.0
# The switches of a Gantry build, and the output folders that follow from the layout in the root file.

set(GANTRY_PLUGINS "" CACHE STRING
    "Plugin folders to build, separated by ';' (empty: every one; 'none': not one)")
set(GANTRY_TEST_DIRS "" CACHE STRING
    "Folders of tests/ to build, separated by ';' (empty: every one; 'none': not one)")
set(GANTRY_SANITIZE "" CACHE STRING
    "Sanitizers as -fsanitize takes them: 'address,undefined' or 'thread' (empty: none)")
option(GANTRY_COVERAGE "Instrument for gcov" OFF)
option(GANTRY_FUZZ "Build fuzzers with libFuzzer (clang only); otherwise they replay their corpus" OFF)
option(GANTRY_TESTS "Build tests" ON)
option(GANTRY_BENCHMARKS "Define benchmark targets (built by the target 'benchmarks')" ON)
option(GANTRY_WERROR "Treat warnings in Gantry's own code as errors" ON)
option(GANTRY_CCACHE "Compile through ccache when it is installed" ON)
option(GANTRY_FAST_LINKER "Link with mold or lld when one is installed" ON)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug, Release or RelWithDebInfo" FORCE)
endif()
if(GANTRY_FUZZ AND NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  message(FATAL_ERROR "GANTRY_FUZZ needs clang (libFuzzer), but the C++ compiler is "
                      "${CMAKE_CXX_COMPILER_ID}. Use: cmake --preset fuzz")
endif()

set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
set(GANTRY_PLUGIN_OUTPUT_DIR "${PROJECT_BINARY_DIR}/lib/gantry/plugins")
set(GANTRY_TEST_OUTPUT_DIR "${PROJECT_BINARY_DIR}/tests")
set(GANTRY_FUZZ_OUTPUT_DIR "${PROJECT_BINARY_DIR}/fuzz")
set(GANTRY_BENCH_OUTPUT_DIR "${PROJECT_BINARY_DIR}/bench")

# One rule finds the configuration in a build tree and in a prefix: <exe>/../share/gantry/config.
file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/share/gantry")
file(CREATE_LINK "${PROJECT_SOURCE_DIR}/config" "${PROJECT_BINARY_DIR}/share/gantry/config" SYMBOLIC)

# gantry_add_folders(<dir> FILTER <names>): adds <dir>/<name> for each folder with a CMakeLists.txt.
# The filter builds some of them without waiting for the rest. Sorted, so that builds agree.
function(gantry_add_folders dir)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "FILTER")
  if(arg_FILTER)
    set(names ${arg_FILTER})
  else()
    file(GLOB lists CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}/${dir}"
         "${PROJECT_SOURCE_DIR}/${dir}/*/CMakeLists.txt")
    list(TRANSFORM lists REPLACE "/CMakeLists.txt$" "" OUTPUT_VARIABLE names)
    list(SORT names)
  endif()
  foreach(name IN LISTS names)
    if(EXISTS "${PROJECT_SOURCE_DIR}/${dir}/${name}/CMakeLists.txt")
      add_subdirectory("${PROJECT_SOURCE_DIR}/${dir}/${name}" "${PROJECT_BINARY_DIR}/obj/${dir}/${name}")
    endif()
  endforeach()
endfunction()
