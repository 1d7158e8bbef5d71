/// TiledMemory: the parts of a version's elements that several devices have, when none of them has all.
#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "tessera/base/ref.h"
#include "tessera/graph/storage.h"
#include "tessera/runtime/device.h"
#include "tessera/tile/ranges.h"

namespace tessera::engine {

/// One device's part. What it owns is valid there; of the rest that it holds, copies of others' elements may be.
struct Tile {
  runtime::Device* device = nullptr;
  Ref<runtime::Buffer> memory{};  // null where it holds nothing
  tile::Range held{};
  tile::Range owned{};  // empty in all tiles where other memory has all elements
  tile::Ranges valid{};

  /// Where the version's byte `at`, which it holds, is in its memory.
  char* data(int64_t at) const { return memory->data() + (at - held.begin); }
};

using TiledMemory = std::vector<Tile>;

/// Addresses of tiles keep their remainder by it, on which wide accesses rely.
inline constexpr int64_t tile_alignment = 256;
/// A tile with memory for these bytes, of which none is valid yet; without memory if there are none.
Tile allocate_tile(runtime::Device& device, const tile::Range& bytes);

/// The version's tiles, one for each device of a set, in order; empty if it has none.
std::span<const Tile> tiles_of(const graph::Version& version);
/// Whether they are where the elements are; else they are copies beside memory that has all of them.
bool is_tiled(const graph::Version& version);
/// Makes these the only contents of the version, and the version settled.
void set_tiles(graph::Version& version, TiledMemory tiles);
/// Makes memory of one of these places, null where that is another process, the only contents.
void set_at_one(graph::Version& version, std::span<runtime::Device* const> places, size_t place,
                const Ref<runtime::Buffer>& memory);
/// Keeps them beside the copies that the version has.
void keep_tiles(graph::Version& version, TiledMemory tiles);
/// The pieces by which bytes [begin, end) of the version are put together, each from the device that owns it.
struct TilePiece {
  const Tile* tile;
  tile::Range bytes;
};
std::vector<TilePiece> pieces_of(std::span<const Tile> tiles, const tile::Range& bytes);
/// Queues a copy between two devices of a family: ordered after the work queued on both, and before what is queued on
/// either later.
void copy_tile(char* to, runtime::Device& device, const char* from, runtime::Device& other, int64_t nbytes);

}  // namespace tessera::engine
