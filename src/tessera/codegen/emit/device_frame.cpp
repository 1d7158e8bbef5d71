// The frame of a kernel for a device: its block of parameters, coordinates and shared memory.
#include "tessera/codegen/address_spaces.h"
#include "tessera/codegen/device_parameters.h"
#include "tessera/codegen/emit/emitter.h"

namespace tessera::codegen {

namespace {

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

/// Pointers to data on the device are in the global address space.
llvm::PointerType* Frame::data_pointer() {
  return b_.getPtrTy(machine_.kind == Machine::Kind::device && !w_.is_callable ? global_memory : 0);
}

llvm::Value* Frame::device_field(int field) {
  return b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), function_->getArg(0),
                                       field_offset(DeviceParameters(kernel_), field));
}

llvm::Value* Frame::special_register(GridNumber number) {
  if (w_.in_epilogue && (number == GridNumber::block_x || number == GridNumber::block_y)) return b_.getInt64(0);
  if (w_.in_epilogue && (number == GridNumber::blocks_x || number == GridNumber::blocks_y)) return b_.getInt64(1);
  return b_.CreateZExt(device::grid_number(b_, number), word_);
}

llvm::Value* Frame::row_threads() {
  if (mapping_.threads > 0) return b_.getInt64(static_cast<uint64_t>(mapping_.threads));
  return special_register(GridNumber::threads_x);
}

llvm::Value* Frame::mark_positive(llvm::Value* step) {
  positive_steps_.insert(step);
  return step;
}

/// The word of the parameter block that is always 0.
llvm::Value* Frame::device_zero() {
  return b_.CreateLoad(
      word_, b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), function_->getArg(0), DeviceParameters(kernel_).zero));
}

llvm::Value* Frame::shared_array(llvm::Type* type, int64_t size) {
  auto* array = llvm::ArrayType::get(type, static_cast<uint64_t>(size));
  auto* shared =
      new llvm::GlobalVariable(module_, array, false, llvm::GlobalValue::InternalLinkage, llvm::PoisonValue::get(array),
                               "shared", nullptr, llvm::GlobalValue::NotThreadLocal, shared_memory);
  shared->setAlignment(llvm::Align(16));  // so that the assembler may join loads of neighbours
  return shared;
}

/// The shared memory whose size the launch gives.
llvm::Value* Frame::device_dynamic_array() {
  auto* type = llvm::ArrayType::get(b_.getInt8Ty(), 0);
  auto* dynamic = new llvm::GlobalVariable(module_, type, false, llvm::GlobalValue::ExternalLinkage, nullptr, "dynamic",
                                           nullptr, llvm::GlobalValue::NotThreadLocal, shared_memory);
  dynamic->setAlignment(llvm::Align(16));
  return dynamic;
}

}  // namespace tessera::codegen
