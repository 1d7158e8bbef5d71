/// Threads of the engine, which have the storage that libraries keep for each thread before they work.
#pragma once

#include <functional>
#include <thread>

namespace tessera::runtime {

/// Makes the storage that the C++ library keeps for this thread. Otherwise the first exception makes it, and where that
/// is one for want of memory, the system ends the process.
void make_thread_storage();

/// A thread that runs `body`; returns when it has its storage, for which memory is kept free until then. Throws
/// std::system_error where the thread cannot be created.
std::thread start_thread(std::function<void()> body);

}  // namespace tessera::runtime
