#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "tessera/ops/op.h"
#include "tessera/ops/signatures.h"

namespace tessera::ops {
namespace {

std::ifstream open_data(const std::string& file) {
  auto root = std::filesystem::path(TESSERA_SOURCE_DIR);
  return std::ifstream(root / "tests" / "data" / file);
}

bool mentions_bfloat16(const Signature& s) {
  return std::count(s.in.begin(), s.in.end(), DType::bfloat16) ||
         std::count(s.out.begin(), s.out.end(), DType::bfloat16);
}

TEST(Ops, have_the_loops_and_identities_of_numpy) {
  std::ifstream data = open_data("ufunc_types.txt");
  std::string line;
  std::set<std::string> seen;
  while (std::getline(data, line)) {
    std::istringstream words(line);
    std::string name, identity, loop;
    words >> name >> identity;
    const Op* op = OpTable::standard().find(name);
    ASSERT_NE(op, nullptr) << name;
    seen.insert(name);
    std::vector<std::string> expected, actual;
    while (words >> loop) expected.push_back(loop);
    for (const Signature& s : op->signatures) {
      if (!mentions_bfloat16(s)) actual.push_back(print(s));
    }
    EXPECT_EQ(actual, expected) << name;
    if (identity == "None") {
      EXPECT_FALSE(op->identity) << name;
    } else {
      double value = identity == "True" ? 1 : identity == "False" ? 0 : std::stod(identity);
      EXPECT_EQ(op->identity, value) << name;
    }
  }
  for (const Op& op : OpTable::standard()) {
    if (op.kind == OpKind::map) EXPECT_TRUE(seen.count(std::string(op.name))) << op.name << " is no ufunc of NumPy";
  }
}

TEST(Ops, have_a_bfloat16_loop_for_every_float16_loop) {
  for (const Op& op : OpTable::standard()) {
    for (size_t i = 0; i < op.signatures.size(); ++i) {
      std::string text = print(op.signatures[i]);
      if (text.find('e') == text.npos) continue;
      std::replace(text.begin(), text.end(), 'e', 'E');
      ASSERT_LT(i + 1, op.signatures.size()) << op.name;
      EXPECT_EQ(print(op.signatures[i + 1]), text) << op.name;
    }
  }
}

/// A kernel that loads the operands, evaluates the body and stores the results.
ir::Kernel kernel_of(const Op& op, const Signature& loop) {
  ir::Builder b(1, std::string(op.name));
  for (DType t : loop.in) b.add_buffer({.dtype = t, .ndim = 1});
  for (DType t : loop.out) b.add_buffer({.dtype = t, .ndim = 1, .readable = false, .writable = true});
  std::vector<ir::Value> at{b.index(0)}, in, out(loop.out.size());
  for (uint32_t i = 0; i < loop.in.size(); ++i) in.push_back(b.load(i, at));
  if (op.counts) in.push_back(at[0]);
  op.body(b, in, out);
  for (uint32_t i = 0; i < out.size(); ++i) {
    EXPECT_EQ(b.type(out[i]), loop.out[i]) << op.name << ' ' << print(loop);
    b.store(static_cast<uint32_t>(loop.in.size() + i), out[i], at);
  }
  return b.take();
}

TEST(Ops, build_a_verified_kernel_for_every_loop) {
  for (const Op& op : OpTable::standard()) {
    for (const Signature& loop : op.signatures) {
      SCOPED_TRACE(std::string(op.name) + " " + print(loop));
      EXPECT_NO_THROW(ir::verify(kernel_of(op, loop)));
    }
  }
}

TEST(Ops, know_their_errors_by_operand_type) {
  const Op& divide = *OpTable::standard().find("floor_divide");
  EXPECT_EQ(errors_of(divide, DType::int32), ir::ErrorRule::integer_divide);
  EXPECT_EQ(errors_of(divide, DType::float64), ir::ErrorRule::divide);
  EXPECT_EQ(errors_of(divide, DType::boolean), ir::ErrorRule::none);
}

TEST(Ops, reduce_booleans_with_bits_and_complex_products_with_maps) {
  const OpTable& table = OpTable::standard();
  EXPECT_EQ(reduce_kind_of(*table.find("add"), DType::boolean), ir::ReduceKind::bit_or);
  EXPECT_EQ(reduce_kind_of(*table.find("multiply"), DType::boolean), ir::ReduceKind::bit_and);
  EXPECT_EQ(reduce_kind_of(*table.find("add"), DType::complex64), ir::ReduceKind::add);
  EXPECT_EQ(reduce_kind_of(*table.find("multiply"), DType::complex64), std::nullopt);
  EXPECT_EQ(reduce_kind_of(*table.find("subtract"), DType::float32), std::nullopt);
}

}  // namespace
}  // namespace tessera::ops
