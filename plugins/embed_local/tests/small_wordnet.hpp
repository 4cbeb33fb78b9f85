// SPDX-License-Identifier: Apache-2.0
//
// WordNet's files with a few words, in its format (wndb(5WN)).
#pragma once

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

namespace gantry::embed_local {

inline constexpr std::size_t kSmallSynsets = 9;

inline void write_small_wordnet(const std::filesystem::path& folder) {
  const std::vector<std::pair<const char*, const char*>> files = {
      {"data.noun",
       "  1 A licence.\n"
       "00000100 03 n 01 entity 0 000 | that which is\n"
       "00000200 06 n 01 vehicle 0 002 @ 00000100 n 0000 ~ 00000300 n 0000 | it carries people\n"
       "00000300 06 n 02 car 0 automobile 0 001 @ 00000200 n 0000 | a vehicle with an engine\n"
       "00000400 05 n 01 animal 0 001 @ 00000100 n 0000 | it lives and breathes\n"
       "00000500 05 n 01 mouse 0 001 @ 00000400 n 0000 | a small animal with a tail\n"
       "00000600 05 n 02 cat 0 Felis_catus 0 001 @ 00000400 n 0000 | an animal that eats mice\n"},
      {"data.verb",
       "00000700 35 v 02 turn_off 0 switch_off 0 001 @ 00000800 v 0000 01 + 08 00 | stop a lamp\n"
       "00000800 35 v 01 stop 0 000 01 + 08 00 | come to an end\n"},
      {"data.adj", "00000900 00 s 01 small(p) 0 000 | little in size\n"},
      {"data.adv", ""},
      {"index.noun",
       "animal n 1 1 @ 1 0 00000400  \n"
       "automobile n 1 1 @ 1 1 00000300  \n"
       "car n 1 1 @ 1 1 00000300  \n"
       "cat n 1 1 @ 1 0 00000600  \n"
       "entity n 1 0 1 0 00000100  \n"
       "felis_catus n 1 1 @ 1 0 00000600  \n"
       "mouse n 1 1 @ 1 0 00000500  \n"
       "vehicle n 1 2 @ ~ 1 0 00000200  \n"},
      {"index.verb",
       "stop v 1 0 1 0 00000800  \n"
       "switch_off v 1 1 @ 1 0 00000700  \n"
       "turn_off v 1 1 @ 1 0 00000700  \n"},
      {"index.adj", "small a 1 0 1 0 00000900  \n"},
      {"index.adv", ""},
      {"noun.exc", "mice mouse\n"},
      {"verb.exc", ""},
      {"adj.exc", ""},
      {"adv.exc", ""},
      {"cntlist.rev", "car%1:06:00:: 1 71\nautomobile%1:06:00:: 1 3\n"},
  };
  for (const auto& [name, text] : files) std::ofstream(folder / name) << text;
}

}  // namespace gantry::embed_local
