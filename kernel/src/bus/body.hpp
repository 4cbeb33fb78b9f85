// SPDX-License-Identifier: Apache-2.0
//
// The kernel's own handling of bodies, buffers and errors of the C ABI.
#pragma once

#include <gantry/abi/body.h>

#include <string>
#include <string_view>
#include <utility>

namespace gantry::kernel {

// One reference to a message body, or none.
class BodyRef {
 public:
  BodyRef() = default;
  // Adds a reference.
  static BodyRef share(const gantry_body* body) {
    if (body != nullptr && body->retain != nullptr) body->retain(body->owner);
    return adopt(body);
  }
  static BodyRef adopt(const gantry_body* body) {
    BodyRef ref;
    ref.body_ = body;
    return ref;
  }
  BodyRef(BodyRef&& other) noexcept : body_(std::exchange(other.body_, nullptr)) {}
  BodyRef& operator=(BodyRef&& other) noexcept {
    std::swap(body_, other.body_);
    return *this;
  }
  ~BodyRef() {
    if (body_ != nullptr && body_->release != nullptr) body_->release(body_->owner);
  }
  const gantry_body* get() const { return body_; }
  explicit operator bool() const { return body_ != nullptr; }

 private:
  const gantry_body* body_ = nullptr;
};

// Roughly the bytes that keeping the body costs; a guess when its type throws.
std::size_t body_weight(const gantry_body* body);
// A body that is only JSON text.
BodyRef make_json_body(std::string text);
// The JSON text of any body. GANTRY_UNIMPLEMENTED: its type cannot encode; GANTRY_INTERNAL: it
// threw.
gantry_status body_json(const gantry_body* body, gantry_buf* out);

// Shared bytes that hold `text`.
gantry_buf make_buf(std::string text);
void release_buf(gantry_buf& buf);

inline std::string_view view(gantry_str text) { return {text.data, text.size}; }
inline std::string_view view(const gantry_buf& buf) {
  return {reinterpret_cast<const char*>(buf.data), buf.size};
}
inline gantry_str to_str(std::string_view text) { return {text.data(), text.size()}; }

// A failure that the kernel keeps: owned text.
struct Failure {
  gantry_status code = GANTRY_OK;
  std::string message;
  std::string detail;  // a JSON object, or empty

  static Failure copy(gantry_status code, const gantry_error* error);
  // For a callback: borrowed, valid as long as this Failure.
  gantry_error borrow() const;
  // For an out-parameter (may be nullptr): the caller releases. Returns the code.
  gantry_status give(gantry_error* out) const;
};

// A string as a JSON string literal, quotes included.
std::string json_quote(std::string_view text);

}  // namespace gantry::kernel
