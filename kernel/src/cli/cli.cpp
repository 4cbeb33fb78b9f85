// SPDX-License-Identifier: Apache-2.0
// Options (through Poco::Util) and the table of commands.
#include "cli/cli.hpp"

#include <Poco/Exception.h>
#include <Poco/Util/Option.h>
#include <Poco/Util/OptionException.h>
#include <Poco/Util/OptionProcessor.h>
#include <Poco/Util/OptionSet.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>

#include "cli/printable.hpp"
#include "cli/told.hpp"
#include "config/diagnostic.hpp"
#include "service/describe.hpp"

namespace gantry::cli {
namespace {

constexpr std::array kCommands{
    Command{"run", "", "Run the daemon in the foreground.", &run_daemon},
    Command{"check", "", "Check configuration, manifests, versions and trust without starting.",
            &check},
    Command{"plugins", "[list | why PLUGIN]", "List plugins with state and cost, or explain one.",
            &plugins},
    Command{"doctor", "", "One readiness report: display, adapters, ports, permissions, packages.",
            &doctor},
    Command{"contracts", "[list | schema CONTRACT]", "List contracts, or print JSON Schemas.",
            &contracts},
    Command{"call", "CONTRACT [JSON]", "Call a contract and print its answer.", &call},
    Command{"trace", "[CONTRACT | export FOLDER OUT.html]",
            "The last messages on the bus; or a recording of the observer as one page.", &trace},
    Command{"config", "[show | written | set | unset | reference]",
            "Print the effective configuration or the reference, or write settings.", &config},
    Command{"tools", "[published | TOOL…]",
            "The observer's tools, or their declarations for models.", &tools},
    Command{"ask", "WORDS…", "Have the agent do something, and watch it.", &ask},
    Command{"chat", "", "Talk with the agent, line by line; /exit ends it.", &chat},
    Command{"ocr", "FILE", "Read the text in a picture file.", &ocr},
    Command{"locate", "FILE WORDS…", "Find in a picture file what the words describe.", &locate},
    Command{"listen", "[FILE.wav | -]",
            "Write down what is said in a file, or into the microphone.", &listen},
    Command{"say", "TEXT…", "Say a text on the loudspeaker, or into a WAVE file (-o).", &say},
    Command{"voice", "", "Wait for the wake phrase, do what is said, and answer aloud.", &voice},
    Command{"user", "[list | add NAME | password NAME | link NAME | remove NAME]",
            "Who may sign in to the aide chat.", &user},
    Command{"pair", "[list | approve CODE | deny CODE | revoke DEVICE]",
            "Devices that ask to use the gateway: let them in, turn them away.", &pair},
    Command{"models", "[list | verify | fetch [NAME…]]",
            "Model files: what is pinned, what is there and whole; fetch them.", &models},
    Command{"version", "", "Print the version.", &version},
};

/// A command that takes the options of another program instead of ours.
struct ForeignCommand {
  std::string_view name;
  std::string_view doc;
  int (*run)(int argc, char** argv);
};
constexpr std::array kForeign{
    ForeignCommand{"observer",
                   "The screen observer with its published command line (observer --help).",
                   &observer},
    ForeignCommand{"mcp", "MCP on standard input and output: short for observer --mode mcp.", &mcp},
};

struct OptionRow {
  const char* name;
  const char* letter;
  const char* argument;       // nullptr: a switch
  std::string_view commands;  // that take it, with commas; empty: all
  const char* doc;
  void (*apply)(Invocation&, const std::string&);
};

constexpr int kMostTimeoutMs = 3'600'000;

int number(const std::string& text, const char* option, int most) {
  char* end = nullptr;
  const long value = std::strtol(text.c_str(), &end, 10);
  if (text.empty() || *end != '\0' || value < 1 || value > most) {
    throw Poco::InvalidArgumentException(std::string("--") + option + " takes a number in 1…" +
                                         std::to_string(most) + ", found '" + text + "'");
  }
  return static_cast<int>(value);
}

void split(const std::string& text, std::vector<std::string>& out) {
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t comma = std::min(text.find(',', begin), text.size());
    out.push_back(text.substr(begin, comma - begin));
    begin = comma + 1;
  }
}

constexpr std::array kOptions{
    OptionRow{"config", "c", "FILE", "", "main configuration file",
              [](Invocation& i, const std::string& v) { i.config_file = v; }},
    OptionRow{"profile", "p", "NAME[,NAME]", "", "profiles instead of the file's",
              [](Invocation& i, const std::string& v) { split(v, i.profiles); }},
    OptionRow{"set", "s", "KEY=VALUE", "", "set one key (may be repeated)",
              [](Invocation& i, const std::string& v) { i.sets.push_back(v); }},
    OptionRow{"plugin-dir", "", "DIR", "", "the installation's plugins, when not beside the binary",
              [](Invocation& i, const std::string& v) { i.plugin_dir = v; }},
    OptionRow{"safe-mode", "", nullptr, "",
              "only the installation's own plugins, with their defaults",
              [](Invocation& i, const std::string&) { i.safe_mode = true; }},
    OptionRow{"json", "j", nullptr, "", "print JSON; run: the log as JSON lines",
              [](Invocation& i, const std::string&) { i.json = true; }},
    OptionRow{"socket", "", "PATH", "", "control socket of the running daemon",
              [](Invocation& i, const std::string& v) {
                i.socket = v.starts_with("unix:") ? v.substr(5) : v;  // as the log prints it
              }},
    OptionRow{"in-process", "", nullptr, "",
              "start what is needed here, do not ask a running daemon",
              [](Invocation& i, const std::string&) { i.in_process = true; }},
    OptionRow{"target", "t", "PLUGIN", "call", "the plugin that shall answer",
              [](Invocation& i, const std::string& v) { i.target = v; }},
    OptionRow{"timeout", "", "MS", "call, ocr, locate",
              "how long to wait (10000; for pictures 120000)",
              [](Invocation& i, const std::string& v) {
                i.timeout_ms = number(v, "timeout", kMostTimeoutMs);
                i.timeout_given = true;
              }},
    OptionRow{"format", "f", "FORMAT", "tools", "openai, anthropic or mcp",
              [](Invocation& i, const std::string& v) { i.format = v; }},
    OptionRow{"model", "m", "MODEL", "ask, chat", "the model, as id or provider/id",
              [](Invocation& i, const std::string& v) { i.model = v; }},
    OptionRow{"session", "", "KEY", "ask, chat", "the conversation to go on with",
              [](Invocation& i, const std::string& v) { i.session = v; }},
    OptionRow{"output", "o", "FILE", "say, voice",
              "WAVE file instead of the loudspeaker (-: stdout)",
              [](Invocation& i, const std::string& v) { i.output = v; }},
    OptionRow{"input", "i", "FILE", "voice", "WAVE file instead of the microphone",
              [](Invocation& i, const std::string& v) { i.input = v; }},
    OptionRow{"voice", "", "NAME", "say, voice", "who speaks",
              [](Invocation& i, const std::string& v) { i.voice = v; }},
    OptionRow{"yes", "y", nullptr, "ask, chat, voice", "the agent may act without asking",
              [](Invocation& i, const std::string&) { i.yes = true; }},
    OptionRow{"limit", "n", "N", "trace", "how many entries (200)",
              [](Invocation& i, const std::string& v) {
                i.limit = number(v, "limit", service::kMostTraceEntries);
              }},
};

void print_row(std::FILE* out, const std::string& left, std::string_view doc) {
  constexpr std::size_t kLeft = 34;
  // What does not fit stands on a line of its own.
  const std::size_t width = columns(left);
  const std::string gap =
      width <= kLeft ? std::string(kLeft - width + 1, ' ') : "\n" + std::string(kLeft + 3, ' ');
  std::fprintf(out, "  %s%s%.*s\n", left.c_str(), gap.c_str(), static_cast<int>(doc.size()),
               doc.data());
}

std::string spelt(const OptionRow& row) {
  std::string out = row.letter[0] != '\0' ? "-" + std::string(row.letter) + ", " : "    ";
  out += "--" + std::string(row.name);
  return row.argument == nullptr ? out : out + " " + row.argument;
}

void print_help(std::FILE* out) {
  std::fputs("usage: gantry COMMAND [OPTIONS]\n\ncommands (gantry COMMAND --help tells more):\n",
             out);
  for (const auto& command : kCommands) {
    print_row(out, std::string(command.name) + " " + std::string(command.arguments), command.doc);
  }
  for (const auto& command : kForeign) {
    print_row(out, std::string(command.name) + " [OPTIONS]", command.doc);
  }
  std::fputs("\noptions:\n", out);
  for (const auto& row : kOptions) {
    const std::string whose = row.commands.empty() ? "" : std::string(row.commands) + ": ";
    print_row(out, spelt(row), whose + row.doc);
  }
  print_row(out, "-h, --help", "this text, or that of a command");
  print_row(out, "    --version", "alone: the same as the command");
}

bool takes(const Command& command, const OptionRow& row) {
  const std::string all = ", " + std::string(row.commands) + ",";
  return all.find(", " + std::string(command.name) + ",") != std::string::npos;
}

void print_help(const Command& command) {
  const std::string arguments =
      command.arguments.empty() ? "" : std::string(command.arguments) + " ";
  std::printf("usage: gantry %s %s[OPTIONS]\n\n%s\n", std::string(command.name).c_str(),
              arguments.c_str(), std::string(command.doc).c_str());
  bool any = false;
  for (const auto& row : kOptions) {
    if (row.commands.empty() || !takes(command, row)) continue;
    if (!any) std::fputs("\noptions:\n", stdout);
    any = true;
    print_row(stdout, spelt(row), row.doc);
  }
  std::fputs("\noptions of every command:\n", stdout);
  for (const auto& row : kOptions) {
    if (row.commands.empty()) print_row(stdout, spelt(row), row.doc);
  }
}

Poco::Util::OptionSet option_set() {
  Poco::Util::OptionSet set;
  for (const auto& row : kOptions) {
    Poco::Util::Option option(row.name, row.letter, row.doc, false);
    option.repeatable(true);
    if (row.argument != nullptr) option.argument(row.argument);
    set.addOption(option);
  }
  set.addOption(Poco::Util::Option("help", "h", "this text", false).repeatable(true));
  return set;
}

// Poco takes the value from the same word only; "--set key=value" has it in the next.
const OptionRow* takes_next_word(const std::string& word) {
  for (const auto& row : kOptions) {
    if (row.argument == nullptr) continue;
    const bool is_short = row.letter[0] != '\0' && word == "-" + std::string(row.letter);
    if (word == "--" + std::string(row.name) || is_short) return &row;
  }
  return nullptr;
}

void apply(Invocation& invocation, const OptionRow& row, const std::string& value) {
  // An empty variable of a script must not silently become the default.
  if (row.argument != nullptr && value.empty()) {
    throw Poco::InvalidArgumentException("--" + std::string(row.name) + " needs " + row.argument);
  }
  row.apply(invocation, value);
}

void apply(Invocation& invocation, const std::string& name, const std::string& value) {
  for (const auto& row : kOptions) {
    if (name == row.name) apply(invocation, row, value);
  }
}

Poco::InvalidArgumentException unknown_option(const std::string& word) {
  const std::string name = word.substr(0, word.find('='));
  std::vector<std::string> known{"--help", "--version"};
  known.reserve(known.size() + kOptions.size());
  for (const auto& row : kOptions) known.push_back("--" + std::string(row.name));
  return Poco::InvalidArgumentException("there is no option " + name + "." +
                                        config::did_you_mean(name, known) + " See gantry --help");
}

// Poco would take "--mode" for "--model", and leave out one at the end whose value is missing.
bool is_abbreviated(const std::string& word) {
  const std::string name = word.substr(0, word.find('='));
  return name.starts_with("--") && name != "--help" &&
         std::none_of(kOptions.begin(), kOptions.end(),
                      [&](const OptionRow& row) { return name == "--" + std::string(row.name); });
}

bool next_option(Poco::Util::OptionProcessor& processor, const std::string& word, std::string& name,
                 std::string& value) {
  if (is_abbreviated(word)) throw unknown_option(word);
  try {
    return word != "-" && processor.process(word, name, value);
  } catch (const Poco::Util::UnknownOptionException&) {
    throw unknown_option(word);
  }
}

// Fills in the invocation; answers false when --help was asked for.
bool parse(int argc, char** argv, Invocation& invocation) {
  const auto set = option_set();
  Poco::Util::OptionProcessor processor(set);
  processor.setUnixStyle(true);
  bool help = false;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--") {
      invocation.arguments.insert(invocation.arguments.end(), argv + i + 1, argv + argc);
      break;
    }
    if (const auto* row = takes_next_word(word)) {
      if (i + 1 >= argc) {
        throw Poco::InvalidArgumentException(word + " needs " + row->argument);
      }
      apply(invocation, *row, argv[++i]);
      continue;
    }
    std::string name;
    std::string value;
    if (!next_option(processor, word, name, value)) {
      invocation.arguments.push_back(word);
    } else if (name == "help") {
      help = true;
    } else {
      apply(invocation, name, value);
    }
  }
  return !help;
}

int unknown_command(const std::string& name) {
  std::vector<std::string> known;
  known.reserve(kCommands.size() + kForeign.size());
  for (const auto& command : kCommands) known.emplace_back(command.name);
  for (const auto& command : kForeign) known.emplace_back(command.name);
  complain("there is no command '" + name + "'." + config::did_you_mean(name, known) +
           " See gantry --help");
  return kUsage;
}

/// Of the command that is named first, else of all.
int help(const std::vector<std::string>& words) {
  if (words.empty()) {
    print_help(stdout);
    return kOk;
  }
  for (const auto& command : kForeign) {
    std::string option = "--help";
    char* argument = option.data();
    if (command.name == words.front()) return command.run(1, &argument);
  }
  for (const auto& command : kCommands) {
    if (command.name != words.front()) continue;
    print_help(command);
    return kOk;
  }
  return unknown_command(words.front());
}

}  // namespace

int run_command(int argc, char** argv) {
  for (const auto& command : kForeign) {
    if (argc > 1 && command.name == argv[1]) return command.run(argc - 2, argv + 2);
  }
  Invocation invocation;
  if (argc == 2 && std::string_view(argv[1]) == "--version") return version(invocation);
  try {
    if (!parse(argc, argv, invocation)) return help(invocation.arguments);
  } catch (const Poco::InvalidArgumentException& error) {
    complain(error.message());
    return kUsage;
  } catch (const Poco::Exception& error) {
    complain(error.displayText());
    return kUsage;
  }
  if (invocation.arguments.empty()) {
    print_help(stderr);
    return kUsage;
  }
  const std::string name = invocation.arguments.front();
  invocation.arguments.erase(invocation.arguments.begin());
  if (name == "help") return help(invocation.arguments);
  for (const auto& command : kCommands) {
    if (command.name == name) return command.run(invocation);
  }
  return unknown_command(name);
}

void complain(std::string_view message) {
  std::fprintf(stderr, "gantry: %.*s\n", static_cast<int>(message.size()), message.data());
}

void print_findings(const config::Diagnostics& diagnostics) {
  std::fputs(printable(diagnostics.to_string()).c_str(), stderr);
}

std::string table(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], columns(row[i]));
  }
  std::string out;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += row[i];
      if (i + 1 < row.size()) line.append(widths[i] - columns(row[i]) + 2, ' ');
    }
    out += line + "\n";
  }
  return out;
}

}  // namespace gantry::cli
