// Codecs of C and C++ libraries as programs for `ptxcvt conform --program`: `codecs NAME`; `--list` prints the names and
// conversions. Sources of 16 bits are widened to f32, which is exact. What is compiled in depends on the headers found.

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#if __has_include(<eigen3/Eigen/Core>)
#include <eigen3/Eigen/Core>
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
#if __has_include(<cuda_fp8.h>)
#include <cuda_fp4.h>
#include <cuda_fp6.h>
#include <cuda_fp8.h>
#endif

template <typename To, typename From> To bits(From x) {
    static_assert(sizeof(To) == sizeof(From));
    To y;
    std::memcpy(&y, &x, sizeof y);
    return y;
}

using Codec = uint16_t (*)(float);
struct Entry {
    const char *name, *conversion, *version;
    Codec codec;
};

// Text of a number that is a macro.
#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

static const std::vector<Entry> entries = {
#ifdef __FLT16_MAX__
    {"GCC _Float16", "f32->f16", "GCC " __VERSION__, [](float x) { return bits<uint16_t>((_Float16)x); }},
#endif
#if defined(__GNUC__) && __GNUC__ >= 13
    {"GCC __bf16", "f32->bf16", "GCC " __VERSION__, [](float x) { return bits<uint16_t>((__bf16)x); }},
#endif
#ifdef EIGEN_WORLD_VERSION
#define EIGEN "Eigen " TEXT(EIGEN_WORLD_VERSION) "." TEXT(EIGEN_MAJOR_VERSION) "." TEXT(EIGEN_MINOR_VERSION)
    {"Eigen::half", "f32->f16", EIGEN, [](float x) { return bits<uint16_t>(Eigen::half(x)); }},
    {"Eigen::bfloat16", "f32->bf16", EIGEN, [](float x) { return bits<uint16_t>(Eigen::bfloat16(x)); }},
#endif
#ifdef IMATH_HALF_H_
    {"Imath half", "f32->f16", "Imath " IMATH_VERSION_STRING, [](float x) { return imath_half(x).bits(); }},
#endif
#ifdef FP16_H
    {"FP16 fp16_ieee_from_fp32_value", "f32->f16", "FP16 (Debian)", [](float x) { return fp16_ieee_from_fp32_value(x); }},
#endif
#ifdef __CUDA_FP8_H__
#define CUDA "CUDA headers " TEXT(CUDART_VERSION)
    {"CUDA __nv_cvt_float_to_fp8, E4M3, SATFINITE (host)", "f16->e4m3", CUDA,
     [](float x) -> uint16_t { return __nv_cvt_float_to_fp8(x, __NV_SATFINITE, __NV_E4M3); }},
    {"CUDA __nv_cvt_float_to_fp8, E4M3, NOSAT (host)", "f16->e4m3", CUDA,
     [](float x) -> uint16_t { return __nv_cvt_float_to_fp8(x, __NV_NOSAT, __NV_E4M3); }},
    {"CUDA __nv_cvt_float_to_fp8, E5M2, SATFINITE (host)", "f16->e5m2", CUDA,
     [](float x) -> uint16_t { return __nv_cvt_float_to_fp8(x, __NV_SATFINITE, __NV_E5M2); }},
    {"CUDA __nv_cvt_float_to_fp8, E5M2, NOSAT (host)", "f16->e5m2", CUDA,
     [](float x) -> uint16_t { return __nv_cvt_float_to_fp8(x, __NV_NOSAT, __NV_E5M2); }},
    {"CUDA __nv_cvt_float_to_fp6, E2M3 (host)", "f16->e2m3", CUDA,
     [](float x) -> uint16_t { return __nv_cvt_float_to_fp6(x, __NV_E2M3, cudaRoundNearest); }},
    {"CUDA __nv_cvt_float_to_fp4, E2M1 (host)", "f16->e2m1", CUDA,
     [](float x) -> uint16_t { return __nv_cvt_float_to_fp4(x, __NV_E2M1, cudaRoundNearest); }},
    {"CUDA __nv_cvt_float_to_e8m0, toward zero (host)", "bf16->ue8m0", CUDA,
     [](float x) -> uint16_t { return __nv_cvt_float_to_e8m0(x, __NV_SATFINITE, cudaRoundZero); }},
    {"CUDA __nv_cvt_float_to_e8m0, up (host)", "bf16->ue8m0", CUDA,
     [](float x) -> uint16_t { return __nv_cvt_float_to_e8m0(x, __NV_SATFINITE, cudaRoundPosInf); }},
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

int main(int, char **arguments) {
    std::string wanted = arguments[1] ? arguments[1] : "--list";
    for (const Entry &entry : entries) {
        if (wanted == "--list") std::printf("%s\t%s\t%s\n", entry.name, entry.conversion, entry.version);
        if (wanted != entry.name) continue;
        std::string conversion = entry.conversion;
        if (conversion.rfind("f32", 0) == 0) return run<float, uint16_t>([](float x) { return x; }, entry.codec);
        if (conversion.rfind("bf16", 0) == 0) return run<uint16_t, uint8_t>(widen_bf16, entry.codec);
        return run<uint16_t, uint8_t>(widen_f16, entry.codec);
    }
    return wanted == "--list" ? 0 : 2;
}
