// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a piece of JSON must look like, and what is said when it does not. The words are those that
// clients of this protocol know (pydantic 2). Checking also converts what the protocol accepts in
// several forms ("true" for a boolean, 3.0 for an integer, blanks around an id). Pure, any thread.

#include <boost/describe/class.hpp>
#include <boost/json/value.hpp>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gantry::agent_ws {

/// One thing that is wrong: where ("query.payload.text"), and what.
struct Finding {
  std::string at;
  std::string problem;
};
BOOST_DESCRIBE_STRUCT(Finding, (), (at, problem))
using Findings = std::vector<Finding>;

/// "at: problem; at: problem", as messages to clients have it.
[[nodiscard]] std::string join_findings(const Findings& findings);

enum class Extras : std::uint8_t { Forbid, Ignore, Keep };

class Shape {
 public:
  Shape(const Shape&);
  Shape(Shape&&) noexcept;
  Shape& operator=(const Shape&);
  Shape& operator=(Shape&&) noexcept;
  ~Shape();

  /// Answers what is wrong with a value of the right type, or nothing.
  using Check = std::function<std::optional<std::string>(const boost::json::value&)>;

  [[nodiscard]] static Shape any();
  [[nodiscard]] static Shape text();
  [[nodiscard]] static Shape boolean();
  [[nodiscard]] static Shape integer();
  [[nodiscard]] static Shape number();
  /// An object with whatever members.
  [[nodiscard]] static Shape dictionary();
  [[nodiscard]] static Shape list(Shape items);
  /// One of these texts.
  [[nodiscard]] static Shape choice(std::vector<std::string> texts);
  /// An object with named members; `model` is its name in messages.
  [[nodiscard]] static Shape object(std::string model);

  // Limits. Text lengths are code points, list lengths are items.
  Shape& length(std::size_t least, std::size_t most = kAnyLength);
  Shape& range(std::int64_t least, std::int64_t most);
  /// Every character must be a letter, a digit or one of `others`; the pattern is what is said.
  Shape& characters(std::string_view others, std::string pattern);
  /// Blanks around a text are removed before it is looked at.
  Shape& trimmed();
  /// A text of blanks only is refused.
  Shape& not_blank();
  Shape& nullable();
  Shape& check(Check rule);

  /// Adds a member.
  Shape& member(std::string name, Shape shape, bool required);
  /// The shape of a member that was added.
  [[nodiscard]] Shape& of(std::string_view name);
  Shape& not_required(std::string_view name);
  Shape& extras(Extras policy);

  /// Checks `value`, converting it in place; appends what is wrong.
  void apply(boost::json::value& value, const std::string& at, Findings& out) const;

  static constexpr std::size_t kAnyLength = std::numeric_limits<std::size_t>::max();

 private:
  enum class Kind : std::uint8_t {
    Any,
    Text,
    Boolean,
    Integer,
    Number,
    Dictionary,
    List,
    Choice,
    Object
  };
  struct Member;

  explicit Shape(Kind kind);
  /// What is wrong with the value itself, not with its parts.
  [[nodiscard]] std::optional<std::string> problem(boost::json::value& value) const;
  [[nodiscard]] std::optional<std::string> text_problem(boost::json::value& value) const;
  [[nodiscard]] std::optional<std::string> list_problem(const boost::json::value& value) const;
  void apply_members(boost::json::value& value, const std::string& at, Findings& out) const;

  Kind kind_;
  bool nullable_ = false;
  bool trimmed_ = false;
  bool not_blank_ = false;
  Extras extras_ = Extras::Forbid;
  std::size_t least_ = 0;
  std::size_t most_ = kAnyLength;
  std::int64_t low_ = std::numeric_limits<std::int64_t>::min();
  std::int64_t high_ = std::numeric_limits<std::int64_t>::max();
  std::string others_;
  std::string pattern_;
  std::string model_;
  std::vector<std::string> choices_;
  std::vector<Member> members_;
  std::vector<Shape> items_;  ///< One, of a list.
  Check check_;
};

struct Shape::Member {
  std::string name;
  Shape shape;
  bool required = true;
};

}  // namespace gantry::agent_ws
