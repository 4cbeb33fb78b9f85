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
// type_of<T>(), to_json() and from_json<T>() are declared here and defined in codec.hpp; the
// standard contracts are instantiated once in sdk/src, a plugin's own types in one file of the
// plugin (see GANTRY_INSTANTIATE there). All functions here may be called from any thread.
#pragma once

#include <gantry/abi/bus.h>
#include <gantry/buffer.hpp>
#include <gantry/contract_id.hpp>
#include <gantry/result.hpp>

#include <atomic>
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace gantry {

/// The described type as this plugin sees it: codec, schema, layout hash. Static.
template <class T>
const gantry_type& type_of();

/// JSON text of a described value, see codec.hpp for the form.
template <class T>
std::string to_json(const T& value);

/// A described value from JSON text; the error names the path in the document.
template <class T>
Result<T> from_json(std::string_view json);

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
  /// The C view, borrowed.
  [[nodiscard]] const gantry_body* body() const { return body_; }
  /// Gives the reference away.
  [[nodiscard]] const gantry_body* detach() { return std::exchange(body_, nullptr); }

 private:
  const gantry_body* body_ = nullptr;
};

/// Makes a message body around `value`. Lives until the last Ref, in whatever plugin, goes.
template <class T>
Ref<T> make_body(T value) {
  struct Holder {
    gantry_body body{};
    std::atomic<std::uint32_t> references{1};
    T value;
    explicit Holder(T v) : value(std::move(v)) {}
  };
  const gantry_type& type = type_of<T>();
  auto* holder = new Holder(std::move(value));
  holder->body.size = sizeof(gantry_body);
  holder->body.type = &type;
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

/// The code of a failure. A peer that fails with "ok", or with a number that this SDK does not
/// know, must not turn its failure into a success.
constexpr Code failure_code(gantry_status status) {
  if (status == GANTRY_OK) return Code::Internal;
  return status > GANTRY_OK && status <= GANTRY_UNAUTHENTICATED ? static_cast<Code>(status)
                                                                : Code::Unknown;
}

/// Takes over the buffers of a C error that a function which returned `status` has filled, or not.
inline Error adopt_error(gantry_status status, gantry_error error) {
  const Buffer message = Buffer::adopt(error.message);
  const Buffer detail = Buffer::adopt(error.detail);
  return {failure_code(status), std::string(message.text()), std::string(detail.text())};
}
inline Error adopt_error(gantry_error error) { return adopt_error(error.code, error); }
/// Copies a borrowed C error; NULL has no message. Code::Ok stays what it is (the end of a stream).
inline Error share_error(gantry_status status, const gantry_error* error) {
  const Code code = status == GANTRY_OK ? Code::Ok : failure_code(status);
  if (error == nullptr) return {code, {}, {}};
  return {code, std::string(Buffer::share(error->message).text()),
          std::string(Buffer::share(error->detail).text())};
}
/// The C form of an error; the caller (or whoever it is handed to) releases the buffers.
inline gantry_error export_error(const Error& error) {
  gantry_error out{};
  out.code = static_cast<gantry_status>(failure_code(static_cast<gantry_status>(error.code)));
  out.message = Buffer::copy(error.message).detach();
  if (!error.detail.empty()) out.detail = Buffer::copy(error.detail).detach();
  return out;
}
/// An export_error() that releases itself, for calls that only borrow the error.
class BorrowedError {
 public:
  explicit BorrowedError(const Error& error) : raw_(export_error(error)) {}
  BorrowedError(const BorrowedError&) = delete;
  BorrowedError& operator=(const BorrowedError&) = delete;
  ~BorrowedError() {
    (void)Buffer::adopt(raw_.message);
    (void)Buffer::adopt(raw_.detail);
  }
  [[nodiscard]] gantry_status code() const { return raw_.code; }
  [[nodiscard]] const gantry_error* get() const { return &raw_; }

 private:
  gantry_error raw_;
};

/// Reads a body as T: in place when the layouts agree, through JSON when they do not. A body that
/// cannot be read is InvalidArgument with the path, as if it had come from outside.
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
  if (const gantry_status status = mine.decode(json, &decoded, &error); status != GANTRY_OK) {
    return adopt_error(status, error);
  }
  return Ref<T>::adopt(decoded);
}

}  // namespace gantry
