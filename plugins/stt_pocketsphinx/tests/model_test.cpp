// SPDX-License-Identifier: Apache-2.0
// The language model, the sounds of letters, and what is written as it is said.
#include <catch2/catch.hpp>

#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "commands.hpp"
#include "language_model.hpp"
#include "letter_to_sound.hpp"
#include "pronunciations.hpp"
#include "screen_names.hpp"
#include "spoken_words.hpp"
#include "voices.hpp"

namespace gantry::stt_pocketsphinx {
namespace {

using Words = std::vector<std::string>;

std::string joined(const Words& words) {
  std::string out;
  for (const auto& word : words) out += (out.empty() ? "" : " ") + word;
  return out;
}

Words split(const std::string& text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), {}};
}

TEST_CASE("probabilities after any words sum to one") {
  LanguageModel model;
  model.add(split("open the mail"), 2);
  model.add(split("open the notes"));
  model.add(split("close the mail"));
  model.add(split("stop"));
  for (const Words& before : {Words{"<s>"}, Words{"<s>", "open"}, Words{"open", "the"},
                              Words{"the", "mail"}, Words{"notes", "stop"}, Words{"mail"}}) {
    CAPTURE(joined(before));
    double sum = std::pow(10, model.log_probability(before, "</s>"));
    for (const auto& word : model.words()) sum += std::pow(10, model.log_probability(before, word));
    CHECK(sum == Approx(1).margin(0.02));
  }
  CHECK(model.log_probability({"open", "the"}, "mail") >
        model.log_probability({"open", "the"}, "notes"));
  CHECK(model.log_probability({"open", "the"}, "notes") >
        model.log_probability({"open", "the"}, "stop"));
  CHECK(model.log_probability({}, "nowhere") == -99);
}

TEST_CASE("an ARPA file counts what it holds") {
  LanguageModel model;
  model.add(split("open the mail"));
  const std::string arpa = model.arpa();
  CHECK(arpa.starts_with("\\data\\\nngram 1=5\nngram 2=4\nngram 3=3\n"));
  CHECK(arpa.ends_with("\n\\end\\\n"));
  for (const char* row :
       {"-99.0000\t<s>\t", "\t<s> open the\n", "\topen the mail\n", "\tthe mail </s>\n"}) {
    CAPTURE(row);
    CHECK(arpa.find(row) != std::string::npos);
  }
}

TEST_CASE("no phrase of the tests is a sentence of the model") {
  std::set<std::string> sentences;
  for_each_command(voices::names_on_screen(),
                   [&](const Words& words, double) { sentences.insert(joined(words)); });
  CHECK(sentences.size() > 5000);
  for (const auto* lines : {&voices::commands(), &voices::more_commands()}) {
    for (const auto& line : *lines) {
      CAPTURE(line);
      CHECK_FALSE(sentences.contains(line));
    }
  }
}

TEST_CASE("a vocabulary is taken once, up to a limit") {
  std::vector<std::string> many;
  for (int i = 0; i < 1000; ++i) many.push_back("name " + std::to_string(i));
  CHECK(command_model(many).phrases == 400);
  const CommandModel model = command_model({"Mail", "mail", "MAIL!", "", "  ", "Почта", "Notes"});
  CHECK(model.phrases == 2);
  CHECK(model.skipped == 1);
}

A11yNode named(std::string name, bool acts) {
  A11yNode node;
  node.name = std::move(name);
  if (acts) node.actions = {"click"};
  return node;
}

TEST_CASE("names of elements: what shows, once, first what can be acted on, up to a bound") {
  A11yTree tree;
  tree.nodes = {named("Your name", false), named("Save", true), named("Save", true),
                named("", true), named(std::string(61, 'x'), true)};
  tree.nodes.push_back(named("Secret", true));
  tree.nodes.back().password = true;
  tree.nodes.push_back(named("Elsewhere", true));
  tree.nodes.back().showing = false;
  tree.nodes.push_back(named("Cancel", true));
  CHECK(names_in(tree) == std::vector<std::string>{"Save", "Cancel", "Your name"});
  for (int i = 0; i < 1000; ++i) tree.nodes.push_back(named("row " + std::to_string(i), false));
  CHECK(names_in(tree).size() == kMostNames);
}

TEST_CASE("what a name holds besides words never reaches the language model") {
  const std::string hostile =
      "Save\n\\end\\\n\n\\data\\ ngram 1=9\t<s> </s> [NOISE] \x1b[2J(2)\r\xff";
  const CommandModel model = command_model({hostile, std::string("Pay\0Now", 7)});
  CHECK(model.phrases == 2);
  for (const std::string& word : model.model.words()) {
    INFO(word);
    CHECK(word.find_first_not_of("abcdefghijklmnopqrstuvwxyz'") == std::string::npos);
  }
  const std::string arpa = model.model.arpa();
  CHECK(arpa.find("\\end\\") == arpa.rfind("\\end\\"));
}

TEST_CASE("of a dictionary what some words need is taken, with all their sounds") {
  const auto file = std::filesystem::temp_directory_path() /
                    ("gantry-dictionary-" + std::to_string(getpid()) + ".dict");
  std::ofstream(file) << "read R EH D\nreads R IY D Z\nread(2) R IY D\n'em AH M\n(2) X\n";
  const auto taken = pronunciations_of({"read", "'em", "gantry"}, file);
  std::filesystem::remove(file);
  REQUIRE(taken.ok());
  CHECK(taken->dictionary == "read R EH D\nread(2) R IY D\n'em AH M\n");
  CHECK(taken->unknown == std::set<std::string>{"gantry"});
  const auto missing = pronunciations_of({"read"}, file);
  REQUIRE_FALSE(missing.ok());
  CHECK(missing.error().code == Code::Unavailable);
}

TEST_CASE("titles are said word by word") {
  const std::pair<std::string, std::string> rows[] = {
      {"Save As...", "save as"},
      {"MouseWheel 2", "mouse wheel two"},
      {"notes.txt - Mousepad", "notes txt mousepad"},
      {"GIMP", "gimp"},
      {"Budget 2024.ods", "budget two thousand twenty four ods"},
      {"Préférences", "preferences"},
      {"Q&A", "q and a"},
      {"don't", "don't"},
      {"'quoted'", "quoted"},
      {"007", "zero zero seven"},
      {"12345678", "one two three four five six seven eight"},
      {"115", "one hundred fifteen"},
      {"Почта", ""},
      {"Mail — Почта", "mail"},
      {"\xFF\xFE broken \xC3", "broken"},
      {"", ""},
  };
  for (const auto& [written, said] : rows) {
    CAPTURE(written);
    CHECK(joined(spoken(written).words) == said);
  }
  CHECK(spoken(std::string(1000, 'a')).skipped == 1);
  CHECK(spoken("a b c d e f g h i j k l m n o p").words.size() == 12);
}

TEST_CASE("letters have sounds") {
  const std::pair<std::string, std::string> rows[] = {
      {"gnome", "G N OW M"},
      {"thunar", "TH AH N AA R"},
      {"xfce", "Z F S"},
      {"vlc", "V IY EH L S IY"},
      {"shell", "SH EH L"},
      {"knife", "N AY F"},
      {"phone", "F OW N"},
      {"nautilus", "N AO T IH L AH S"},
      {"kate", "K EY T"},
      {"quit", "K W IH T"},
      {"night", "N AY T"},
      {"box", "B AA K S"},
      {"", ""},
      {"''", ""},
  };
  for (const auto& [word, phones] : rows) {
    CAPTURE(word);
    CHECK(phones_of(word) == phones);
  }
}

}  // namespace
}  // namespace gantry::stt_pocketsphinx
