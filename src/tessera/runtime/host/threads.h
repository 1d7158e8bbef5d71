/// Threads: parallel work on this process's cores, and tasks in the background.
#pragma once

#include <cstdint>
#include <functional>

namespace tessera::runtime {

/// How many threads parallel work uses: set_thread_count, else TESSERA_CPUS, else the cores this process may run on.
int thread_count();
void set_thread_count(int count);

/// A non-owning reference to a callable that is not const, so that starting parallel work allocates nothing.
class RangeFn {
 public:
  template <class F>
  RangeFn(F& f) : object_(&f), call_([](void* o, int64_t b, int64_t e) { (*static_cast<F*>(o))(b, e); }) {}
  void operator()(int64_t begin, int64_t end) const { call_(object_, begin, end); }

 private:
  void* object_;
  void (*call_)(void*, int64_t, int64_t);
};

/// Calls body(b, e) over [0, n) in pieces of at least `grain`, on the calling thread alone when n <= grain.
/// Exceptions of any piece reach the caller. Results must not depend on how the range is cut.
void parallel_for(int64_t n, int64_t grain, RangeFn body);

/// Of the thread that runs a piece of parallel work, from 0 and below thread_count(); 0 elsewhere.
int thread_number();

/// Runs task later on a background thread (kernel compilation), in the order of the calls; never takes the GIL. The
/// task must not throw.
void run_in_background(std::function<void()> task);
/// The same on several threads, up to half of thread_count(), for tasks that do not depend on each other.
void run_concurrently(std::function<void()> task);
/// Waits until no background task is queued or running.
void wait_for_background();
/// Drops the queued tasks and waits for running ones; for the end of the process. Later tasks are dropped too.
void stop_background();

}  // namespace tessera::runtime
