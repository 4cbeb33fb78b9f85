// SPDX-License-Identifier: Apache-2.0
#pragma once
// The shape of a described struct: its members with their names and types, so that no key is
// spelt twice. Members of std::optional may be missing or null, all others are required; `Json`
// takes anything. What else holds is added to the result. Heavy: for the files that need it.

#include <gantry/codec.hpp>
#include <gantry/json.hpp>

#include <cstdint>
#include <string>
#include <type_traits>

#include "shape.hpp"

namespace gantry::agent_ws {

template <class T>
Shape shape_of() {
  if constexpr (std::is_same_v<T, bool>) {
    return Shape::boolean();
  } else if constexpr (std::is_integral_v<T>) {
    return Shape::integer();
  } else if constexpr (std::is_floating_point_v<T>) {
    return Shape::number();
  } else if constexpr (std::is_same_v<T, std::string>) {
    return Shape::text();
  } else if constexpr (std::is_same_v<T, Json>) {
    return Shape::any();
  } else if constexpr (codec::IsVector<T>::value) {
    return Shape::list(shape_of<typename T::value_type>());
  } else if constexpr (codec::IsOptional<T>::value) {
    Shape inner = shape_of<typename T::value_type>();
    inner.nullable();
    return inner;
  } else {
    Shape shape = Shape::object(std::string(codec::kTypeName<T>));
    boost::mp11::mp_for_each<codec::Members<T>>([&](auto member) {
      using Member = std::remove_cvref_t<decltype(std::declval<T&>().*member.pointer)>;
      shape.member(member.name, shape_of<Member>(), !codec::IsOptional<Member>::value);
    });
    return shape;
  }
}

/// The wire's name of a member: name_of(&QueryPayload::text) is "text".
template <class T, class M>
std::string_view name_of(M T::*pointer) {
  std::string_view name;
  boost::mp11::mp_for_each<codec::Members<T>>([&](auto member) {
    if constexpr (std::is_same_v<decltype(member.pointer), M T::*const> ||
                  std::is_same_v<std::remove_cv_t<decltype(member.pointer)>, M T::*>) {
      if (member.pointer == pointer) name = member.name;
    }
  });
  return name;
}

}  // namespace gantry::agent_ws
