#include "tessera/eager/host_array.h"

#include <gtest/gtest.h>

#include "tessera/eager/array_memory_error.h"
#include "tessera/eager/sample_arrays_test.h"
#include "tessera/runtime/host/host_pool.h"

namespace tessera::eager {
namespace {

TEST(HostArrayTest, ANewArrayCanBeReadAndWritten) {
  const Array a = array_of({1, 2});
  EXPECT_EQ(readable(a), first_element(a));
  EXPECT_EQ(writable(a), first_element(a));
}

TEST(HostArrayTest, AVersionThatIsSharedCannotBeWritten) {
  const Array a = array_of({1, 2});
  const Ref<graph::Version> reader = a.storage->current;
  EXPECT_TRUE(readable(a));
  EXPECT_FALSE(writable(a));
}

TEST(HostArrayTest, APendingVersionCanNeitherBeReadNorWritten) {
  const Array a = array_of({1, 2});
  a.storage->current = Ref<graph::Version>(graph::Version::make());
  EXPECT_FALSE(readable(a));
  EXPECT_FALSE(writable(a));
}

TEST(HostArrayTest, TheErrorOfMissingMemoryNamesTheArray) {
  array_of({});
  runtime::HostPool& pool = runtime::HostPool::instance();
  pool.set_limit(pool.statistics().bytes_in_use + (1 << 20));
  try {
    make_array(View::contiguous(Dims{1 << 10, 1 << 12}, DType::float64));
    ADD_FAILURE() << "the array was made";
  } catch (const ArrayMemoryError& error) {
    EXPECT_EQ(error.shape(), (Dims{1 << 10, 1 << 12}));
    EXPECT_EQ(error.dtype(), DType::float64);
  }
  pool.set_limit(0);
}

}  // namespace
}  // namespace tessera::eager
