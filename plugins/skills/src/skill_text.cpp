// SPDX-License-Identifier: Apache-2.0
#include "skill_text.hpp"

#include <gantry/tools/text.hpp>
#include <gantry/tools/tool_server.hpp>

#include <utility>

namespace gantry::skills {
namespace {

constexpr std::size_t kMaxShared = 4000;

constexpr const char* kSchema =
    R"({"type":"object","properties":{)"
    R"("name":{"type":"string","description":"The skill; leave it out to list them."},)"
    R"("file":{"type":"string","description":"A file of the skill, instead of its instructions."}}})";

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : ", ") + word;
  return out;
}

/// Descriptions may have lines of their own.
std::string one_line(const std::string& text) {
  std::string out;
  for (const char c : tools::visible_text(text)) {
    const bool space = c == '\n' || c == '\t' || c == ' ';
    if (!space) {
      out += c;
    } else if (!out.empty() && out.back() != ' ') {
      out += ' ';
    }
  }
  return out;
}

std::string line_of(const Skill& skill) {
  return "- " + skill.name + ": " + one_line(skill.description);
}

const char* source_words(SkillSource source) {
  switch (source) {
    case SkillSource::System: return "of this machine";
    case SkillSource::User: return "of the user";
    case SkillSource::Workspace: return "of the workspace";
  }
  return "";
}

bool is_offered(const Skill& skill) { return skill.eligible && skill.enabled; }

}  // namespace

std::string list_text(const SkillListing& listing) {
  std::string out;
  std::string others;
  for (const Skill& skill : listing.skills) {
    if (is_offered(skill)) {
      out += line_of(skill) + "\n";
    } else if (skill.enabled) {
      others += "- " + skill.name + ": " + one_line(skill.reason) + "\n";
    }
  }
  if (out.empty()) out = "There are no skills.\n";
  if (!others.empty()) out += "\nCannot be used at present:\n" + others;
  return out;
}

std::string skill_text(const SkillText& text) {
  const Skill& skill = text.skill;
  std::string out = "# Skill " + skill.name + ", " + source_words(skill.source) + "\n";
  out += "Folder: " + skill.folder + "\n";
  if (!skill.allowed_tools.empty()) {
    out += "Use only these tools for it: " + one_line(joined(skill.allowed_tools)) + "\n";
  }
  if (!skill.eligible) out += "Missing: " + one_line(skill.reason) + "\n";
  if (!text.files.empty()) {
    out += "Files (read them with `file`): " + one_line(joined(text.files)) +
           (text.more_files ? ", and more" : "") + "\n";
  }
  return out + "\n" + tools::visible_text(text.instructions);
}

ToolDescription describe_tool(const std::vector<Skill>& shared) {
  std::string text =
      "Loads a skill: instructions for one kind of task. Without `name` it lists the skills that "
      "there are. Look for a fitting one before you begin a task, load it, and do as it says.";
  std::string names;
  for (const Skill& skill : shared) {
    const std::string line = "\n" + line_of(skill);
    if (names.size() + line.size() > kMaxShared) break;
    names += line;
  }
  if (!names.empty()) text += "\nSkills for everybody:" + names;
  return tools::reading_tool("skill", "Skill", std::move(text), kSchema);
}

}  // namespace gantry::skills
