#include "tessera/kernel/source/declarations.h"

#include <gtest/gtest.h>

#include "tessera/base/format.h"

namespace tessera::kernel {
namespace {

/// "n: int32; x: const float32*": what arguments depend on.
std::string describe(const DeclaredKernel& kernel) {
  std::string text;
  for (const DeclaredParameter& parameter : kernel.parameters) {
    const SourceType& type = parameter.type;
    text += format("{}{}: {}{}", text.empty() ? "" : "; ", parameter.name, type.is_const ? "const " : "",
                   type.element   ? std::string(name(*type.element))
                   : type.is_void ? "void"
                                  : "?");
    if (type.lanes > 1) text += format(" x {}", type.lanes);
    if (type.is_pointer) text += "*";
  }
  return text;
}

std::string read(std::string_view source, std::string_view name, std::vector<std::string> defines = {}) {
  const std::optional<DeclaredKernel> found = DeclaredSource(source, defines).find(name);
  return found ? describe(*found) : "none";
}

TEST(DeclaredSource, ReadsParametersWithTheirTypes) {
  EXPECT_EQ(
      read("extern \"C\" __global__ void axpy(const int n, const float a, const float* __restrict__ x, float* y) {}",
           "axpy"),
      "n: const int32; a: const float32; x: const float32*; y: float32*");
  EXPECT_EQ(
      read("__global__ void k(unsigned long long* a, size_t n, bool on, char c, half* h, float4 *v, const void* p)",
           "k"),
      "a: uint64*; n: uint64; on: bool; c: int8; h: float16*; v: float32 x 4*; p: const void*");
  EXPECT_EQ(
      read("__global__ void k(complex<float>* a, const thrust::complex<double>* b, std::uint8_t c, float** d)", "k"),
      "a: complex64*; b: const complex128*; c: uint8; d: uint64*");
  EXPECT_EQ(read("__global__ void k(float a[], const int b[3][4], struct Point p, Point* q)", "k"),
            "a: float32*; b: const int32*; p: ?; q: ?*");
  EXPECT_EQ(read("__global__ void k(void) {}", "k"), "");
  EXPECT_EQ(read("__global__ void k(float* const a, int const* b, unsigned)", "k"),
            "a: float32*; b: const int32*; : uint32");
}

TEST(DeclaredSource, FollowsNamesOfTypesAndMacros) {
  EXPECT_EQ(
      read("typedef float real;\nusing index = unsigned int;\n#define OUT real*\n__global__ void k(const real* a, "
           "OUT b, index n)",
           "k"),
      "a: const float32*; b: float32*; n: uint32");
  EXPECT_EQ(read("#define KERNEL extern \"C\" __global__ \\\n  void\nKERNEL k(T* a) {}", "k", {"T=double"}),
            "a: float64*");
}

TEST(DeclaredSource, FollowsConditionsThatTheTextDecides) {
  const char* source =
      "#ifndef PRECISION\n#define PRECISION 2\n#endif\n#if PRECISION == 2\n#define T double\n#elif PRECISION == 1\n"
      "#define T float\n#else\n#error no\n#endif\n__global__ void k(const T* x) {}";
  EXPECT_EQ(read(source, "k"), "x: const float64*");
  EXPECT_EQ(read(source, "k", {"PRECISION=1"}), "x: const float32*");
  EXPECT_EQ(read(source, "k", {"PRECISION=2"}), "x: const float64*");
  const char* other =
      "#if defined(FAST) && !(LEVEL < 3)\ntypedef float real;\n#else\ntypedef double real;\n#endif\n"
      "__global__ void k(real x) {}";
  EXPECT_EQ(read(other, "k"), "x: float64");
  EXPECT_EQ(read(other, "k", {"FAST", "LEVEL=3"}), "x: float32");
  EXPECT_EQ(read(other, "k", {"FAST", "LEVEL=2"}), "x: float64");
}

TEST(DeclaredSource, LeavesTypesOpenThatTheTextDoesNotDecide) {
  for (const char* condition : {"#ifdef __CUDA_ARCH__", "#if CUDART_VERSION(3) > 2", "#if A ? 1 : 0", "#if"})
    EXPECT_EQ(read(std::string(condition) + "\n#define T float\n#else\n#define T double\n#endif\n"
                                            "__global__ void k(T x, int n) {}",
                   "k"),
              "x: ?; n: int32");
  EXPECT_EQ(read("#include \"mine.h\"\n#ifdef X\ntypedef float T;\n#else\ntypedef double T;\n#endif\n"
                 "__global__ void k(T* x) {}",
                 "k"),
            "x: ?*");
  const std::string chosen =
      "\n#ifdef X\ntypedef float T;\n#else\ntypedef double T;\n#endif\n__global__ void k(T* x) {}";
  EXPECT_EQ(read("#include <mine/types.h>" + chosen, "k"), "x: ?*");
  EXPECT_EQ(read("#include <cuda_fp16.h>" + chosen, "k"), "x: float64*");
  EXPECT_EQ(read("#define A A\n#if A\n#define T int\n#endif\n__global__ void k(T x) {}", "k"), "x: ?");
  EXPECT_EQ(read("#define T int\n#undef T\n__global__ void k(T x) {}", "k"), "x: ?");
  EXPECT_EQ(
      read("struct A { typedef int type; }; struct B { typedef float type; };\n__global__ void k(type x) {}", "k"),
      "x: ?");
}

TEST(DeclaredSource, FindsInstancesOfTemplates) {
  const char* source =
      "namespace m { template<typename T, int N = 4> __global__ void scale(T* x, const T a, int n) {} }";
  EXPECT_EQ(read(source, "m::scale<float, 8>"), "x: float32*; a: const float32; n: int32");
  EXPECT_EQ(read(source, "scale<complex<double>>"), "x: complex128*; a: const complex128; n: int32");
  EXPECT_EQ(read(source, "scale"), "x: ?*; a: const ?; n: int32");
}

TEST(DeclaredSource, ReadsLaunchBoundsAndTheLineOfAKernel) {
  const DeclaredSource source(
      "// __global__ void no(int a);\n#define N 64\n__global__ void __launch_bounds__(2 * N, 2)\nk(int a) {}");
  const std::optional<DeclaredKernel> kernel = source.find("k");
  ASSERT_TRUE(kernel);
  EXPECT_EQ(kernel->most_threads, 128);
  EXPECT_EQ(kernel->line, 4);
  EXPECT_EQ(source.kernel_names(), std::vector<std::string>{"k"});
}

TEST(DeclaredSource, OfSeveralKernelsOfOneNameNoneIsFound) {
  EXPECT_EQ(read("__global__ void k(int a) {}\n__global__ void k(float a) {}", "k"), "none");
  EXPECT_EQ(read("__global__ void k(int a);\n__global__ void k(int a) {}", "k"), "a: int32");
  EXPECT_EQ(read("#if 0\n__global__ void k(int a) {}\n#else\n__global__ void k(float a) {}\n#endif", "k"),
            "a: float32");
}

TEST(DeclaredSource, ReadsVariables) {
  const DeclaredSource source(
      "__constant__ float weights[8][4];\n__device__ int counter = 3;\n__device__ float f(float x) { return x; }\n"
      "static __device__ const double table[N];");
  const auto weights = source.find_variable("weights"), counter = source.find_variable("counter");
  ASSERT_TRUE(weights && counter);
  EXPECT_EQ(weights->extents, (std::vector<int64_t>{8, 4}));
  EXPECT_TRUE(weights->is_constant);
  EXPECT_EQ(counter->type.element, DType::int32);
  EXPECT_FALSE(source.find_variable("f"));
  EXPECT_EQ(source.find_variable("table")->extents, std::vector<int64_t>{-1});
}

TEST(DeclaredSource, StringsAndCommentsDeclareNothing) {
  EXPECT_EQ(
      read("const char* s = \"__global__ void k(int a)\"; /* __global__ void k(int a) */ auto r = R\"x(__global__ "
           "void k(int))x\";",
           "k"),
      "none");
}

TEST(SourceType, TakesArraysOfItsSizeAndKind) {
  const auto type = [](const char* text) { return read_type(tokens_of(text), {}); };
  EXPECT_TRUE(type("float*").takes_array(DType::float32));
  EXPECT_FALSE(type("float*").takes_array(DType::float64));
  EXPECT_FALSE(type("float*").takes_array(DType::int32));
  EXPECT_TRUE(type("unsigned int*").takes_array(DType::int32));
  EXPECT_TRUE(type("float2*").takes_array(DType::complex64));
  EXPECT_TRUE(type("Particle*").takes_array(DType::uint8));
  EXPECT_TRUE(type("char*").takes_array(DType::boolean));
}

}  // namespace
}  // namespace tessera::kernel
