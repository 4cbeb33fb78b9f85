// SPDX-License-Identifier: Apache-2.0
#pragma once
// How a worker lives on, whatever a picture or a library does.

#include <gantry/result.hpp>

#include <fmt/format.h>

#include <opencv2/core.hpp>

#include <exception>
#include <new>
#include <optional>

namespace gantry::ocr {

/// What a request ends with whose caller has gone.
inline Error gone() {
  return {Code::Cancelled, "the caller gave up, or its deadline passed, before all was read", {}};
}

/// Runs it; what it throws is an error. A worker must live on: it counts, and others wait for it.
template <class Work>
std::optional<Error> caught(Work&& work) {
  const auto no_memory = [] {
    return Error{Code::ResourceExhausted, "there is not enough memory to read this picture", {}};
  };
  try {
    work();
    return std::nullopt;
  } catch (const std::bad_alloc&) {
    return no_memory();
  } catch (const cv::Exception& failure) {
    if (failure.code == cv::Error::StsNoMem) return no_memory();
    return Error{Code::Internal, "reading this picture failed: " + failure.err, {}};
  } catch (const std::exception& failure) {
    return Error{
        Code::Internal, fmt::format("reading this picture failed: {}", failure.what()), {}};
  }
}

}  // namespace gantry::ocr
