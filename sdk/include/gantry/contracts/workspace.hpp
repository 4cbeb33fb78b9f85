// SPDX-License-Identifier: Apache-2.0
//
// Workspaces: named folders that sessions belong to, by SessionKey::workspace. A workspace has a
// root, a model and a policy that count where nothing else was chosen, and files. Nothing outside
// of the root is read or written, whatever paths, links and folders that move meanwhile say. Each
// belongs to one principal; nobody learns of another's.
//
// Errors of every contract here: not_found (the principal has no such workspace), unavailable (the
// store, or the disk). Those about files besides: permission_denied (the path leads out, or the
// system refuses), not_found (nothing is there, or a part of the path is hidden), invalid_argument
// (no path), failed_precondition (the root is no folder any more).
#pragma once

#include <gantry/buffer.hpp>
#include <gantry/contracts/common.hpp>
#include <gantry/contracts/turn.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gantry {

/// What its sessions may use. Of this and what the protocol's configuration says, the stricter
/// counts: a workspace widens nothing.
struct WorkspacePolicy {
  std::optional<ApprovalMode> act;  // by ToolClass; none: as the protocol has it
  std::optional<ApprovalMode> execute;
  std::optional<ApprovalMode> network;
  std::vector<std::string> deny;  // tools that are not offered, names or patterns
};
BOOST_DESCRIBE_STRUCT(WorkspacePolicy, (), (act, execute, network, deny))

struct Workspace {
  std::string id;  // SessionKey::workspace of its sessions
  std::string principal;
  std::string name;   // for people, 1 to 200 bytes
  std::string root;   // absolute, without links when it was made
  std::string model;  // id of the catalogue; empty: none is usual here
  WorkspacePolicy policy;
  std::int64_t created_ms = 0;   // wall clock, milliseconds since 1970
  std::int64_t accessed_ms = 0;  // the same; when it was opened last
  std::int64_t place = 0;        // in the list; 0: nobody has sorted it
};
BOOST_DESCRIBE_STRUCT(Workspace, (),
                      (id, principal, name, root, model, policy, created_ms, accessed_ms, place))

struct WorkspaceListRequest {
  std::string principal;
};
BOOST_DESCRIBE_STRUCT(WorkspaceListRequest, (), (principal))

struct WorkspaceRows {
  std::vector<Workspace> workspaces;  // as their user has sorted them, then the one opened last
};
BOOST_DESCRIBE_STRUCT(WorkspaceRows, (), (workspaces))

struct WorkspaceList {
  static constexpr std::string_view kName = "gantry.workspace.list/1";
  static constexpr std::string_view kDoc = "Lists the workspaces of a principal.";
  using Request = WorkspaceListRequest;
  using Response = WorkspaceRows;
};

/// Names a workspace of a principal.
struct WorkspaceRef {
  std::string principal;
  std::string workspace;  // its id
  bool by_id = false;     // of WorkspaceGet: a name counts for nothing
};
BOOST_DESCRIBE_STRUCT(WorkspaceRef, (), (principal, workspace, by_id))

/// `workspace` may also be the name of one, when the principal has one of that name only; not with
/// `by_id`, as where a session's place is asked for.
struct WorkspaceGet {
  static constexpr std::string_view kName = "gantry.workspace.get/1";
  static constexpr std::string_view kDoc = "A workspace, by its id or its name.";
  using Request = WorkspaceRef;
  using Response = Workspace;
};

struct WorkspaceCreateRequest {
  std::string principal;
  std::string name;
  std::string root;    // a folder that exists; empty: one is made
  std::string parent;  // where it is made, and where a root may lie besides the folders of the
                       // configuration; never a client's choice. Empty: the configured one
  std::string model;
  WorkspacePolicy policy;
};
BOOST_DESCRIBE_STRUCT(WorkspaceCreateRequest, (), (principal, name, root, parent, model, policy))

/// Errors besides: invalid_argument (no name; a root that may not be one, which begins with
/// "root"), resource_exhausted (there are too many).
struct WorkspaceCreate {
  static constexpr std::string_view kName = "gantry.workspace.create/1";
  static constexpr std::string_view kDoc = "Makes a workspace.";
  using Request = WorkspaceCreateRequest;
  using Response = Workspace;
};

/// What is missing stays.
struct WorkspaceChangeRequest {
  std::string principal;
  std::string workspace;
  std::optional<std::string> name;
  std::optional<std::string> root;
  std::string parent;  // as of WorkspaceCreateRequest
  std::optional<std::string> model;
  std::optional<WorkspacePolicy> policy;
  bool opened = false;  // just now
};
BOOST_DESCRIBE_STRUCT(WorkspaceChangeRequest, (),
                      (principal, workspace, name, root, parent, model, policy, opened))

/// Errors besides: those of WorkspaceCreate.
struct WorkspaceChange {
  static constexpr std::string_view kName = "gantry.workspace.change/1";
  static constexpr std::string_view kDoc = "Changes a workspace, or says that it was opened.";
  using Request = WorkspaceChangeRequest;
  using Response = Workspace;
};

/// Its folder and its sessions stay. One that is not there is no error.
struct WorkspaceDelete {
  static constexpr std::string_view kName = "gantry.workspace.delete/1";
  static constexpr std::string_view kDoc = "Forgets a workspace.";
  using Request = WorkspaceRef;
  using Response = Done;
};

struct WorkspaceSortRequest {
  std::string principal;
  std::vector<std::string> workspaces;  // ids, the first one first; unknown ones are passed over
};
BOOST_DESCRIBE_STRUCT(WorkspaceSortRequest, (), (principal, workspaces))

struct WorkspaceSort {
  static constexpr std::string_view kName = "gantry.workspace.sort/1";
  static constexpr std::string_view kDoc = "Says in which order workspaces are listed.";
  using Request = WorkspaceSortRequest;
  using Response = WorkspaceRows;
};

struct WorkspaceImportRequest {
  std::string principal;
  std::string parent;                 // as of WorkspaceCreateRequest
  std::vector<Workspace> workspaces;  // with their ids; one whose id is known stays as it is
};
BOOST_DESCRIBE_STRUCT(WorkspaceImportRequest, (), (principal, parent, workspaces))

/// For who kept workspaces before this contract was there. A root that may not be one is left out,
/// and the log says so.
struct WorkspaceImport {
  static constexpr std::string_view kName = "gantry.workspace.import/1";
  static constexpr std::string_view kDoc = "Takes over workspaces with their ids.";
  using Request = WorkspaceImportRequest;
  using Response = WorkspaceRows;
};

struct WorkspaceChangedEvent {
  std::string principal;
  std::string workspace;
  bool gone = false;
};
BOOST_DESCRIBE_STRUCT(WorkspaceChangedEvent, (), (principal, workspace, gone))

struct WorkspaceChanged {
  static constexpr std::string_view kName = "gantry.workspace.changed/1";
  static constexpr std::string_view kDoc = "A workspace was made, changed or forgotten.";
  using Event = WorkspaceChangedEvent;
};

// ---- files --------------------------------------------------------------------------------------

struct WorkspaceFileRequest {
  std::string principal;
  std::string workspace;
  std::string path;                     // relative to the root
  std::int64_t max_bytes = 32LL << 20;  // of what is read
};
BOOST_DESCRIBE_STRUCT(WorkspaceFileRequest, (), (principal, workspace, path, max_bytes))

struct WorkspaceFile {
  Buffer content;
  std::int64_t changed_ms = 0;  // wall clock, milliseconds since 1970
};
BOOST_DESCRIBE_STRUCT(WorkspaceFile, (), (content, changed_ms))

/// Errors besides: out_of_range (it is larger).
struct WorkspaceRead {
  static constexpr std::string_view kName = "gantry.workspace.read/1";
  static constexpr std::string_view kDoc = "Reads a file of a workspace.";
  using Request = WorkspaceFileRequest;
  using Response = WorkspaceFile;
};

struct WorkspaceWriteRequest {
  std::string principal;
  std::string workspace;
  std::string path;
  Buffer content;
};
BOOST_DESCRIBE_STRUCT(WorkspaceWriteRequest, (), (principal, workspace, path, content))

/// Makes the folders on the way, and replaces what is there in one step.
struct WorkspaceWrite {
  static constexpr std::string_view kName = "gantry.workspace.write/1";
  static constexpr std::string_view kDoc = "Writes a file of a workspace.";
  using Request = WorkspaceWriteRequest;
  using Response = Done;
};

struct WorkspaceMoveRequest {
  std::string principal;
  std::string workspace;
  std::string from;
  std::string to;  // its folders are made
};
BOOST_DESCRIBE_STRUCT(WorkspaceMoveRequest, (), (principal, workspace, from, to))

struct WorkspaceMove {
  static constexpr std::string_view kName = "gantry.workspace.move/1";
  static constexpr std::string_view kDoc = "Moves a file or folder of a workspace.";
  using Request = WorkspaceMoveRequest;
  using Response = Done;
};

/// A file, or a folder with all that is in it.
struct WorkspaceRemove {
  static constexpr std::string_view kName = "gantry.workspace.remove/1";
  static constexpr std::string_view kDoc = "Removes a file or folder of a workspace.";
  using Request = WorkspaceFileRequest;
  using Response = Done;
};

struct WorkspaceTreeRequest {
  std::string principal;
  std::string workspace;
  std::int32_t depth = 3;  // 1: what is in the root
};
BOOST_DESCRIBE_STRUCT(WorkspaceTreeRequest, (), (principal, workspace, depth))

struct WorkspaceEntry {
  std::string path;  // relative to the root
  std::string name;
  bool folder = false;
  std::int64_t changed_us = 0;  // wall clock, microseconds since 1970
};
BOOST_DESCRIBE_STRUCT(WorkspaceEntry, (), (path, name, folder, changed_us))

struct WorkspaceEntries {
  std::vector<WorkspaceEntry> entries;
};
BOOST_DESCRIBE_STRUCT(WorkspaceEntries, (), (entries))

/// Depth first, folders before files, by name; without hidden ones and folders that programs fill
/// (node_modules, dist, __pycache__). Links are not followed. At most 5000.
struct WorkspaceTree {
  static constexpr std::string_view kName = "gantry.workspace.tree/1";
  static constexpr std::string_view kDoc = "Lists the files of a workspace.";
  using Request = WorkspaceTreeRequest;
  using Response = WorkspaceEntries;
};

struct WorkspaceNewestRequest {
  std::string principal;
  std::string workspace;
  std::int32_t limit = 10;
};
BOOST_DESCRIBE_STRUCT(WorkspaceNewestRequest, (), (principal, workspace, limit))

/// Plain files in the root itself that are not hidden.
struct WorkspaceNewest {
  static constexpr std::string_view kName = "gantry.workspace.newest/1";
  static constexpr std::string_view kDoc = "The files of a workspace that were changed last.";
  using Request = WorkspaceNewestRequest;
  using Response = WorkspaceEntries;
};

enum class ReferenceOutcome : std::uint8_t { Text, Outside, TooLarge, Missing };
BOOST_DESCRIBE_ENUM(ReferenceOutcome, Text, Outside, TooLarge, Missing)

struct WorkspaceReferencesRequest {
  std::string principal;
  std::string workspace;
  std::vector<std::string> paths;       // at most 1000
  std::int64_t max_bytes = 50LL << 10;  // of one file
};
BOOST_DESCRIBE_STRUCT(WorkspaceReferencesRequest, (), (principal, workspace, paths, max_bytes))

struct WorkspaceReference {
  std::string path;  // as it was asked for
  ReferenceOutcome outcome = ReferenceOutcome::Missing;
  std::string text;  // valid UTF-8
};
BOOST_DESCRIBE_STRUCT(WorkspaceReference, (), (path, outcome, text))

struct WorkspaceReferenceTexts {
  std::vector<WorkspaceReference> references;  // one of each path, in order
};
BOOST_DESCRIBE_STRUCT(WorkspaceReferenceTexts, (), (references))

/// What is wrong with one path is its outcome, not the call's.
struct WorkspaceReferences {
  static constexpr std::string_view kName = "gantry.workspace.references/1";
  static constexpr std::string_view kDoc = "The texts of files that a message refers to.";
  using Request = WorkspaceReferencesRequest;
  using Response = WorkspaceReferenceTexts;
};

}  // namespace gantry
