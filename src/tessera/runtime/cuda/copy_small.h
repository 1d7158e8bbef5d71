/// CopySmall: a kernel that writes a few bytes of the device into pinned host memory and then sets a word there.
/// Polling that word takes microseconds less than a copy by the driver and a wait for the stream.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "tessera/runtime/cuda/driver.h"

namespace tessera::runtime::cuda {

struct CopySmall {
  static constexpr const char* entry = "copy_small";
  static constexpr size_t most_pieces = 3, most_bytes = 1024;
  static constexpr unsigned threads = 128;

  struct Piece {
    Address from = 0;
    uint64_t nbytes = 0;
  };
  Address to = 0;    // where the pieces go, contiguously
  Address said = 0;  // the word that is set to `number` once they are there
  uint64_t number = 0;
  Piece pieces[most_pieces];
};

/// The kernel's text; it is launched as one block of CopySmall::threads with a CopySmall by value.
inline std::string copy_small_text() {
  std::string text =
      ".version 6.3\n.target sm_70\n.address_size 64\n.visible .entry copy_small(.param .align 8 .b8 given[" +
      std::to_string(sizeof(CopySmall)) +
      "])\n{\n.reg .pred p;\n.reg .b16 x;\n.reg .b32 word;\n.reg .b64 t, k, a, n, to, from;\n"
      "mov.u32 word, %tid.x;\ncvt.u64.u32 t, word;\nld.param.u64 to, [given];\n";
  for (size_t k = 0; k < CopySmall::most_pieces; ++k) {
    const size_t offset = offsetof(CopySmall, pieces) + k * sizeof(CopySmall::Piece);
    const std::string own = std::to_string(k);
    text += "ld.param.u64 from, [given+" + std::to_string(offset) + "];\nld.param.u64 n, [given+" +
            std::to_string(offset + 8) + "];\nmov.u64 k, t;\nnext" + own + ":\nsetp.ge.u64 p, k, n;\n@p bra done" +
            own + ";\nadd.u64 a, from, k;\nld.global.u8 x, [a];\nadd.u64 a, to, k;\nst.global.u8 [a], x;\n" +
            "add.u64 k, k, " + std::to_string(CopySmall::threads) + ";\nbra next" + own + ";\ndone" + own +
            ":\nadd.u64 to, to, n;\n";
  }
  return text +
         "membar.sys;\nbar.sync 0;\nsetp.ne.u64 p, t, 0;\n@p bra end;\nld.param.u64 a, [given+8];\nld.param.u32 word, "
         "[given+16];\n"
         "st.volatile.global.u32 [a], word;\nend:\nret;\n}\n";
}

}  // namespace tessera::runtime::cuda
