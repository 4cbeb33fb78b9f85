// SPDX-License-Identifier: Apache-2.0
//
// Contracts: a versioned name with the types of its messages.
//
//   struct Echo {                                        // a call
//     static constexpr std::string_view kName = "example.echo/1";
//     static constexpr std::string_view kDoc = "Answers what it was asked.";
//     using Request = EchoRequest;                       // structs with BOOST_DESCRIBE_STRUCT
//     using Response = EchoResponse;
//   };
//
// An event has `Event`; a stream has `Opening`, `Down` (serving side to opening side) and `Up`.
// type_of<T>() is declared here and defined in codec.hpp; the standard contracts are instantiated
// once in sdk/src, a plugin's own types in one file of the plugin (see GANTRY_INSTANTIATE there).
#pragma once

#include <gantry/abi/bus.h>
#include <gantry/buffer.hpp>
#include <gantry/result.hpp>

#include <atomic>
#include <concepts>
#include <cstdint>
#include <string_view>
#include <utility>

namespace gantry {

/// FNV-1a 64 of a contract name: its id on the bus.
constexpr std::uint64_t contract_id(std::string_view name) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char c : name) {
    hash ^= static_cast<std::uint8_t>(c);
    hash *= 0x100000001b3ULL;
  }
  return hash;
}

/// The described type as this plugin sees it: codec, schema, layout hash. Static.
template <class T>
const gantry_type& type_of();

template <class C>
concept EventContract = requires {
  typename C::Event;
  C::kName;
};
template <class C>
concept CallContract = requires {
  typename C::Request;
  typename C::Response;
  C::kName;
};
template <class C>
concept StreamContract = requires {
  typename C::Opening;
  typename C::Down;
  typename C::Up;
  C::kName;
};

template <class C>
constexpr std::string_view contract_doc() {
  if constexpr (requires { C::kDoc; }) {
    return C::kDoc;
  } else {
    return {};
  }
}

/// The C description of a contract. Static.
template <class C>
const gantry_contract& contract_of() {
  static const gantry_contract description = [] {
    gantry_contract d{};
    d.size = sizeof d;
    d.name = to_str(C::kName);
    d.id = contract_id(C::kName);
    d.doc = to_str(contract_doc<C>());
    if constexpr (EventContract<C>) {
      d.kind = GANTRY_EVENT;
      d.first = &type_of<typename C::Event>();
    } else if constexpr (CallContract<C>) {
      d.kind = GANTRY_CALL;
      d.first = &type_of<typename C::Request>();
      d.second = &type_of<typename C::Response>();
    } else {
      static_assert(StreamContract<C>, "a contract is an event, a call or a stream");
      d.kind = GANTRY_STREAM;
      d.first = &type_of<typename C::Opening>();
      d.second = &type_of<typename C::Down>();
      d.third = &type_of<typename C::Up>();
    }
    return d;
  }();
  return description;
}

/// Shared ownership of an immutable message, read in place wherever it was made.
template <class T>
class Ref {
 public:
  Ref() = default;
  /// Takes over one reference of `body`, whose object has T's layout.
  static Ref adopt(const gantry_body* body) {
    Ref ref;
    ref.body_ = body;
    return ref;
  }
  Ref(const Ref& other) : body_(other.body_) {
    if (body_ != nullptr) body_->retain(body_->owner);
  }
  Ref(Ref&& other) noexcept : body_(std::exchange(other.body_, nullptr)) {}
  Ref& operator=(Ref other) noexcept {
    std::swap(body_, other.body_);
    return *this;
  }
  ~Ref() {
    if (body_ != nullptr) body_->release(body_->owner);
  }
  const T& operator*() const { return *static_cast<const T*>(body_->object); }
  const T* operator->() const { return static_cast<const T*>(body_->object); }
  explicit operator bool() const { return body_ != nullptr; }
  [[nodiscard]] const gantry_body* body() const { return body_; }

 private:
  const gantry_body* body_ = nullptr;
};

/// Makes a message body around `value`.
template <class T>
Ref<T> make_body(T value) {
  struct Holder {
    gantry_body body{};
    std::atomic<std::uint32_t> references{1};
    T value;
    explicit Holder(T v) : value(std::move(v)) {}
  };
  auto* holder = new Holder(std::move(value));
  holder->body.size = sizeof(gantry_body);
  holder->body.type = &type_of<T>();
  holder->body.object = &holder->value;
  holder->body.owner = holder;
  holder->body.retain = [](void* self) {
    static_cast<Holder*>(self)->references.fetch_add(1, std::memory_order_relaxed);
  };
  holder->body.release = [](void* self) {
    auto* h = static_cast<Holder*>(self);
    if (h->references.fetch_sub(1, std::memory_order_acq_rel) == 1) delete h;
  };
  return Ref<T>::adopt(&holder->body);
}

/// Takes one reference of a C error.
inline Error adopt_error(gantry_error error) {
  const Buffer message = Buffer::adopt(error.message);
  const Buffer detail = Buffer::adopt(error.detail);
  return {static_cast<Code>(error.code), std::string(message.text()), std::string(detail.text())};
}
inline Error share_error(gantry_status status, const gantry_error* error) {
  if (error == nullptr) return {static_cast<Code>(status), {}, {}};
  return {static_cast<Code>(status), std::string(Buffer::share(error->message).text()),
          std::string(Buffer::share(error->detail).text())};
}
/// The C form of an error; the caller (or whoever it is handed to) releases the buffers.
inline gantry_error export_error(const Error& error) {
  gantry_error out{};
  out.code = static_cast<gantry_status>(error.code);
  out.message = Buffer::copy(error.message).detach();
  if (!error.detail.empty()) out.detail = Buffer::copy(error.detail).detach();
  return out;
}

/// Reads a body as T: in place when the layouts agree, through JSON when they do not.
template <class T>
Result<Ref<T>> read_body(const gantry_body* body) {
  const gantry_type& mine = type_of<T>();
  if (body == nullptr) return internal_error("a message without a body arrived");
  if (body->object != nullptr && body->type != nullptr &&
      body->type->layout_hash == mine.layout_hash) {
    body->retain(body->owner);
    return Ref<T>::adopt(body);
  }
  gantry_buf encoded{};
  gantry_str json = body->json;
  if (body->object != nullptr) {
    if (body->type == nullptr || body->type->encode(body->object, &encoded) != GANTRY_OK) {
      return internal_error("a message could not be converted to JSON by its sender");
    }
    json = {reinterpret_cast<const char*>(encoded.data), encoded.size};
  }
  const Buffer keep = Buffer::adopt(encoded);
  const gantry_body* decoded = nullptr;
  gantry_error error{};
  if (mine.decode(json, &decoded, &error) != GANTRY_OK) return adopt_error(error);
  return Ref<T>::adopt(decoded);
}

}  // namespace gantry
