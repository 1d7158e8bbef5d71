/// What threads and pools of host memory do around fork().
#pragma once

namespace tessera::runtime {

/// fork() support: drain and stop the pools before, restart lazily after, on both sides.
void install_fork_handlers();

}  // namespace tessera::runtime
