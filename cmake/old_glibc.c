/* Functions of newer versions of glibc that the libraries call, implemented with what older versions have, for wheels.
   They are hidden, so that nothing else in the process calls them. See old_glibc.cmake. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>

#define HIDDEN __attribute__((visibility("hidden")))

/* 2.32: true while the process has one thread, which spares shared_ptr its atomics. Always false here. */
HIDDEN char __libc_single_threaded = 0;

/* 2.33: functions; macros around these before. The first argument is the layout of struct stat on x86-64. */
extern int __xstat(int layout, const char* path, struct stat* result);
extern int __lxstat(int layout, const char* path, struct stat* result);
extern int __fxstat(int layout, int file, struct stat* result);
extern int __fxstatat(int layout, int folder, const char* path, struct stat* result, int flags);

HIDDEN int stat(const char* path, struct stat* result) { return __xstat(1, path, result); }
HIDDEN int lstat(const char* path, struct stat* result) { return __lxstat(1, path, result); }
HIDDEN int fstat(int file, struct stat* result) { return __fxstat(1, file, result); }
HIDDEN int fstatat(int folder, const char* path, struct stat* result, int flags) {
  return __fxstatat(1, folder, path, result, flags);
}

#define SAME(name, other) extern __typeof__(other) other __attribute__((alias(#name), visibility("hidden")))
SAME(stat, stat64);
SAME(lstat, lstat64);
SAME(fstat, fstat64);
SAME(fstatat, fstatat64);

/* 2.33: mallinfo with sizes that do not overflow; the older function counts to 4 GiB. */
HIDDEN struct mallinfo2 mallinfo2(void) {
  struct mallinfo small = mallinfo();
  return (struct mallinfo2){.arena = (unsigned)small.arena,
                            .ordblks = (unsigned)small.ordblks,
                            .smblks = (unsigned)small.smblks,
                            .hblks = (unsigned)small.hblks,
                            .hblkhd = (unsigned)small.hblkhd,
                            .usmblks = (unsigned)small.usmblks,
                            .fsmblks = (unsigned)small.fsmblks,
                            .uordblks = (unsigned)small.uordblks,
                            .fordblks = (unsigned)small.fordblks,
                            .keepcost = (unsigned)small.keepcost};
}

/* 2.36: a random number from the kernel. */
HIDDEN uint32_t arc4random(void) {
  uint32_t number;
  while (getrandom(&number, sizeof number, 0) != sizeof number) {
  }
  return number;
}

static int64_t nanoseconds(const struct timespec* time) { return time->tv_sec * INT64_C(1000000000) + time->tv_nsec; }

static int (*glibc_clockwait)(pthread_cond_t*, pthread_mutex_t*, clockid_t, const struct timespec*);
__attribute__((constructor(101))) static void find_clockwait(void) {
  *(void**)&glibc_clockwait = dlsym(RTLD_DEFAULT, "pthread_cond_clockwait");
}

/* 2.30: waits until a time of any clock. Where glibc lacks it, the time is converted to the realtime clock; a wait ends
   early or late by as much as that clock is set meanwhile. */
HIDDEN int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                                  const struct timespec* until) {
  if (glibc_clockwait) return glibc_clockwait(condition, mutex, clock, until);
  if (clock == CLOCK_REALTIME) return pthread_cond_timedwait(condition, mutex, until);
  struct timespec now, settable;
  clock_gettime(clock, &now);
  clock_gettime(CLOCK_REALTIME, &settable);
  int64_t end = nanoseconds(&settable) + nanoseconds(until) - nanoseconds(&now);
  struct timespec converted = {.tv_sec = end / 1000000000, .tv_nsec = end % 1000000000};
  return pthread_cond_timedwait(condition, mutex, &converted);
}
