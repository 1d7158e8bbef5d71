#include "tessera/graph/large_arrays.h"

#include "tessera/graph/freelist.h"
#include "tessera/graph/storage.h"

namespace tessera::graph {

namespace {

LargeArray* oldest = nullptr;
LargeArray* newest = nullptr;

void unlink(LargeArray& entry) {
  (entry.older ? entry.older->newer : oldest) = entry.newer;
  (entry.newer ? entry.newer->older : newest) = entry.older;
}

void append(LargeArray& entry) {
  entry.older = newest;
  entry.newer = nullptr;
  (newest ? newest->newer : oldest) = &entry;
  newest = &entry;
}

}  // namespace

void note_large(Version& version, const Dims& shape, DType dtype, uint64_t site) {
  if (version.large) {
    unlink(*version.large);
  } else {
    version.large = freelist<LargeArray>.take();
    version.large->version = &version;
  }
  version.large->shape = shape;
  version.large->dtype = dtype;
  version.large->site = site;
  append(*version.large);
}

void mark_used(Version& version) {
  if (!version.large || version.large == newest) return;
  unlink(*version.large);
  append(*version.large);
}

void forget_large(Version& version) {
  if (!version.large) return;
  unlink(*version.large);
  freelist<LargeArray>.give(version.large);
  version.large = nullptr;
}

LargeArray* least_used() { return oldest; }

}  // namespace tessera::graph
