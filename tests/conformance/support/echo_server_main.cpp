// SPDX-License-Identifier: Apache-2.0
//
// The echo server as a program, for peers that are programs themselves: prints its port, serves
// until its standard input ends.
#include "echo_server.hpp"

#include <cstdio>
#include <string>

int main(int argc, char** argv) {
  gantry::conformance::EchoOptions options;
  if (argc > 1) options.loops = std::stoul(argv[1]);
  const gantry::conformance::EchoServer server(options);
  std::printf("%u\n", server.port());
  std::fflush(stdout);
  while (std::getchar() != EOF) {
  }
  return 0;
}
