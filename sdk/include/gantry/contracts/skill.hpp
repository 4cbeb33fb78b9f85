// SPDX-License-Identifier: Apache-2.0
//
// Skills: folders with a SKILL.md that tells a model how to do something. Its front matter (YAML
// between two lines of ---) has the name, a description, the tools that it wants and what it needs;
// the text below is read only when the skill is used. They lie in system folders, in the user's and
// in a workspace's own; of two with one name the workspace's counts, then the user's.
//
// Errors of all calls: invalid_argument (the text says what is wrong), unavailable.
#pragma once

#include <gantry/contracts/common.hpp>
#include <gantry/json.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gantry {

enum class SkillSource : std::uint8_t { System, User, Workspace };
BOOST_DESCRIBE_ENUM(SkillSource, System, User, Workspace)

enum class SkillNeedKind : std::uint8_t {
  Program,      // on the daemon's PATH
  AnyProgram,   // one of several, `name` has them with a bar between
  Environment,  // a variable of the daemon's environment; its value is in no answer
  System        // linux, darwin, windows
};
BOOST_DESCRIBE_ENUM(SkillNeedKind, Program, AnyProgram, Environment, System)

/// Something that a skill cannot do without.
struct SkillNeed {
  SkillNeedKind kind = SkillNeedKind::Program;
  std::string name;
  bool met = false;
  std::string cure;  // how the skill's author says it is installed; may be empty
};
BOOST_DESCRIBE_STRUCT(SkillNeed, (), (kind, name, met, cure))

struct Skill {
  std::string name;  // the folder's: ^[a-z0-9]([a-z0-9-]*[a-z0-9])?$, up to 64 characters
  std::string title;
  std::string description;  // when to use it; what the model chooses by
  std::string version;
  std::string author;
  std::string homepage;
  std::string license;
  std::vector<std::string> tags;
  std::vector<std::string> allowed_tools;  // names or patterns; empty: says nothing about tools
  SkillSource source = SkillSource::User;
  std::string folder;     // absolute
  bool editable = false;  // gantry.skill.save/1 and .delete/1 may change it
  bool always = false;    // its author wants it to be loaded at once
  std::vector<SkillNeed> needs;
  bool eligible = false;        // all that it needs is there
  bool enabled = false;         // nobody has switched it off
  std::string reason;           // why it is not offered; empty: it is
  std::int64_t bytes = 0;       // of the text
  std::int64_t changed_ms = 0;  // of SKILL.md, milliseconds since the epoch
  Json metadata{"{}"};          // members of the front matter that are not named above
};
BOOST_DESCRIBE_STRUCT(Skill, (),
                      (name, title, description, version, author, homepage, license, tags,
                       allowed_tools, source, folder, editable, always, needs, eligible, enabled,
                       reason, bytes, changed_ms, metadata))

/// A folder that is no skill, and why.
struct SkillProblem {
  std::string folder;
  SkillSource source = SkillSource::User;
  std::string problem;
};
BOOST_DESCRIBE_STRUCT(SkillProblem, (), (folder, source, problem))

/// Whose skills. What is not named counts as empty.
struct SkillScope {
  std::string principal;  // whose switches count
  std::string workspace;  // root folder of a workspace, absolute; empty: none
  std::string agent;      // of those that the configuration gives this agent; empty: all
};
BOOST_DESCRIBE_STRUCT(SkillScope, (), (principal, workspace, agent))

struct SkillListRequest {
  SkillScope scope;
  bool offered_only = false;  // eligible and enabled ones
};
BOOST_DESCRIBE_STRUCT(SkillListRequest, (), (scope, offered_only))

struct SkillListing {
  std::vector<Skill> skills;  // by name
  std::vector<SkillProblem> problems;
  std::int64_t revision = 0;  // grows with every change
};
BOOST_DESCRIBE_STRUCT(SkillListing, (), (skills, problems, revision))

/// A workspace outside of the configured folders has none, and a problem says so.
struct SkillList {
  static constexpr std::string_view kName = "gantry.skill.list/1";
  static constexpr std::string_view kDoc = "Lists skills.";
  using Request = SkillListRequest;
  using Response = SkillListing;
};

struct SkillGetRequest {
  SkillScope scope;
  std::string name;
};
BOOST_DESCRIBE_STRUCT(SkillGetRequest, (), (scope, name))

struct SkillText {
  Skill skill;
  std::string content;             // SKILL.md as it is
  std::string instructions;        // of it, what follows the front matter
  std::vector<std::string> files;  // beside SKILL.md, relative to the folder, sorted
  bool more_files = false;         // than are listed
};
BOOST_DESCRIBE_STRUCT(SkillText, (), (skill, content, instructions, files, more_files))

/// Errors: not_found.
struct SkillGet {
  static constexpr std::string_view kName = "gantry.skill.get/1";
  static constexpr std::string_view kDoc = "Reads a skill.";
  using Request = SkillGetRequest;
  using Response = SkillText;
};

struct SkillFileRequest {
  SkillScope scope;
  std::string name;
  std::string file;  // as in SkillText::files
};
BOOST_DESCRIBE_STRUCT(SkillFileRequest, (), (scope, name, file))

struct SkillFileText {
  std::string file;
  std::string content;  // as UTF-8
  bool truncated = false;
};
BOOST_DESCRIBE_STRUCT(SkillFileText, (), (file, content, truncated))

/// Errors: not_found (also of what lies outside the skill's folder, by links or dots),
/// failed_precondition (no text).
struct SkillFile {
  static constexpr std::string_view kName = "gantry.skill.file/1";
  static constexpr std::string_view kDoc = "Reads a file of a skill.";
  using Request = SkillFileRequest;
  using Response = SkillFileText;
};

struct SkillSaveRequest {
  SkillScope scope;
  std::string name;
  // All of SKILL.md; without front matter one is written from the name and `description`.
  std::string content;
  std::string description;
  bool create_only = false;
};
BOOST_DESCRIBE_STRUCT(SkillSaveRequest, (), (scope, name, content, description, create_only))

/// Writes into the user's folder. Errors: invalid_argument (what would be no skill), already_exists
/// (create_only), resource_exhausted (too many, or too long), permission_denied (users
/// have none of their own).
struct SkillSave {
  static constexpr std::string_view kName = "gantry.skill.save/1";
  static constexpr std::string_view kDoc = "Makes or changes a skill of the user's.";
  using Request = SkillSaveRequest;
  using Response = Skill;
};

struct SkillDeleteRequest {
  SkillScope scope;
  std::string name;
};
BOOST_DESCRIBE_STRUCT(SkillDeleteRequest, (), (scope, name))

/// With everything in its folder. Errors: not_found, permission_denied (it is not editable).
struct SkillDelete {
  static constexpr std::string_view kName = "gantry.skill.delete/1";
  static constexpr std::string_view kDoc = "Deletes a skill of the user's.";
  using Request = SkillDeleteRequest;
  using Response = Done;
};

struct SkillEnableRequest {
  SkillScope scope;
  std::string name;
  bool enabled = true;
};
BOOST_DESCRIBE_STRUCT(SkillEnableRequest, (), (scope, name, enabled))

/// For this principal; kept in the store. Errors: not_found.
struct SkillEnable {
  static constexpr std::string_view kName = "gantry.skill.enable/1";
  static constexpr std::string_view kDoc = "Switches a skill on or off.";
  using Request = SkillEnableRequest;
  using Response = Skill;
};

struct SkillsChangedEvent {
  std::int64_t revision = 0;
};
BOOST_DESCRIBE_STRUCT(SkillsChangedEvent, (), (revision))

/// Read the list again.
struct SkillsChanged {
  static constexpr std::string_view kName = "gantry.skill.changed/1";
  static constexpr std::string_view kDoc = "Skills were added, changed or removed.";
  using Event = SkillsChangedEvent;
};

}  // namespace gantry
