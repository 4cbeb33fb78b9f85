# SPDX-License-Identifier: Apache-2.0
# gantry_add_plugin(): the one way to build a plugin, inside this tree and, through
# find_package(Gantry), outside it.
#
#   gantry_add_plugin(<name> [PLATFORM] [TEST_ONLY]
#     SOURCES <file>…        src/plugin.cpp (or .c) wires; every other file holds behaviour
#     [LIBS <target>…]       what the sources need; reaches the tests through <name>_core
#     [MANIFEST <file>])     default: plugin.yaml beside the CMakeLists.txt
#
# Targets:  <name>_core  object library of every source but plugin.cpp; tests link this
#           <name>       the module <name>.so, put with its manifest into lib/gantry/plugins/<name>/
# PLATFORM marks operating-system adapters: they are installed as the component 'platform_plugins'.
# TEST_ONLY puts the plugin into tests/plugins/<name>/ of the build tree and never installs it.
#
# Linking: only gantry_plugin_entry is exported; -fno-gnu-unique, because GCC's unique symbols would be
# shared between plugins and outlive a failed load; -z nodelete, because code is never unloaded; -z defs,
# because a missing symbol must fail the build and not the start.

set(GANTRY_CMAKE_DIR "${CMAKE_CURRENT_LIST_DIR}")

function(_gantry_plugin_flags target)
  set_target_properties(${target} PROPERTIES
    C_VISIBILITY_PRESET hidden CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
    POSITION_INDEPENDENT_CODE ON)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fno-gnu-unique>)
  endif()
endfunction()

function(_gantry_plugin_module name manifest component)
  cmake_parse_arguments(PARSE_ARGV 3 arg "" "" "SOURCES;LIBS")
  set(out_root "${GANTRY_PLUGIN_OUTPUT_DIR}")
  if(component STREQUAL "none")
    set(out_root "${CMAKE_BINARY_DIR}/tests/plugins")
  elseif(NOT out_root)
    set(out_root "${CMAKE_BINARY_DIR}/lib/gantry/plugins")
  endif()
  set(out_dir "${out_root}/${name}")
  add_custom_command(OUTPUT "${out_dir}/plugin.yaml"
    COMMAND "${CMAKE_COMMAND}" -E copy "${manifest}" "${out_dir}/plugin.yaml"
    DEPENDS "${manifest}" COMMENT "Manifest of ${name}" VERBATIM)

  add_library(${name} MODULE ${arg_SOURCES} "${out_dir}/plugin.yaml")
  _gantry_plugin_flags(${name})
  set(version_script "${GANTRY_CMAKE_DIR}/gantry_plugin.map")
  set_target_properties(${name} PROPERTIES PREFIX "" OUTPUT_NAME "${name}"
    LIBRARY_OUTPUT_DIRECTORY "${out_dir}" LINK_DEPENDS "${version_script}")
  target_link_libraries(${name} PRIVATE ${arg_LIBS})
  target_link_options(${name} PRIVATE "LINKER:--version-script=${version_script}"
    "LINKER:-z,nodelete" "LINKER:-z,now" "LINKER:-z,relro")
  if(NOT (GANTRY_SANITIZE AND CMAKE_CXX_COMPILER_ID MATCHES "Clang"))
    # Clang's sanitizer runtime lives in the executable and is undefined in every module.
    target_link_options(${name} PRIVATE "LINKER:-z,defs")
  endif()
  if(component STREQUAL "none")
    return()
  endif()
  if(TARGET runtime)
    add_dependencies(runtime ${name})
  endif()
  install(TARGETS ${name} LIBRARY DESTINATION "lib/gantry/plugins/${name}" COMPONENT ${component})
  install(FILES "${manifest}" RENAME plugin.yaml
          DESTINATION "lib/gantry/plugins/${name}" COMPONENT ${component})
  cmake_path(REPLACE_FILENAME manifest README.md OUTPUT_VARIABLE readme)
  if(EXISTS "${readme}")  # its operator has no source tree
    install(FILES "${readme}" DESTINATION "lib/gantry/plugins/${name}" COMPONENT ${component})
  endif()
endfunction()

function(gantry_add_plugin name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "PLATFORM;TEST_ONLY" "MANIFEST" "SOURCES;LIBS")
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_SOURCES)
    message(FATAL_ERROR "gantry_add_plugin(${name}): expected [PLATFORM] [TEST_ONLY] SOURCES … [LIBS …] "
                        "[MANIFEST …], found '${ARGN}'")
  endif()
  if(NOT arg_MANIFEST)
    set(arg_MANIFEST plugin.yaml)
  endif()
  cmake_path(ABSOLUTE_PATH arg_MANIFEST BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" NORMALIZE)
  set(component plugins)
  if(arg_PLATFORM)
    set(component platform_plugins)
  elseif(arg_TEST_ONLY)
    set(component none)
  endif()

  set(core_sources ${arg_SOURCES})
  list(FILTER core_sources EXCLUDE REGEX "(^|/)plugin\\.(c|cc|cpp|cxx)$")
  set(entry_sources ${arg_SOURCES})
  list(FILTER entry_sources INCLUDE REGEX "(^|/)plugin\\.(c|cc|cpp|cxx)$")
  set(cpp_sources ${arg_SOURCES})
  list(FILTER cpp_sources EXCLUDE REGEX "\\.c$")

  set(sdk_libs)
  if(TARGET gantry_sdk)
    list(APPEND sdk_libs gantry_sdk)
  endif()
  if(cpp_sources AND TARGET gantry_contracts)  # the codecs are C++; a C plugin talks JSON
    list(APPEND sdk_libs gantry_contracts)
  endif()

  if(core_sources)
    add_library(${name}_core OBJECT ${core_sources})
    _gantry_plugin_flags(${name}_core)
    if(IS_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}/src")
      target_include_directories(${name}_core PUBLIC "${CMAKE_CURRENT_SOURCE_DIR}/src")
    endif()
    target_link_libraries(${name}_core PUBLIC ${sdk_libs} ${arg_LIBS})
  endif()

  if(NOT entry_sources AND GANTRY_IN_TREE)
    message(WARNING "gantry_add_plugin(${name}): no plugin.cpp among the sources, so no ${name}.so")
  elseif(NOT EXISTS "${arg_MANIFEST}")
    message(FATAL_ERROR "gantry_add_plugin(${name}): there is no manifest ${arg_MANIFEST}")
  elseif(core_sources)
    _gantry_plugin_module(${name} "${arg_MANIFEST}" ${component}
      SOURCES ${entry_sources} LIBS ${name}_core)
  else()
    _gantry_plugin_module(${name} "${arg_MANIFEST}" ${component}
      SOURCES ${entry_sources} LIBS ${sdk_libs} ${arg_LIBS})
  endif()
endfunction()
