// SPDX-License-Identifier: Apache-2.0
#include "bus/body.hpp"

#include "exec/ref.hpp"

#include <cstdio>

namespace gantry::kernel {

namespace {

struct SharedText : RefCounted {
  explicit SharedText(std::string content) : text(std::move(content)) {}
  std::string text;
};

struct JsonBody final : SharedText {
  explicit JsonBody(std::string content) : SharedText(std::move(content)) {
    body.size = sizeof(gantry_body);
    body.json = to_str(text);
    body.owner = static_cast<SharedText*>(this);
    body.retain = [](void* owner) { static_cast<SharedText*>(owner)->retain(); };
    body.release = [](void* owner) { static_cast<SharedText*>(owner)->release(); };
  }
  gantry_body body{};
};

// A type's functions are its plugin's code, and run here on whatever thread needs them.
template <class T, class F>
T guarded(T when_it_throws, F&& code) noexcept {
  try {
    return code();
  } catch (...) {
    return when_it_throws;
  }
}

}  // namespace

std::size_t body_weight(const gantry_body* body) {
  constexpr std::size_t kUnknown = sizeof(gantry_body);
  if (body == nullptr) return 0;
  if (body->object == nullptr) return body->json.size;
  if (body->type == nullptr || body->type->weight == nullptr) return kUnknown;
  return guarded(kUnknown, [body] { return body->type->weight(body->object); });
}

BodyRef make_json_body(std::string text) {
  return BodyRef::adopt(&(new JsonBody(std::move(text)))->body);
}

gantry_status body_json(const gantry_body* body, gantry_buf* out) {
  if (body == nullptr || out == nullptr) return GANTRY_INVALID_ARGUMENT;
  if (body->object == nullptr) {
    *out = make_buf(std::string(view(body->json)));
    return GANTRY_OK;
  }
  if (body->type == nullptr || body->type->encode == nullptr) return GANTRY_UNIMPLEMENTED;
  return guarded(gantry_status{GANTRY_INTERNAL},
                 [&] { return body->type->encode(body->object, out); });
}

gantry_buf make_buf(std::string text) {
  if (text.empty()) return {};
  auto* owner = new SharedText(std::move(text));
  gantry_buf buf{};
  buf.data = reinterpret_cast<const std::uint8_t*>(owner->text.data());
  buf.size = owner->text.size();
  buf.owner = owner;
  buf.retain = [](void* shared) { static_cast<SharedText*>(shared)->retain(); };
  buf.release = [](void* shared) { static_cast<SharedText*>(shared)->release(); };
  return buf;
}

void release_buf(gantry_buf& buf) {
  if (buf.release != nullptr) buf.release(buf.owner);
  buf = {};
}

Failure Failure::copy(gantry_status code, const gantry_error* error) {
  Failure failure;
  failure.code = code;
  if (error != nullptr) {
    failure.message = view(error->message);
    failure.detail = view(error->detail);
  }
  return failure;
}

gantry_error Failure::borrow() const {
  gantry_error error{};
  error.code = code;
  error.message.data = reinterpret_cast<const std::uint8_t*>(message.data());
  error.message.size = message.size();
  error.detail.data = reinterpret_cast<const std::uint8_t*>(detail.data());
  error.detail.size = detail.size();
  return error;
}

gantry_status Failure::give(gantry_error* out) const {
  if (out != nullptr) {
    *out = {};
    out->code = code;
    out->message = make_buf(message);
    out->detail = make_buf(detail);
  }
  return code;
}

std::string json_quote(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(c));
      quoted += escape;
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

}  // namespace gantry::kernel
