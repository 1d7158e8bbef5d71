#include "tessera/routines/at/kernels.h"
#include "tessera/routines/bins/kernels.h"
#include "tessera/routines/boxes/kernels.h"
#include "tessera/routines/extreme/kernels.h"
#include "tessera/routines/fft/kernels.h"
#include "tessera/routines/linalg/kernels.h"
#include "tessera/routines/product/kernels.h"
#include "tessera/routines/rows/kernels.h"
#include "tessera/routines/scan/kernels.h"
#include "tessera/routines/search/kernels.h"
#include "tessera/routines/select/kernels.h"
#include "tessera/routines/take/kernels.h"
#include "tessera/routines/transpose/kernels.h"

#include <gtest/gtest.h>

#include "tessera/codegen/compiler.h"
#include "tessera/codegen/samples/assembler.h"
#include "tessera/codegen/samples/sample_kernels.h"
#include "tessera/routines/index_draw/kernels.h"
#include "tessera/routines/moments/kernels.h"
#include "tessera/routines/sort/kernels.h"
#include "tessera/routines/stream_draw/kernels.h"
#include "tessera/routines/stream_draw/twister_kernels.h"

namespace tessera::routines {
namespace {

/// The output of ptxas for a kernel with blocks of this many threads; empty without ptxas.
std::string assembled(const ir::Kernel& kernel, int threads) {
  static const int machine = codegen::assembled_for(90);
  if (machine == 0) return {};
  return codegen::assemble(codegen::open_compiler()->compile_ptx(kernel, {.capability = 90, .threads = threads}),
                           machine, "-v");
}

int spilled_bytes(const std::string& said) {
  const size_t end = said.find(" bytes spill stores");
  return end == std::string::npos ? -1 : std::atoi(said.c_str() + said.rfind(' ', end - 1));
}

void fits(const ir::Kernel& kernel, int threads, int most_registers, int most_spilled = 0) {
  const std::string said = assembled(kernel, threads);
  if (said.empty()) GTEST_SKIP() << "no ptxas on the path";
  EXPECT_EQ(said.find("error"), std::string::npos) << said;
  EXPECT_GE(spilled_bytes(said), 0) << said;
  EXPECT_LE(spilled_bytes(said), most_spilled) << kernel.name << "\n" << said;
  EXPECT_LE(codegen::registers_of(said), most_registers) << kernel.name << "\n" << said;
}

TEST(RoutineKernels, that_sort_leave_room_for_three_blocks) {
  for (DType element : {DType::boolean, DType::int16, DType::float32, DType::float64}) {
    for (bool short_text : {false, true}) fits(sort_counts_kernel(element, short_text), sort_counts_threads, 64);
    for (bool places : {false, true}) {
      for (const SortTile& tile : {sort_tile(element, places), short_text_tile}) {
        fits(sort_sweep_kernel({element, places, true, false, DType::uint32, tile}), tile.threads, 80, 64);
        fits(sort_sweep_kernel({element, places, false, true, DType::uint64, tile}), tile.threads, 80, 64);
      }
      fits(sort_rows_kernel(element, places, row_tile(element, places)), row_tile(element, places).threads, 128);
    }
  }
  fits(sort_begins_kernel(DType::uint32), sort_digits, 64);
}

TEST(RoutineKernels, that_copy_leave_room_for_other_blocks) {
  for (const CopiedItem& item :
       {CopiedItem{DType::uint8, 1, false}, CopiedItem{DType::uint32, 1, true}, CopiedItem{DType::uint64, 2, false}}) {
    fits(transpose_kernel(item), transposed_threads, 64);
    for (int ndim : {1, 3, 6}) fits(copy_strided_kernel(item, ndim), 256, 48);
  }
}

TEST(RoutineKernels, that_surround_vendor_libraries_assemble) {
  for (DType real : {DType::float32, DType::float64}) {
    fits(scale_kernel(real), 256, 32);
    fits(clear_imaginary_kernel(real), 256, 32);
    for (int parts : {1, 2}) fits(identity_kernel(real, parts), 256, 40);
  }
  for (int words : {1, 2})
    for (bool upper : {false, true}) fits(triangle_kernel(words, upper), 256, 48);
}

TEST(RoutineKernels, that_keep_reducing_hold_a_square_in_registers) {
  fits(scan_rows_kernel(ir::Opcode::add, DType::float64, DType::float64, true), 32, 80, 16);
  fits(scan_rows_kernel(ir::Opcode::add, DType::float32, DType::float32), 32, 128);
  fits(scan_rows_kernel(ir::Opcode::add, DType::float64, DType::float64), 32, 168);
  fits(scan_rows_kernel(ir::Opcode::mul, DType::complex128, DType::complex128), 32, 255);
}

TEST(RoutineKernels, that_sweep_leave_room_for_six_blocks) {
  for (int levels : {1, 3, 4}) {
    for (DType dtype : {DType::int8, DType::float32, DType::float64, DType::complex128}) {
      for (bool short_text : {false, true})
        fits(scan_sweep_kernel(ir::Opcode::add, dtype, dtype, levels, short_text), scan_sweep_threads, 80,
             is_complex(dtype) ? 224 : 24);
    }
  }
}

TEST(RoutineKernels, that_change_places_assemble) {
  const ops::OpTable& table = ops::OpTable::standard();
  for (const char* name : {"add", "maximum", "multiply", "negative"}) {
    const ops::Op& op = *table.find(name);
    for (const ops::Signature& signature : op.signatures)
      if (signature.in[0] != DType::bfloat16) fits(reduce_places_kernel(op, signature, signature.out[0]), 256, 128);
    if (op.nin == 1) continue;
    for (const ops::Signature& signature : op.signatures) {
      if (signature.in[0] == DType::bfloat16) continue;
      fits(reduce_runs_kernel(op, signature, signature.out[0]), 256, 128);
      if (!is_complex(signature.out[0]) && itemsize(signature.out[0]) >= 4)
        fits(reduce_long_runs_kernel(op, signature, signature.out[0]), long_run_threads, 80);
    }
  }
  for (DType dtype : {DType::int32, DType::uint64}) {
    fits(change_places_kernel(ir::AtomicKind::add, dtype), 256, 64);
    fits(change_places_kernel(ir::AtomicKind::max, dtype), 256, 64);
  }
}

TEST(RoutineKernels, that_search_and_multiply_assemble) {
  for (DType dtype : {DType::boolean, DType::int8, DType::uint32, DType::int64})
    fits(integer_product_kernel(dtype), product_threads, 128, 256);
  for (DType dtype : {DType::float32, DType::float64, DType::int16}) fits(correlate_kernel(dtype), 256, 64);
  for (DType dtype : {DType::boolean, DType::float64, DType::complex64}) fits(search_kernel(dtype, true), 256, 64);
  for (DType dtype : {DType::uint8, DType::float32}) {
    fits(parts_kernel(dtype), 256, 64);
    for (bool places : {false, true}) fits(parted_kernel(dtype, places), 256, 64);
  }
  fits(complex_nans_kernel(DType::complex128), 256, 64);
  fits(repeat_places_kernel(), 256, 64);
  for (int parts : {1, 2}) fits(interpolate_kernel(parts), 256, 64);
}

TEST(RoutineKernels, that_walk_rows_assemble) {
  using library::IndexMode;
  for (IndexMode mode : {IndexMode::raise, IndexMode::wrap, IndexMode::clip})
    fits(row_numbers_kernel(2, DType::int64, false, mode), 256, 64);
  for (DType word : {DType::uint8, DType::uint64}) {
    fits(pick_rows_kernel(word, {2, 2, 2}), 256, 128);
    fits(put_rows_kernel(word, {1, 1, 1}, true), 256, 128);
  }
  fits(bounds_kernel(DType::int64), bins_threads, 64);
  for (bool shared : {false, true}) fits(count_bins_kernel(shared), bins_threads, 64);
}

TEST(RoutineKernels, that_find_extremes_leave_room_for_three_blocks) {
  for (DType element : {DType::float32, DType::float64, DType::int8})
    for (bool short_text : {false, true}) fits(extreme_rows_kernel(true, element, short_text), extreme_threads, 80);
}

TEST(RoutineKernels, that_find_moments_keep_their_rows_in_registers) {
  for (DType dtype : {DType::float32, DType::float64}) {
    fits(moments_kernel(dtype, dtype), 256, 128);
    for (bool last : {false, true}) fits(join_moments_kernel(last, dtype), 256, 128);
  }
}

TEST(RoutineKernels, that_draw_assemble_without_spills) {
  constexpr int any = 0;
  fits(index_draw_kernel(IndexDraw::normal, DType::float32, true), any, 64);
  fits(index_draw_kernel(IndexDraw::normal, DType::float64, true), any, 64);
  fits(index_draw_kernel(IndexDraw::integers, DType::int64, true), any, 64);
  fits(index_draw_kernel(IndexDraw::long_integers, DType::int64, true), any, 64);
}

TEST(RoutineKernels, that_draw_seeded_streams_leave_room_for_other_blocks) {
  for (WordSource source : {WordSource::pcg64, WordSource::pcg64dxsm, WordSource::philox, WordSource::memory}) {
    fits(draw_units_kernel({source, DrawMethod::uniform, DType::float32, true}), draw_threads, 64);
    fits(draw_units_kernel({source, DrawMethod::uniform, DType::float64, false, true}), draw_threads, 64);
    for (const DrawForm& form : {DrawForm{source, DrawMethod::normal, DType::float64, false, true},
                                 DrawForm{source, DrawMethod::exponential, DType::float32, true},
                                 DrawForm{source, DrawMethod::bounded, DType::uint64, true},
                                 DrawForm{source, DrawMethod::masked, DType::uint64},
                                 DrawForm{source, DrawMethod::polar, DType::float64, false, true}})
      fits(draw_numbers_kernel(form), draw_threads, source == WordSource::philox ? 64 : 48, 64);
  }
  fits(twister_jump_kernel(), twister_threads, 80);
  fits(twister_words_kernel(), twister_threads, 64);
}

TEST(RoutineKernels, that_draw_store_words_of_16_bytes) {
  const auto ptx = [](DType dtype) {
    return codegen::open_compiler()->compile_ptx(index_draw_kernel(IndexDraw::uniform, dtype, true),
                                                 {.capability = 90});
  };
  EXPECT_NE(ptx(DType::float32).find("st.global.v4.f32"), std::string::npos);
  EXPECT_NE(ptx(DType::float64).find("st.global.v2.f64"), std::string::npos);
}

}  // namespace
}  // namespace tessera::routines
