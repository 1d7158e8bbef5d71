#include "tessera/runtime/host/fork_handlers.h"

#include <pthread.h>

#include <mutex>

#include "tessera/runtime/host/background.h"
#include "tessera/runtime/host/host_pool.h"
#include "tessera/runtime/host/host_stream.h"
#include "tessera/runtime/host/workers.h"

namespace tessera::runtime {

void install_fork_handlers() {
  static std::once_flag once;
  std::call_once(once, [] {
    Workers::instance();
    BackgroundWorkers::in_order();
    BackgroundWorkers::concurrently();
    auto before = [] {
      HostStream::instance().before_fork();
      BackgroundWorkers::in_order().before_fork();
      BackgroundWorkers::concurrently().before_fork();
      Workers::instance().before_fork();
      HostPool::instance().lock_for_fork();
    };
    auto in_parent = [] {
      HostPool::instance().unlock_after_fork();
      Workers::instance().after_fork_in_parent();
      BackgroundWorkers::concurrently().after_fork_in_parent();
      BackgroundWorkers::in_order().after_fork_in_parent();
      HostStream::instance().after_fork_in_parent();
    };
    auto in_child = [] {
      HostPool::instance().unlock_after_fork();
      Workers::instance().after_fork_in_child();
      BackgroundWorkers::concurrently().after_fork_in_child();
      BackgroundWorkers::in_order().after_fork_in_child();
      HostStream::instance().after_fork_in_child();
    };
    pthread_atfork(before, in_parent, in_child);
  });
}

}  // namespace tessera::runtime
