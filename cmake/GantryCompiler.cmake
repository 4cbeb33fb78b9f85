# SPDX-License-Identifier: Apache-2.0
# Language level, warnings, hardening, sanitizers, linker and compiler cache for everything in this tree.
#
# The flags are set for the whole tree instead of per target: all of it is our code, and third-party
# headers come from /usr/include or imported targets, which compilers treat as system headers.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

# Line tables are enough for stack traces and cost a third of the size and link time of full debug data.
set(CMAKE_C_FLAGS_RELEASE "-O2 -g1 -DNDEBUG")
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -g1 -DNDEBUG")

include(CheckCXXCompilerFlag)
include(CheckPIESupported)
check_pie_supported()

# --- warnings
add_compile_options(-Wall -Wextra -Wpedantic -Wconversion)
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  # GCC 12 is the reference compiler. Clang's -Wconversion also holds -Wsign-conversion, GCC's does not.
  add_compile_options(-Wno-sign-conversion)
elseif(CMAKE_UNITY_BUILD)
  # A file of a unity build is included, so that GCC takes it for a header and its unnamed namespaces
  # for a mistake there. Builds without unity keep the warning.
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-Wno-subobject-linkage>)
endif()
if(GANTRY_WERROR AND NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  add_compile_options(-Werror)
  if(GANTRY_SANITIZE OR GANTRY_COVERAGE)
    # Instrumented code confuses GCC's flow analysis; the plain builds still refuse these.
    add_compile_options(-Wno-error=maybe-uninitialized -Wno-error=stringop-overflow
                        -Wno-error=array-bounds -Wno-error=tsan)
  elseif(CMAKE_UNITY_BUILD)
    # So do functions inlined from all over a unity file.
    add_compile_options(-Wno-error=maybe-uninitialized -Wno-error=stringop-overflow
                        -Wno-error=stringop-overread -Wno-error=stringop-truncation
                        -Wno-error=array-bounds -Wno-error=restrict -Wno-error=dangling-pointer
                        -Wno-error=use-after-free -Wno-error=free-nonheap-object -Wno-error=nonnull)
  endif()
endif()

# --- hardening
add_compile_options(-fstack-protector-strong -fstack-clash-protection)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
  add_compile_options(-fcf-protection)
endif()
add_compile_definitions(_GLIBCXX_ASSERTIONS)
if(NOT GANTRY_SANITIZE AND NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
  # Fortify needs the optimizer, and would hide reads and writes from the sanitizers' own interceptors.
  add_compile_options(-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3)
endif()
add_link_options(-Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack -Wl,--as-needed)
if(CMAKE_BUILD_TYPE STREQUAL "Release")
  # A plugin links the codecs of whole contract files and uses few: a tenth of its text goes.
  add_link_options(-Wl,--gc-sections)
endif()

# --- instrumentation
if(GANTRY_SANITIZE)
  add_compile_options(-fsanitize=${GANTRY_SANITIZE} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${GANTRY_SANITIZE})
  if(GANTRY_SANITIZE MATCHES "undefined")
    # Without the checks of every access by pointer, which double the time to compile: AddressSanitizer sees
    # what goes through a null or wild one, and misaligned loads are legal where Gantry runs.
    add_compile_options(-fno-sanitize-recover=all -fno-sanitize=null,alignment,object-size,vptr)
    if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
      # Clang also asks whether a pointer to a function has its very type, which it cannot see across plugins.
      add_compile_options(-fno-sanitize=function)
    endif()
  endif()
endif()
if(GANTRY_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
if(GANTRY_COVERAGE)
  add_compile_options(--coverage -fprofile-update=atomic)
  add_link_options(--coverage)
endif()

# --- linker and cache: used when present, never required
if(GANTRY_FAST_LINKER)
  find_program(GANTRY_MOLD mold)
  find_program(GANTRY_LLD NAMES ld.lld ld.lld-16)
  mark_as_advanced(GANTRY_MOLD GANTRY_LLD)
  if(GANTRY_MOLD)
    add_link_options(-fuse-ld=mold)
  elseif(GANTRY_LLD)
    add_link_options(-fuse-ld=lld)
  endif()
endif()
find_program(GANTRY_CCACHE_PROGRAM ccache)
mark_as_advanced(GANTRY_CCACHE_PROGRAM)
if(GANTRY_CCACHE AND GANTRY_CCACHE_PROGRAM)
  foreach(language C CXX)
    if(NOT CMAKE_${language}_COMPILER_LAUNCHER)
      set(CMAKE_${language}_COMPILER_LAUNCHER "${GANTRY_CCACHE_PROGRAM}")
    endif()
  endforeach()
endif()
