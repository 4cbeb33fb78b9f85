# SPDX-License-Identifier: Apache-2.0
# Packages that more than one folder uses, looked up once. What only one plugin needs, that plugin finds
# itself with pkg_check_modules(… IMPORTED_TARGET …), so that removing the plugin removes the dependency.

# pthread comes with glibc 2.34 and later; the flag is asked for so that older toolchains agree.
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
find_package(Boost 1.81 CONFIG REQUIRED COMPONENTS json filesystem)  # json; DLL uses filesystem
find_package(Poco 1.11 CONFIG REQUIRED COMPONENTS Foundation Net NetSSL Util JSON)
find_package(yaml-cpp 0.7 CONFIG REQUIRED)
find_package(fmt 9 CONFIG REQUIRED)
find_package(OpenSSL 3 REQUIRED)
find_package(ZLIB REQUIRED)
if(GANTRY_TESTS)
  find_package(Catch2 2.13 CONFIG REQUIRED)
endif()
if(GANTRY_BENCHMARKS)
  find_package(benchmark CONFIG REQUIRED)
endif()
