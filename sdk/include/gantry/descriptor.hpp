// SPDX-License-Identifier: Apache-2.0
//
// Descriptors: what a message type is made of, as data. One table of each type replaces code of
// each type: codec, schema, layout hash and weight are functions that walk over descriptors (in
// sdk/src/codec.cpp and descriptor.cpp). Part of codec.hpp; nothing else needs to include it.
#pragma once

#include <gantry/buffer.hpp>
#include <gantry/contract_id.hpp>
#include <gantry/json.hpp>

#include <algorithm>
#include <array>
#include <boost/describe/enumerators.hpp>
#include <boost/describe/members.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace gantry::codec {

// ---- what kind of type is it ------------------------------------------------------------------

// Only the standard allocator and order: others could lay out or sort the same elements
// differently.
template <class T>
struct IsVector : std::false_type {};
template <class T>
struct IsVector<std::vector<T>> : std::true_type {};
template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {};
template <class T>
struct IsStringMap : std::false_type {};
template <class T>
struct IsStringMap<std::map<std::string, T>> : std::true_type {};
template <class T>
struct IsStringMap<std::map<std::string, T, std::less<>>> : std::true_type {};

template <class T>
concept Described = boost::describe::has_describe_members<T>::value && !std::is_enum_v<T>;
template <class T>
concept DescribedEnum = boost::describe::has_describe_enumerators<T>::value;
template <class T>
using Members = boost::describe::describe_members<T, boost::describe::mod_public |
                                                         boost::describe::mod_inherited>;

template <class T>
constexpr bool kUnsupported = false;

// ---- descriptors --------------------------------------------------------------------------------

enum class Kind : std::uint8_t {
  boolean,
  enumeration,
  signed_integer,
  unsigned_integer,
  floating,
  string,
  buffer,
  json,
  optional,
  vector,
  bits,  ///< std::vector<bool>, whose elements have no address
  map,
  structure,
};

struct Descriptor;
/// Through a function, because types may contain themselves.
using DescriptorOf = const Descriptor& (*)();

struct Member {
  std::string_view name;  ///< inside of its written(), as written_name() made it
  std::size_t offset;
  DescriptorOf type;

  /// `,"name":`, as it stands in the text of an object.
  [[nodiscard]] std::string_view written() const { return {name.data() - 2, name.size() + 4}; }
};

/// The text of Member::written() for a name, which is an identifier and so needs no escapes.
template <std::size_t N>
constexpr std::array<char, N + 4> written_name(std::string_view name) {
  std::array<char, N + 4> text{',', '"'};
  std::copy(name.begin(), name.end(), text.begin() + 2);
  text[N + 2] = '"';
  text[N + 3] = ':';
  return text;
}

template <class D>
inline constexpr auto kWrittenName = written_name<std::string_view(D::name).size()>(D::name);

struct Enumerator {
  std::string_view name;
  std::int64_t value;
};

using VisitEntry = void (*)(void* state, const std::string& key, const void* value);

struct Descriptor {
  Kind kind;
  std::uint8_t alignment;
  std::size_t size;                   ///< sizeof
  std::string_view name{};            ///< of a structure, without its namespace
  std::span<const Member> members{};  ///< of a structure, in order
  std::span<const Enumerator> enumerators{};
  DescriptorOf element = nullptr;  ///< of an optional, a vector or a map
  // How elements are reached, where there are any:
  std::size_t (*count)(const void* object) = nullptr;                   ///< vector, map
  const void* (*get)(const void* object, std::size_t index) = nullptr;  ///< optional: or nullptr
  void (*clear)(void* object, std::size_t expected) = nullptr;
  void* (*add)(void* object) = nullptr;                                       ///< optional, vector
  void* (*put)(void* object, std::string_view key) = nullptr;                 ///< map
  void (*each)(const void* object, void* state, VisitEntry visit) = nullptr;  ///< map
};

template <class T>
const Descriptor& descriptor_of();

/// The bare name of T, from the compiler's own spelling.
template <class T>
constexpr std::string_view type_name() {
  std::string_view name = __PRETTY_FUNCTION__;
  name.remove_prefix(name.find("T = ") + 4);
  name = name.substr(0, name.find_first_of(";]"));
  const auto colon = name.rfind("::");
  return colon == std::string_view::npos ? name : name.substr(colon + 2);
}

template <class T>
inline constexpr std::string_view kTypeName = type_name<T>();

/// Where a member stands in its structure. No object is made for it: only addresses are computed.
template <class T, class Pointer>
std::size_t offset_of(Pointer member) {
  alignas(T) static std::byte storage[sizeof(T)];
  const T& object = *reinterpret_cast<const T*>(storage);
  return static_cast<std::size_t>(reinterpret_cast<const std::byte*>(&(object.*member)) - storage);
}

template <class T, template <class...> class List, class... D>
std::span<const Member> members_of(List<D...>) {
  static const std::array<Member, sizeof...(D)> members = {
      Member{{kWrittenName<D>.data() + 2, kWrittenName<D>.size() - 4},
             offset_of<T>(D::pointer),
             &descriptor_of<std::remove_cvref_t<decltype(std::declval<T&>().*D::pointer)>>}...};
  return members;
}

template <template <class...> class List, class... D>
std::span<const Enumerator> enumerators_of(List<D...>) {
  static constexpr std::array<Enumerator, sizeof...(D)> enumerators = {
      Enumerator{D::name, static_cast<std::int64_t>(D::value)}...};
  return enumerators;
}

template <class T>
void describe_optional(Descriptor& d) {
  d.kind = Kind::optional;
  d.element = &descriptor_of<typename T::value_type>;
  d.get = [](const void* object, std::size_t) -> const void* {
    const T& optional = *static_cast<const T*>(object);
    return optional ? &*optional : nullptr;
  };
  d.clear = [](void* object, std::size_t) { static_cast<T*>(object)->reset(); };
  d.add = [](void* object) -> void* { return &static_cast<T*>(object)->emplace(); };
}

template <class T>
void describe_vector(Descriptor& d) {
  d.kind = Kind::vector;
  d.element = &descriptor_of<typename T::value_type>;
  d.count = [](const void* object) { return static_cast<const T*>(object)->size(); };
  d.get = [](const void* object, std::size_t index) -> const void* {
    return static_cast<const T*>(object)->data() + index;
  };
  d.clear = [](void* object, std::size_t expected) {
    static_cast<T*>(object)->clear();
    static_cast<T*>(object)->reserve(expected);
  };
  d.add = [](void* object) -> void* { return &static_cast<T*>(object)->emplace_back(); };
}

template <class T>
void describe_map(Descriptor& d) {
  d.kind = Kind::map;
  d.element = &descriptor_of<typename T::mapped_type>;
  d.clear = [](void* object, std::size_t) { static_cast<T*>(object)->clear(); };
  d.count = [](const void* object) { return static_cast<const T*>(object)->size(); };
  d.put = [](void* object, std::string_view key) -> void* {
    return &(*static_cast<T*>(object))[std::string(key)];
  };
  d.each = [](const void* object, void* state, VisitEntry visit) {
    for (const auto& [key, value] : *static_cast<const T*>(object)) visit(state, key, &value);
  };
}

template <class T>
Descriptor describe() {
  static_assert(alignof(T) <= 255);
  Descriptor d{Kind::boolean, alignof(T), sizeof(T)};
  if constexpr (std::is_same_v<T, bool>) {
    d.kind = Kind::boolean;
  } else if constexpr (DescribedEnum<T>) {
    d.kind = Kind::enumeration;
    d.enumerators = enumerators_of(boost::describe::describe_enumerators<T>());
  } else if constexpr (std::is_integral_v<T>) {
    d.kind = std::is_signed_v<T> ? Kind::signed_integer : Kind::unsigned_integer;
  } else if constexpr (std::is_floating_point_v<T>) {
    static_assert(sizeof(T) <= sizeof(double));
    d.kind = Kind::floating;
  } else if constexpr (std::is_same_v<T, std::string>) {
    d.kind = Kind::string;
  } else if constexpr (std::is_same_v<T, Buffer>) {
    d.kind = Kind::buffer;
  } else if constexpr (std::is_same_v<T, Json>) {
    d.kind = Kind::json;
  } else if constexpr (IsOptional<T>::value) {
    describe_optional<T>(d);
  } else if constexpr (std::is_same_v<T, std::vector<bool>>) {
    d.kind = Kind::bits;
    d.element = &descriptor_of<bool>;
  } else if constexpr (IsVector<T>::value) {
    describe_vector<T>(d);
  } else if constexpr (IsStringMap<T>::value) {
    describe_map<T>(d);
  } else if constexpr (Described<T>) {
    d.kind = Kind::structure;
    d.name = kTypeName<T>;
    d.members = members_of<T>(Members<T>());
  } else {
    static_assert(kUnsupported<T>, "this type cannot be part of a contract");
  }
  return d;
}

/// The table of T. Made on first use; static.
template <class T>
const Descriptor& descriptor_of() {
  static const Descriptor descriptor = describe<T>();
  return descriptor;
}

// ---- layout hash --------------------------------------------------------------------------------

constexpr std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
  for (int i = 0; i < 8; ++i) {
    hash ^= (value >> (8 * i)) & 0xffU;
    hash *= 0x100000001b3ULL;
  }
  return hash;
}
constexpr std::uint64_t mix(std::uint64_t hash, std::string_view text) {
  return mix(hash, contract_id(text));
}

/// Equal for two builds of a type exactly when an object of one may be read by the other: same
/// size, alignment, members (name, offset, type, in order) and standard library. Only described
/// members are seen, so a contract's struct must describe all it has.
std::uint64_t layout_hash(const Descriptor& type);

template <class T>
std::uint64_t layout_hash() {
  return layout_hash(descriptor_of<T>());
}

}  // namespace gantry::codec
