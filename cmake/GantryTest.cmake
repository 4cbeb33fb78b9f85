# SPDX-License-Identifier: Apache-2.0
# Tests, fuzzers and benchmarks of this tree.
#
#   gantry_add_test(<name> SOURCES <file>… [LIBS <target>…] [LABELS <label>…]
#                   [TIMEOUT <seconds>] [ENVIRONMENT <VAR=value>…] [ARGS <arg>…] [NO_MAIN])
#     A Catch2 executable (NO_MAIN: the sources bring main) registered in ctest under <name>.
#     Labels: unit (default), contract, conformance, integration, desktop. A test labelled desktop runs
#     in a private desktop: the one that tools/test has opened, else one of its own. Exit code 77 skips.
#
#   gantry_add_fuzzer(<name> SOURCES <file>… [LIBS <target>…] [CORPUS <dir>] [DICT <file>])
#     A libFuzzer target (LLVMFuzzerTestOneInput) in builds with GANTRY_FUZZ. In every other build the
#     same source replays its corpus as a test labelled unit, so that fixed crashes stay fixed.
#
#   gantry_add_benchmark(<name> SOURCES <file>… [LIBS <target>…])
#     A Google Benchmark executable, built by the target 'benchmarks' and not by 'all'.

if(GANTRY_TESTS)
  enable_testing()
endif()
add_custom_target(benchmarks COMMENT "All benchmarks are built")
add_custom_target(fuzzers COMMENT "All fuzzers are built")

set(_gantry_sanitizer_env "")
if(GANTRY_SANITIZE)
  string(CONCAT _gantry_asan "ASAN_OPTIONS=detect_stack_use_after_return=1:strict_string_checks=1:"
                             "check_initialization_order=1:detect_leaks=1")
  set(_gantry_sanitizer_env
      "${_gantry_asan}"
      "UBSAN_OPTIONS=print_stacktrace=1"
      "LSAN_OPTIONS=suppressions=${CMAKE_CURRENT_LIST_DIR}/sanitizers/leak.supp:print_suppressions=0"
      "TSAN_OPTIONS=second_deadlock_stack=1:suppressions=${CMAKE_CURRENT_LIST_DIR}/sanitizers/thread.supp")
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    # Its runtime names functions, which suppressions go by, only with this program's help.
    find_program(GANTRY_SYMBOLIZER NAMES llvm-symbolizer-16 llvm-symbolizer)
    mark_as_advanced(GANTRY_SYMBOLIZER)
    list(APPEND _gantry_sanitizer_env "ASAN_SYMBOLIZER_PATH=${GANTRY_SYMBOLIZER}")
  endif()
endif()

function(_gantry_register_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "TIMEOUT" "COMMAND;LABELS;ENVIRONMENT")
  if("desktop" IN_LIST arg_LABELS)
    list(PREPEND arg_COMMAND "${PROJECT_SOURCE_DIR}/tools/desktop-session" --reuse --)
  endif()
  add_test(NAME ${name} COMMAND ${arg_COMMAND})
  set_tests_properties(${name} PROPERTIES LABELS "${arg_LABELS}" TIMEOUT "${arg_TIMEOUT}"
    SKIP_RETURN_CODE 77
    ENVIRONMENT "${_gantry_sanitizer_env};GANTRY_BUILD_DIR=${PROJECT_BINARY_DIR};GANTRY_SOURCE_DIR=${PROJECT_SOURCE_DIR};${arg_ENVIRONMENT}")
  if("desktop" IN_LIST arg_LABELS)
    set_tests_properties(${name} PROPERTIES RESOURCE_LOCK display)  # one pointer, one keyboard focus
  endif()
endfunction()

function(gantry_add_test name)
  if(NOT GANTRY_TESTS)
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 1 arg "NO_MAIN" "TIMEOUT" "SOURCES;LIBS;LABELS;ENVIRONMENT;ARGS")
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_SOURCES)
    message(FATAL_ERROR "gantry_add_test(${name}): expected SOURCES … [LIBS …] [LABELS …] "
                        "[TIMEOUT s] [ENVIRONMENT …] [ARGS …] [NO_MAIN], found '${ARGN}'")
  endif()
  if(NOT arg_LABELS)
    set(arg_LABELS unit)
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 300)  # under a sanitizer on a busy machine
  endif()
  add_executable(${name} ${arg_SOURCES})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${GANTRY_TEST_OUTPUT_DIR}")
  # What is tested is optimized; the assertions around it only take twice as long to compile when they are.
  target_compile_options(${name} PRIVATE -O0 -U_FORTIFY_SOURCE)
  target_link_libraries(${name} PRIVATE ${arg_LIBS} Threads::Threads)
  if(NOT arg_NO_MAIN)
    target_link_libraries(${name} PRIVATE Catch2::Catch2WithMain)
    list(PREPEND arg_ARGS --warn NoAssertions)  # a case that checks nothing is a failure
  endif()
  _gantry_register_test(${name} COMMAND "$<TARGET_FILE:${name}>" ${arg_ARGS}
    LABELS ${arg_LABELS} TIMEOUT ${arg_TIMEOUT} ENVIRONMENT ${arg_ENVIRONMENT})
endfunction()

function(gantry_add_fuzzer name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "CORPUS;DICT" "SOURCES;LIBS")
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_SOURCES)
    message(FATAL_ERROR "gantry_add_fuzzer(${name}): expected SOURCES … [LIBS …] [CORPUS dir] "
                        "[DICT file], found '${ARGN}'")
  endif()
  if(NOT GANTRY_TESTS OR NOT (GANTRY_FUZZ OR arg_CORPUS))
    return()
  endif()
  foreach(path arg_CORPUS arg_DICT)
    if(${path})
      cmake_path(ABSOLUTE_PATH ${path} BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" NORMALIZE)
    endif()
  endforeach()
  add_executable(${name} ${arg_SOURCES})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${GANTRY_FUZZ_OUTPUT_DIR}")
  target_link_libraries(${name} PRIVATE ${arg_LIBS} Threads::Threads)
  if(GANTRY_FUZZ)
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
    add_dependencies(fuzzers ${name})
    # tools/test reads this list: name, seed corpus, dictionary.
    set_property(GLOBAL APPEND_STRING PROPERTY GANTRY_FUZZERS "${name}\t${arg_CORPUS}\t${arg_DICT}\n")
    set(replay -runs=0)
  else()
    target_sources(${name} PRIVATE "${PROJECT_SOURCE_DIR}/cmake/fuzz_replay_main.cpp")
    set(replay "")
  endif()
  if(arg_CORPUS)
    _gantry_register_test(${name}_replay COMMAND "$<TARGET_FILE:${name}>" ${replay} "${arg_CORPUS}"
      LABELS unit TIMEOUT 300)
  endif()
endfunction()

function(gantry_add_benchmark name)
  if(NOT GANTRY_BENCHMARKS)
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LIBS")
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_SOURCES)
    message(FATAL_ERROR "gantry_add_benchmark(${name}): expected SOURCES … [LIBS …], found '${ARGN}'")
  endif()
  add_executable(${name} EXCLUDE_FROM_ALL ${arg_SOURCES})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${GANTRY_BENCH_OUTPUT_DIR}")
  target_link_libraries(${name} PRIVATE ${arg_LIBS} benchmark::benchmark benchmark::benchmark_main
    Threads::Threads)
  add_dependencies(benchmarks ${name})
endfunction()
