// SPDX-License-Identifier: Apache-2.0
//
// Users who sign in with a password or with a link that works once. Whoever may call these
// contracts is the daemon's operator.
#pragma once

#include <gantry/contracts/common.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gantry {

struct UserAddRequest {
  std::string name;      // 1 to 64 of A-Z a-z 0-9 . _ @ -
  std::string password;  // secret; 8 to 512 bytes; empty: signs in with links only
  bool replace = false;  // an existing user gets this password, and is signed out everywhere
};
BOOST_DESCRIBE_STRUCT(UserAddRequest, (), (name, password, replace))

/// Errors: invalid_argument (the name or the password), already_exists, unavailable (the store).
struct UserAdd {
  static constexpr std::string_view kName = "gantry.user.add/1";
  static constexpr std::string_view kDoc = "Adds a user who may sign in.";
  using Request = UserAddRequest;
  using Response = Done;
};

struct UserLinkRequest {
  std::string name;
  std::int64_t lifetime_ms = 900'000;  // up to a week
};
BOOST_DESCRIBE_STRUCT(UserLinkRequest, (), (name, lifetime_ms))

struct UserLinked {
  std::string url;              // secret; works once
  std::int64_t expires_ms = 0;  // milliseconds since the epoch
};
BOOST_DESCRIBE_STRUCT(UserLinked, (), (url, expires_ms))

/// Errors: not_found (no such user), invalid_argument (the time), unavailable.
struct UserLink {
  static constexpr std::string_view kName = "gantry.user.link/1";
  static constexpr std::string_view kDoc = "Makes a link with which a user signs in, once.";
  using Request = UserLinkRequest;
  using Response = UserLinked;
};

struct UserInfo {
  std::string name;
  bool has_password = false;
  std::int64_t created_ms = 0;
};
BOOST_DESCRIBE_STRUCT(UserInfo, (), (name, has_password, created_ms))

struct UserInfoList {
  std::vector<UserInfo> users;  // by name
};
BOOST_DESCRIBE_STRUCT(UserInfoList, (), (users))

struct UserList {
  static constexpr std::string_view kName = "gantry.user.list/1";
  static constexpr std::string_view kDoc = "Lists the users who may sign in.";
  using Request = Nothing;
  using Response = UserInfoList;
};

struct UserRemoveRequest {
  std::string name;
};
BOOST_DESCRIBE_STRUCT(UserRemoveRequest, (), (name))

/// Signs the user out everywhere. Errors: not_found, unavailable.
struct UserRemove {
  static constexpr std::string_view kName = "gantry.user.remove/1";
  static constexpr std::string_view kDoc = "Removes a user.";
  using Request = UserRemoveRequest;
  using Response = Done;
};

}  // namespace gantry
