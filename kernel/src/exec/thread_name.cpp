// SPDX-License-Identifier: Apache-2.0
#include "exec/thread_name.hpp"

#include <cstring>

#if defined(__linux__)
#include <pthread.h>
#endif

namespace gantry::kernel {

void set_thread_name(const char* name) {
#if defined(__linux__)
  char text[16];
  std::strncpy(text, name, sizeof text - 1);
  text[sizeof text - 1] = '\0';
  pthread_setname_np(pthread_self(), text);
#else
  (void)name;
#endif
}

}  // namespace gantry::kernel
