// Codecs of C and C++ libraries as programs for `ptxcvt conform --program`: `codecs NAME`; `--list` prints the names and
// conversions. Every codec converts f32; sources of 16 bits are widened, which is exact. What is compiled in depends on the
// headers found: those of Debian's packages, of NVIDIA's wheels, and of CUTLASS, ggml and SoftFloat (with
// softfloat.a) at the versions that the entries name.

#include <cstdint>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#if defined(__x86_64__)
#include <immintrin.h>
#endif
#if __has_include(<eigen3/Eigen/Core>)
#include <eigen3/Eigen/Core>
#endif
#if __has_include(<glm/detail/type_half.hpp>)
#include <glm/glm.hpp>
#include <glm/detail/type_half.hpp>
#endif
#if __has_include(<Imath/half.h>)
#define IMATH_HALF_NO_LOOKUP_TABLE
// CUDA has another type of that name.
#define half imath_half
#include <Imath/half.h>
#undef half
#endif
#if __has_include(<fp16.h>)
#include <fp16.h>
#endif
#if __has_include(<hwy/base.h>)
#include <hwy/base.h>
#endif
#if __has_include(<simde/simde-f16.h>)
#define SIMDE_FLOAT16_API SIMDE_FLOAT16_API_PORTABLE
#include <simde/simde-f16.h>
#endif
#if __has_include(<softfloat.h>)
extern "C" {
#include <softfloat.h>
}
#endif
#if __has_include(<cuda_fp8.h>)
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp4.h>
#include <cuda_fp6.h>
#include <cuda_fp8.h>
#endif
#if __has_include(<cutlass/float8.h>)
#include <cutlass/bfloat16.h>
#include <cutlass/float8.h>
#include <cutlass/float_subbyte.h>
#include <cutlass/half.h>
#include <cutlass/tfloat32.h>
#include <cutlass/version.h>
#endif
#if __has_include(<ggml-impl.h>)
// FP16 has functions of these names, too.
#define fp32_from_bits ggml_fp32_from_bits
#define fp32_to_bits ggml_fp32_to_bits
#include <ggml-impl.h>
#undef fp32_from_bits
#undef fp32_to_bits
#endif
template <typename To, typename From> To bits(From x) {
    static_assert(sizeof(To) == sizeof(From));
    To y;
    std::memcpy(&y, &x, sizeof y);
    return y;
}

using Codec = uint32_t (*)(float);
struct Entry {
    const char *name, *conversion, *version;
    Codec codec;
};

// Text of a number that is a macro.
#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

#ifdef __x86_64__
__attribute__((target("f16c"))) static uint32_t f16c(float x) { return _cvtss_sh(x, _MM_FROUND_TO_NEAREST_INT); }
#endif
#if defined(__x86_64__) && defined(__GNUC__)
__attribute__((target("avx512bf16,avx512vl"))) static uint32_t avx512bf16(float x) {
    return (uint16_t)_mm_extract_epi16((__m128i)_mm_cvtneps_pbh(_mm_set_ss(x)), 0);
}
#endif

// An entry of a program; `convert` is an expression of `float x`.
#define CODEC(name, conversion, version, convert) {name, conversion, version, [](float x) -> uint32_t { return convert; }}

static const std::vector<Entry> entries = {
#ifdef __x86_64__
    {"x86 vcvtps2ph (the instruction)", "f32->f16", "Intel Xeon, F16C", f16c},
    {"x86 vcvtneps2bf16 (the instruction)", "f32->bf16", "Intel Xeon, AVX512_BF16", avx512bf16},
#endif
#ifdef __FLT16_MAX__
    CODEC("GCC _Float16", "f32->f16", "GCC " __VERSION__, bits<uint16_t>((_Float16)x)),
#endif
#if defined(__GNUC__) && __GNUC__ >= 13
    CODEC("GCC __bf16", "f32->bf16", "GCC " __VERSION__, bits<uint16_t>((__bf16)x)),
#endif
#ifdef EIGEN_WORLD_VERSION
#define EIGEN "Eigen " TEXT(EIGEN_WORLD_VERSION) "." TEXT(EIGEN_MAJOR_VERSION) "." TEXT(EIGEN_MINOR_VERSION)
    CODEC("Eigen::half", "f32->f16", EIGEN, bits<uint16_t>(Eigen::half(x))),
    CODEC("Eigen::bfloat16", "f32->bf16", EIGEN, bits<uint16_t>(Eigen::bfloat16(x))),
#endif
#ifdef GLM_VERSION
#define GLM_TEXT "GLM " TEXT(GLM_VERSION_MAJOR) "." TEXT(GLM_VERSION_MINOR) "." TEXT(GLM_VERSION_PATCH) "." TEXT(GLM_VERSION_REVISION)
    CODEC("GLM toFloat16", "f32->f16", GLM_TEXT, (uint16_t)glm::detail::toFloat16(x)),
#endif
#ifdef IMATH_HALF_H_
    CODEC("Imath half", "f32->f16", "Imath " IMATH_VERSION_STRING, imath_half(x).bits()),
#endif
#ifdef FP16_H
    CODEC("FP16 fp16_ieee_from_fp32_value", "f32->f16", "FP16 (Debian)", fp16_ieee_from_fp32_value(x)),
#endif
#ifdef HIGHWAY_HWY_BASE_H_
    CODEC("Highway BF16FromF32", "f32->bf16", "Highway 1.0.3 (Debian)", hwy::BF16FromF32(x).bits),
#endif
#ifdef SIMDE_FLOAT16_H
    CODEC("SIMDe simde_float16_from_float32", "f32->f16", "SIMDe " TEXT(SIMDE_VERSION_MAJOR) "." TEXT(SIMDE_VERSION_MINOR) "." TEXT(SIMDE_VERSION_MICRO), simde_float16_as_uint16(simde_float16_from_float32(x))),
#endif
#ifdef softfloat_h
    CODEC("SoftFloat f32_to_f16 (8086-SSE)", "f32->f16", "SoftFloat 3e+ a0c6494", f32_to_f16({bits<uint32_t>(x)}).v),
    CODEC("SoftFloat f32_to_bf16 (8086-SSE)", "f32->bf16", "SoftFloat 3e+ a0c6494", f32_to_bf16({bits<uint32_t>(x)}).v),
#endif
#ifdef GGML_COMPUTE_FP32_TO_FP16
    CODEC("ggml GGML_FP32_TO_FP16", "f32->f16", "ggml d99724f2", ggml_compute_fp32_to_fp16(x)),
    CODEC("ggml GGML_FP32_TO_BF16", "f32->bf16", "ggml d99724f2", ggml_compute_fp32_to_bf16(x).bits),
    CODEC("ggml ggml_fp32_to_ue4m3 (NVFP4 scales)", "f32->e4m3", "ggml d99724f2", ggml_fp32_to_ue4m3(x)),
#endif
#ifdef __CUDA_FP8_H__
#define CUDA "CUDA headers " TEXT(CUDART_VERSION)
    CODEC("CUDA __float2half_rn (host)", "f32->f16", CUDA, __half_raw(__float2half_rn(x)).x),
    CODEC("CUDA __float2bfloat16_rn (host)", "f32->bf16", CUDA, __nv_bfloat16_raw(__float2bfloat16_rn(x)).x),
    CODEC("CUDA __nv_cvt_float_to_fp8, E4M3, SATFINITE (host)", "f32->e4m3", CUDA, __nv_cvt_float_to_fp8(x, __NV_SATFINITE, __NV_E4M3)),
    CODEC("CUDA __nv_cvt_float_to_fp8, E4M3, NOSAT (host)", "f32->e4m3", CUDA, __nv_cvt_float_to_fp8(x, __NV_NOSAT, __NV_E4M3)),
    CODEC("CUDA __nv_cvt_float_to_fp8, E5M2, SATFINITE (host)", "f32->e5m2", CUDA, __nv_cvt_float_to_fp8(x, __NV_SATFINITE, __NV_E5M2)),
    CODEC("CUDA __nv_cvt_float_to_fp8, E5M2, NOSAT (host)", "f32->e5m2", CUDA, __nv_cvt_float_to_fp8(x, __NV_NOSAT, __NV_E5M2)),
    CODEC("CUDA __nv_cvt_float_to_fp6, E2M3 (host)", "f32->e2m3", CUDA, __nv_cvt_float_to_fp6(x, __NV_E2M3, cudaRoundNearest)),
    CODEC("CUDA __nv_cvt_float_to_fp6, E3M2 (host)", "f32->e3m2", CUDA, __nv_cvt_float_to_fp6(x, __NV_E3M2, cudaRoundNearest)),
    CODEC("CUDA __nv_cvt_float_to_fp4, E2M1 (host)", "f32->e2m1", CUDA, __nv_cvt_float_to_fp4(x, __NV_E2M1, cudaRoundNearest)),
    CODEC("CUDA __nv_cvt_float_to_e8m0, toward zero (host)", "f32->ue8m0", CUDA, __nv_cvt_float_to_e8m0(x, __NV_SATFINITE, cudaRoundZero)),
    CODEC("CUDA __nv_cvt_float_to_e8m0, up (host)", "f32->ue8m0", CUDA, __nv_cvt_float_to_e8m0(x, __NV_SATFINITE, cudaRoundPosInf)),
#endif
#ifdef CUTLASS_MAJOR
#define CUTLASS_TEXT "CUTLASS " TEXT(CUTLASS_MAJOR) "." TEXT(CUTLASS_MINOR) "." TEXT(CUTLASS_PATCH)
    CODEC("CUTLASS half_t (host)", "f32->f16", CUTLASS_TEXT, cutlass::half_t(x).raw()),
    CODEC("CUTLASS bfloat16_t (host)", "f32->bf16", CUTLASS_TEXT, cutlass::bfloat16_t(x).raw()),
    CODEC("CUTLASS tfloat32_t (host), without its low 13 bits", "f32->tf32", CUTLASS_TEXT, cutlass::tfloat32_t(x).raw() & ~0x1fffu),
    CODEC("CUTLASS float_e4m3_t (host)", "f32->e4m3", CUTLASS_TEXT, cutlass::float_e4m3_t(x).raw()),
    CODEC("CUTLASS float_e5m2_t (host)", "f32->e5m2", CUTLASS_TEXT, cutlass::float_e5m2_t(x).raw()),
    CODEC("CUTLASS float_e2m3_t (host)", "f32->e2m3", CUTLASS_TEXT, cutlass::float_e2m3_t(x).raw()),
    CODEC("CUTLASS float_e3m2_t (host)", "f32->e3m2", CUTLASS_TEXT, cutlass::float_e3m2_t(x).raw()),
    CODEC("CUTLASS float_e2m1_t (host)", "f32->e2m1", CUTLASS_TEXT, cutlass::float_e2m1_t(x).raw()),
    CODEC("CUTLASS float_ue8m0_t (host)", "f32->ue8m0", CUTLASS_TEXT, cutlass::float_ue8m0_t(x).raw()),
#endif
};

// The value of an f16, by exact arithmetic on the fields.
static float widen_f16(uint16_t code) {
    uint32_t sign = (uint32_t)(code & 0x8000) << 16, magnitude = code & 0x7fff;
    if (magnitude >= 0x7c00) return bits<float>(sign | 0x7f800000 | (magnitude & 0x3ff) << 13);
    float scaled = bits<float>(magnitude << 13) * 0x1p112f;
    return bits<float>(sign | bits<uint32_t>(scaled));
}

static float widen_bf16(uint16_t code) { return bits<float>((uint32_t)code << 16); }

template <typename Source, typename Code> int run(float (*widen)(Source), Codec codec) {
    std::vector<Source> x(1 << 16);
    std::vector<Code> y(x.size());
    for (size_t n; (n = fread(x.data(), sizeof x[0], x.size(), stdin)) > 0;) {
        for (size_t i = 0; i < n; i++) y[i] = (Code)codec(widen(x[i]));
        fwrite(y.data(), sizeof y[0], n, stdout);
    }
    return ferror(stdin);
}

template <typename Source> int run(float (*widen)(Source), const std::string &destination, Codec codec) {
    if (destination == "tf32") return run<Source, uint32_t>(widen, codec);
    if (destination == "f16" || destination == "bf16") return run<Source, uint16_t>(widen, codec);
    return run<Source, uint8_t>(widen, codec);
}

int main(int, char **arguments) {
    std::string wanted = arguments[1] ? arguments[1] : "--list";
    for (const Entry &entry : entries) {
        if (wanted == "--list") std::printf("%s\t%s\t%s\n", entry.name, entry.conversion, entry.version);
        if (wanted != entry.name) continue;
        std::string conversion = entry.conversion, to = conversion.substr(conversion.find('>') + 1);
        if (conversion.rfind("f32", 0) == 0) return run<float>([](float x) { return x; }, to, entry.codec);
        if (conversion.rfind("bf16", 0) == 0) return run<uint16_t>(widen_bf16, to, entry.codec);
        return run<uint16_t>(widen_f16, to, entry.codec);
    }
    return wanted == "--list" ? 0 : 2;
}
