// SPDX-License-Identifier: Apache-2.0
//
// The C interface of ONNX Runtime without its header: a table of functions that only ever grows at
// its end, so that a place in it says which function it is.
#pragma once

#include <gantry/result.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

namespace gantry::onnx {

/// The places of the functions that are used.
enum class Entry : std::size_t {
  GetErrorMessage = 2,
  CreateEnv = 3,
  CreateSession = 7,
  Run = 9,
  CreateSessionOptions = 10,
  DisableMemPattern = 17,
  DisableCpuMemArena = 19,
  SetIntraOpNumThreads = 24,
  SetInterOpNumThreads = 25,
  SessionGetInputCount = 30,
  SessionGetOutputCount = 31,
  SessionGetInputName = 36,
  SessionGetOutputName = 37,
  CreateTensorWithDataAsOrtValue = 49,
  GetTensorMutableData = 51,
  GetTensorElementType = 60,
  GetDimensionsCount = 61,
  GetDimensions = 62,
  GetTensorTypeAndShape = 65,
  CreateCpuMemoryInfo = 69,
  AllocatorFree = 76,
  GetAllocatorWithDefaultOptions = 78,
  ReleaseStatus = 93,
  ReleaseMemoryInfo = 94,
  ReleaseSession = 95,
  ReleaseValue = 96,
  ReleaseTensorTypeAndShapeInfo = 99,
  ReleaseSessionOptions = 100,
  AddSessionConfigEntry = 130,
};

/// Types of numbers, as ONNX counts them.
enum Element : int { kFloat = 1, kInt32 = 6, kInt64 = 7 };

using Status = void;

/// Lives as long as the process: the library is never closed.
struct Api {
  const void* const* table = nullptr;
  void* env = nullptr;
  std::string version;

  /// Calls a function that answers with a status; that is the error.
  template <class... Args>
  Result<void> call(Entry entry, Args... args) const {
    using Function = Status* (*)(Args...);
    return checked(reinterpret_cast<Function>(at(entry))(args...));
  }
  /// Calls one of the Release functions.
  void release(Entry entry, void* what) const {
    if (what != nullptr) reinterpret_cast<void (*)(void*)>(at(entry))(what);
  }

 private:
  [[nodiscard]] void* at(Entry entry) const {
    return const_cast<void*>(table[static_cast<std::size_t>(entry)]);
  }
  Result<void> checked(Status* status) const;
};

/// The table of the library, which is opened the first time. Errors: unavailable.
Result<const Api*> api_of(const std::filesystem::path& library);

/// Nobody but the user or the system can have written the file. Errors: unavailable.
Result<void> check_file(const std::filesystem::path& file, const std::string& cure);

}  // namespace gantry::onnx
