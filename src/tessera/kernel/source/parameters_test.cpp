#include "tessera/kernel/source/parameters.h"

#include <gtest/gtest.h>

#include <cstring>

#include "tessera/base/error.h"
#include "tessera/kernel/source/ptx.h"

namespace tessera::kernel {
namespace {

KernelParameters declared(const char* list, std::optional<std::vector<int64_t>> sizes = {}) {
  return {"k", DeclaredSource("__global__ void k(" + std::string(list) + ") {}").find("k"), std::move(sizes)};
}

GivenNumber weak(int64_t value) { return {Scalar::of_int(DType::int64, value), true}; }
GivenNumber weak(double value) { return {Scalar::of_float(DType::float64, value), true}; }

template <class T>
T put(const KernelParameters& parameters, const GivenNumber& given, size_t k = 0) {
  char bytes[16] = {};
  parameters.put_number(k, given, bytes);
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

template <class Body>
std::string refusal(Body&& body) {
  try {
    body();
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(KernelParameters, PythonsNumbersBecomeWhatTheParameterDeclares) {
  EXPECT_EQ(put<int32_t>(declared("int n"), weak(int64_t{-7})), -7);
  EXPECT_EQ(put<float>(declared("float a"), weak(int64_t{3})), 3.0f);
  EXPECT_EQ(put<double>(declared("double a"), weak(0.25)), 0.25);
  EXPECT_EQ(put<uint8_t>(declared("unsigned char c"), weak(int64_t{255})), 255);
  EXPECT_EQ(put<float>(declared("complex<float> z"), weak(2.5)), 2.5f);
}

TEST(KernelParameters, NumbersThatDoNotFitAreRefused) {
  EXPECT_EQ(refusal([] { put<int>(declared("int n"), weak(int64_t{1} << 31)); }),
            "k: argument 1 (int n): 2147483648 does not fit int32");
  EXPECT_EQ(refusal([] { put<int>(declared("size_t n"), weak(int64_t{-1})); }),
            "k: argument 1 (size_t n): -1 does not fit uint64");
  EXPECT_EQ(refusal([] { put<int>(declared("int n"), weak(1.5)); }),
            "k: argument 1 (int n) takes int32, not 1.5: convert it with int(...)");
  EXPECT_EQ(
      refusal([] { put<int>(declared("float a"), {Scalar::of_float(DType::float64, 2), false}); }),
      "k: argument 1 (float a) takes float32, not numpy.float64(2): pass numpy.float32(...) or a number of Python's");
  EXPECT_EQ(refusal([] { put<int>(declared("float* a"), weak(1.5)); }),
            "k: argument 1 (float* a) takes an array, not 1.5");
}

TEST(KernelParameters, ArraysAreCheckedByTypeAndLayout) {
  const View dense = View::contiguous(Dims{4, 6}, DType::float32);
  const KernelParameters parameters = declared("const float* x, int n, double* y, void* p");
  parameters.check_array(0, dense);
  parameters.check_array(0, dense.transpose());
  parameters.check_array(3, dense);
  EXPECT_FALSE(parameters.writes(0));
  EXPECT_TRUE(parameters.writes(2));
  EXPECT_EQ(refusal([&] { parameters.check_array(2, dense); }),
            "k: argument 3 (double* y) takes an array of float64, not of float32");
  EXPECT_EQ(refusal([&] { parameters.check_array(1, dense); }),
            "k: argument 2 (int n) takes a number, not an array of 2 axes of float32");
  EXPECT_NE(refusal([&] { parameters.check_array(0, dense.slice(1, 0, 2, 3)); }).find("contiguous copy"),
            std::string::npos);
  EXPECT_EQ(refusal([&] { parameters.check_count(2); }),
            "k takes 4 arguments (const float* x, int n, double* y, void* p); 2 are given");
}

TEST(KernelParameters, TheCodesSizesWinOverTheText) {
  EXPECT_EQ(put<int64_t>(declared("index n", {{8}}), weak(int64_t{5})), 5);
  EXPECT_EQ(put<int32_t>(declared("long n", {{4}}), weak(int64_t{5})), 5);
  EXPECT_EQ(put<float>(KernelParameters("k", {}, {{4}}), weak(1.5)), 1.5f);
  EXPECT_EQ(refusal([] { put<int>(KernelParameters("k", {}, {{4}}), {Scalar::of_int(DType::int64, 2), false}); }),
            "k: argument 1 (4 bytes) has 4 bytes, and numpy.int64(2) has 8");
  EXPECT_EQ(refusal([] { KernelParameters("k", {}, {{24}}).check_bytes(0, 16, "a structure"); }),
            "k: argument 1 (24 bytes) has 24 bytes, and a structure has 16");
}

TEST(Ptx, HasTheSizesOfParameters) {
  const char* text =
      ".visible .entry axpy(\n\t.param .u32 axpy_param_0,\n\t.param .u64 .ptr .align 1 axpy_param_1,\n\t.param .align "
      "8 "
      ".b8 axpy_param_2[24]\n)\n.maxntid 128, 1, 1\n{\n}\n.visible .entry none()\n{\n}";
  EXPECT_EQ(parameter_sizes(text, "axpy"), (std::vector<int64_t>{4, 8, 24}));
  EXPECT_EQ(parameter_sizes(text, "none"), (std::vector<int64_t>{}));
  EXPECT_EQ(parameter_sizes(text, "ax"), std::nullopt);
}

}  // namespace
}  // namespace tessera::kernel
