// The device's frame: one thread a lane, rows and lanes walked with the grid as stride. Control flow stays inside lanes
// and values in registers; shared arrays and barriers are the machine's own.
#include "tessera/base/error.h"
#include "tessera/codegen/device_parameters.h"
#include "tessera/codegen/emit/emitter.h"

#include <llvm/IR/IntrinsicsNVPTX.h>

namespace tessera::codegen {

namespace {

constexpr unsigned global_memory = 1;
constexpr unsigned shared_memory = 3;

int64_t field_offset(const DeviceParameters& parameters, int field) {
  switch (field) {
    case field_buffers: return parameters.buffers;
    case field_strides: return parameters.strides;
    case field_dimensions: return parameters.dimensions;
    case field_scalars: return parameters.scalars;
    case field_extents: return parameters.extents;
    default: return parameters.flags;
  }
}

}  // namespace

/// Data on the device is addressed as global memory.
llvm::PointerType* Emitter::data_pointer() {
  return b_.getPtrTy(machine_.kind == Machine::Kind::nvptx ? global_memory : 0);
}

llvm::Value* Emitter::device_field(int field) {
  return b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), function_->getArg(0),
                                       field_offset(DeviceParameters(kernel_), field));
}

llvm::Value* Emitter::special_register(unsigned id) { return b_.CreateZExt(b_.CreateIntrinsic(id, {}, {}), word_); }

llvm::Function* Emitter::emit_device(const char* name) {
  auto* type = llvm::FunctionType::get(b_.getVoidTy(), {data_pointer()}, false);
  llvm::Function* function = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, name, module_);
  function->setCallingConv(llvm::CallingConv::PTX_Kernel);
  open_function(function);
  llvm::BasicBlock* start = llvm::BasicBlock::Create(context_, "start", function);
  b_.CreateBr(start);
  b_.SetInsertPoint(start);
  open_level();
  open_flags();
  const DeviceParameters parameters(kernel_);
  const auto word = [&](int64_t offset) -> llvm::Value* {
    return b_.CreateLoad(word_, b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), function->getArg(0), offset));
  };
  llvm::Value* rows = b_.getInt64(1);
  std::vector<llvm::Value*> begin, size;
  for (int axis = 0; axis < kernel_.ndim; ++axis) {
    begin.push_back(word(parameters.begin + 8 * axis));
    size.push_back(b_.CreateSub(word(parameters.end + 8 * axis), begin.back()));
    if (axis + 1 < kernel_.ndim) rows = b_.CreateMul(rows, size.back());
  }
  Loop row = open_loop(special_register(llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_y), rows,
                       special_register(llvm::Intrinsic::nvvm_read_ptx_sreg_nctaid_y), false, "row");
  llvm::Value* rest = row.index;
  for (int axis = kernel_.ndim - 2; axis >= 0; --axis) {
    axis_index_[axis] = b_.CreateAdd(begin[axis], b_.CreateURem(rest, size[axis]));
    rest = b_.CreateUDiv(rest, size[axis]);
  }
  for (int axis = 0; axis + 1 < kernel_.ndim; ++axis) open_level();
  emit_device_lanes(kernel_.ndim ? begin.back() : b_.getInt64(0), kernel_.ndim ? size.back() : b_.getInt64(1));
  close_loop(row, false);
  close_flags();
  b_.CreateRetVoid();
  return function;
}

void Emitter::emit_device_lanes(llvm::Value* begin, llvm::Value* size) {
  llvm::Value* thread = special_register(llvm::Intrinsic::nvvm_read_ptx_sreg_tid_x);
  llvm::Value* block = special_register(llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_x);
  llvm::Value* threads = special_register(llvm::Intrinsic::nvvm_read_ptx_sreg_ntid_x);
  llvm::Value* blocks = special_register(llvm::Intrinsic::nvvm_read_ptx_sreg_nctaid_x);
  Loop lane =
      open_loop(b_.CreateAdd(b_.CreateMul(block, threads), thread), size, b_.CreateMul(threads, blocks), false, "lane");
  lane_index_ = strip_begin_ = b_.CreateAdd(lane.index, begin);
  strip_size_ = b_.getInt64(1);
  if (kernel_.ndim > 0) axis_index_.back() = lane_index_;
  in_lane_ = true;
  make_arrays();
  emit_region(0);
  // The next row of this block must not overwrite what slower threads still read.
  bool has_shared = false;
  for (const ir::ArrayDecl& array : kernel_.arrays) has_shared |= array.shared;
  if (has_shared) emit_barrier();
  close_loop(lane, false);
  in_lane_ = false;
}

llvm::Value* Emitter::shared_array(llvm::Type* type, int64_t size) {
  auto* array = llvm::ArrayType::get(type, static_cast<uint64_t>(size));
  return new llvm::GlobalVariable(module_, array, false, llvm::GlobalValue::InternalLinkage,
                                  llvm::PoisonValue::get(array), "shared", nullptr, llvm::GlobalValue::NotThreadLocal,
                                  shared_memory);
}

}  // namespace tessera::codegen
