#include "tessera/runtime/host/thread_start.h"

#include <exception>
#include <latch>
#include <memory>
#include <new>
#include <system_error>
#include <utility>

#include "tessera/runtime/host/small_blocks.h"

namespace tessera::runtime {

namespace {

/// Of the stack of exceptions, the free lists, and what malloc maps for a thread's first block.
constexpr size_t storage_bytes = size_t{512} << 10;

std::thread start(std::function<void()> body) {
  auto reserve = std::make_unique_for_overwrite<std::byte[]>(storage_bytes);
  auto may_begin = std::make_shared<std::latch>(1), has_storage = std::make_shared<std::latch>(1);
  std::thread thread([body = std::move(body), may_begin, has_storage] {
    may_begin->wait();
    make_thread_storage();
    has_storage->count_down();
    body();
  });
  reserve.reset();
  may_begin->count_down();
  has_storage->wait();
  return thread;
}

}  // namespace

void make_thread_storage() {
  // Volatile: the function is declared as pure, so a call of which nothing is kept is left out.
  [[maybe_unused]] const volatile int thrown = std::uncaught_exceptions();
  small_blocks::join();
}

std::thread start_thread(std::function<void()> body) {
  try {
    return start(std::move(body));
  } catch (const std::bad_alloc&) {
    throw std::system_error(std::make_error_code(std::errc::not_enough_memory));
  }
}

}  // namespace tessera::runtime
