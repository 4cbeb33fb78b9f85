// SPDX-License-Identifier: Apache-2.0
//
// Which types a message may have, and the layout hash that tells whether an object of one build may
// be read by another. Part of codec.hpp; nothing else needs to include it.
#pragma once

#include <gantry/buffer.hpp>
#include <gantry/contract_id.hpp>
#include <gantry/json.hpp>

#include <boost/describe/enumerators.hpp>
#include <boost/describe/members.hpp>
#include <boost/mp11/algorithm.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
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

/// What decides the layout of standard library types besides their names.
constexpr std::uint64_t library_fingerprint() {
  std::uint64_t hash = contract_id("gantry-layout-1");
#if defined(_LIBCPP_VERSION)
  hash = mix(mix(hash, "libc++"), static_cast<std::uint64_t>(_LIBCPP_VERSION));
#elif defined(__GLIBCXX__)
  hash = mix(mix(hash, "libstdc++"), static_cast<std::uint64_t>(_GLIBCXX_USE_CXX11_ABI));
#endif
#if defined(_GLIBCXX_DEBUG)
  hash = mix(hash, "debug");
#endif
  return mix(hash, sizeof(void*));
}

/// The described types that enclose the one being hashed, so that recursive types end.
struct HashScope {
  const HashScope* outer;
  const void* type;
};
template <class T>
inline constexpr char kTypeTag = 0;

/// Equal for two builds of T exactly when an object of one may be read by the other: same size,
/// alignment, members (name, offset, type, in order) and standard library. Only described members
/// are seen, so a contract's struct must describe all it has.
template <class T>
std::uint64_t layout_hash(const HashScope* scope = nullptr) {
  const std::uint64_t seed = mix(mix(library_fingerprint(), sizeof(T)), alignof(T));
  if constexpr (std::is_same_v<T, bool>) {
    return mix(seed, "bool");
  } else if constexpr (DescribedEnum<T>) {
    std::uint64_t hash = mix(seed, "enum");
    boost::mp11::mp_for_each<boost::describe::describe_enumerators<T>>([&](auto e) {
      hash = mix(mix(hash, std::string_view(e.name)), static_cast<std::uint64_t>(e.value));
    });
    return hash;
  } else if constexpr (std::is_integral_v<T>) {
    return mix(seed, std::string_view(std::is_signed_v<T> ? "int" : "uint"));
  } else if constexpr (std::is_floating_point_v<T>) {
    return mix(seed, "float");
  } else if constexpr (std::is_same_v<T, std::string>) {
    return mix(seed, "string");
  } else if constexpr (std::is_same_v<T, Buffer>) {
    return mix(seed, "buffer");
  } else if constexpr (std::is_same_v<T, Json>) {
    return mix(seed, "json");
  } else if constexpr (IsOptional<T>::value) {
    return mix(mix(seed, "optional"), layout_hash<typename T::value_type>(scope));
  } else if constexpr (IsVector<T>::value) {
    return mix(mix(seed, "vector"), layout_hash<typename T::value_type>(scope));
  } else if constexpr (IsStringMap<T>::value) {
    return mix(mix(seed, "map"), layout_hash<typename T::mapped_type>(scope));
  } else if constexpr (Described<T>) {
    std::uint64_t depth = 0;
    for (const HashScope* s = scope; s != nullptr; s = s->outer, ++depth) {
      if (s->type == &kTypeTag<T>) return mix(mix(seed, "recursive"), depth);
    }
    const HashScope inner{scope, &kTypeTag<T>};
    std::uint64_t hash = seed;
    const T object{};
    const auto* base = reinterpret_cast<const char*>(&object);
    boost::mp11::mp_for_each<Members<T>>([&](auto member) {
      using Member = std::remove_cvref_t<decltype(object.*member.pointer)>;
      const auto* at = reinterpret_cast<const char*>(&(object.*member.pointer));
      hash = mix(mix(hash, std::string_view(member.name)), static_cast<std::uint64_t>(at - base));
      hash = mix(hash, layout_hash<Member>(&inner));
    });
    return hash;
  } else {
    static_assert(kUnsupported<T>, "this type cannot be part of a contract");
  }
}

}  // namespace gantry::codec
