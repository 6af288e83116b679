// Values from code that is not part of this project.
//
// Two groups of opcodes, one protocol:
//   * the host emulation of the conversions in the CUDA headers
//     (cuda_fp16.h, cuda_bf16.h, cuda_fp8.h, cuda_fp6.h, cuda_fp4.h), and
//   * the rounding of the machine that runs this program (`fesetround`), for
//     conversions among f32, f64 and integers, which those headers leave to
//     the compiler.
//
//   headers --list     one line an opcode: group, operand count, opcode
//   headers OPCODE     standard input: operands, 8 bytes little-endian each,
//                      in PTX order; standard output: one such word a result
//
// Inputs come from the caller, so both sides of a comparison see the same ones.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp4.h>
#include <cuda_fp6.h>
#include <cuda_fp8.h>

#include <cfenv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <type_traits>
#include <vector>

namespace {

using Word = std::uint64_t;
using Evaluate = std::function<Word(const Word *)>;

struct Row {
    const char *group;
    unsigned operands;
    Evaluate evaluate;
};

std::map<std::string, Row> table;

void add(const char *group, const std::string &opcode, unsigned operands, Evaluate evaluate) {
    table[opcode] = {group, operands, std::move(evaluate)};
}

// ---- bits in, bits out ------------------------------------------------------

template <class T> T from_bits(Word word) {
    T value;
    std::memcpy(&value, &word, sizeof value);
    return value;
}

template <class T> Word to_bits(const T &value) {
    Word word = 0;
    std::memcpy(&word, &value, sizeof value);
    return word;
}

__half_raw half_raw(Word w) { return {static_cast<unsigned short>(w)}; }
__nv_bfloat16_raw bf16_raw(Word w) { return {static_cast<unsigned short>(w)}; }
__half half(Word w) { return __half(half_raw(w)); }
__nv_bfloat16 bf16(Word w) { return __nv_bfloat16(bf16_raw(w)); }
Word bits(__half h) { return static_cast<__half_raw>(h).x; }
Word bits(__nv_bfloat16 b) { return static_cast<__nv_bfloat16_raw>(b).x; }

// PTX puts its first operand into the upper half; the vector types call the
// lower half `x`.
float2 pair(const Word *in) { return {from_bits<float>(in[1]), from_bits<float>(in[0])}; }
__half2_raw half2(Word w) {
    return {static_cast<unsigned short>(w), static_cast<unsigned short>(w >> 16)};
}
__nv_bfloat162_raw bf162(Word w) {
    return {static_cast<unsigned short>(w), static_cast<unsigned short>(w >> 16)};
}
__nv_fp8x2_storage_t fp8x2(Word w) { return static_cast<__nv_fp8x2_storage_t>(w); }
__nv_fp6x2_storage_t fp6x2(Word w) { return static_cast<__nv_fp6x2_storage_t>(w); }
__nv_fp4x2_storage_t fp4x2(Word w) { return static_cast<__nv_fp4x2_storage_t>(w); }
Word bits(__half2_raw h) { return Word{h.y} << 16 | h.x; }
Word bits(__nv_bfloat162_raw b) { return Word{b.y} << 16 | b.x; }

// ---- the CUDA headers -------------------------------------------------------

const char *const HEADER = "headers";

// The three down-conversions and two up-conversions of one packed format.
template <class F32, class F16, class Bf16>
void add_down(const std::string &modifiers, const std::string &format, F32 f32, F16 f16, Bf16 bf) {
    const std::string head = "cvt." + modifiers + "." + format;
    add(HEADER, head + ".f32", 2, [=](const Word *in) { return Word{f32(pair(in))}; });
    add(HEADER, head + ".f16x2", 1, [=](const Word *in) { return Word{f16(half2(in[0]))}; });
    add(HEADER, head + ".bf16x2", 1, [=](const Word *in) { return Word{bf(bf162(in[0]))}; });
}

template <class F16, class Bf16> void add_up(const std::string &format, F16 f16, Bf16 bf) {
    add(HEADER, "cvt.rn.f16x2." + format, 1, [=](const Word *in) { return bits(f16(in[0])); });
    add(HEADER, "cvt.rn.bf16x2." + format, 1, [=](const Word *in) { return bits(bf(in[0])); });
}

void add_fp8(const char *format, __nv_fp8_interpretation_t kind) {
    const auto sat = __NV_SATFINITE;
    add_down(
        "rn.satfinite", format, [=](float2 v) { return __nv_cvt_float2_to_fp8x2(v, sat, kind); },
        [=](__half2_raw v) { return __nv_cvt_halfraw2_to_fp8x2(v, sat, kind); },
        [=](__nv_bfloat162_raw v) { return __nv_cvt_bfloat16raw2_to_fp8x2(v, sat, kind); });
    add_up(
        format, [=](Word w) { return __nv_cvt_fp8x2_to_halfraw2(fp8x2(w), kind); },
        [=](Word w) { return __nv_cvt_fp8x2_to_bf162raw(fp8x2(w), kind); });
}

void add_fp6(const char *format, __nv_fp6_interpretation_t kind) {
    for (const auto &[name, round] : {std::pair{"rn", cudaRoundNearest}, {"rz", cudaRoundZero}}) {
        const auto r = round;
        add_down(
            std::string(name) + ".satfinite", format,
            [=](float2 v) { return __nv_cvt_float2_to_fp6x2(v, kind, r); },
            [=](__half2_raw v) { return __nv_cvt_halfraw2_to_fp6x2(v, kind, r); },
            [=](__nv_bfloat162_raw v) { return __nv_cvt_bfloat16raw2_to_fp6x2(v, kind, r); });
    }
    add_up(
        format, [=](Word w) { return __nv_cvt_fp6x2_to_halfraw2(fp6x2(w), kind); },
        [=](Word w) { return __nv_cvt_fp6x2_to_bf162raw(fp6x2(w), kind); });
}

void add_fp4() {
    const auto kind = __NV_E2M1;
    for (const auto &[name, round] : {std::pair{"rn", cudaRoundNearest}, {"rz", cudaRoundZero}}) {
        const auto r = round;
        add_down(
            std::string(name) + ".satfinite", "e2m1x2",
            [=](float2 v) { return __nv_cvt_float2_to_fp4x2(v, kind, r); },
            [=](__half2_raw v) { return __nv_cvt_halfraw2_to_fp4x2(v, kind, r); },
            [=](__nv_bfloat162_raw v) { return __nv_cvt_bfloat16raw2_to_fp4x2(v, kind, r); });
    }
    add_up(
        "e2m1x2", [=](Word w) { return __nv_cvt_fp4x2_to_halfraw2(fp4x2(w), kind); },
        [=](Word w) { return __nv_cvt_fp4x2_to_bf162raw(fp4x2(w), kind); });
}

const std::vector<std::pair<std::string, __nv_saturation_t>> SATURATIONS = {
    {"", __NV_NOSAT}, {".satfinite", __NV_SATFINITE}};

void add_scales() {
    for (const auto &[suffix, saturation] : SATURATIONS) {
        const auto s = saturation;
        for (const auto &[name, round] : {std::pair{"rz", cudaRoundZero}, {"rp", cudaRoundPosInf}}) {
            const auto r = round;
            const std::string head = "cvt." + std::string(name) + suffix + ".ue8m0x2";
            add(HEADER, head + ".f32", 2,
                [=](const Word *in) { return Word{__nv_cvt_float2_to_e8m0x2(pair(in), s, r)}; });
            add(HEADER, head + ".bf16x2", 1,
                [=](const Word *in) { return Word{__nv_cvt_bfloat162raw_to_e8m0x2(bf162(in[0]), s, r)}; });
        }
        for (const auto &[name, round] :
             {std::pair{"rn", cudaRoundNearest}, {"rz", cudaRoundZero}, {"rp", cudaRoundPosInf}}) {
            const auto r = round;
            add_down(
                std::string(name) + suffix, "ue5m3x2",
                [=](float2 v) { return __nv_cvt_float2_to_ue5m3x2(v, s, r); },
                [=](__half2_raw v) { return __nv_cvt_half2raw_to_ue5m3x2(v, s, r); },
                [=](__nv_bfloat162_raw v) { return __nv_cvt_bfloat162raw_to_ue5m3x2(v, s, r); });
        }
    }
    add(HEADER, "cvt.rn.bf16x2.ue8m0x2", 1,
        [](const Word *in) { return bits(__nv_cvt_e8m0x2_to_bf162raw(fp8x2(in[0]))); });
    add_up(
        "ue5m3x2", [](Word w) { return __nv_cvt_ue5m3x2_to_halfraw2(fp8x2(w)); },
        [](Word w) { return __nv_cvt_ue5m3x2_to_bf162raw(fp8x2(w)); });
}

// `function` takes a T and returns a half or bfloat16.
template <class T, class F> void add_from(const std::string &opcode, F function) {
    add(HEADER, opcode, 1, [=](const Word *in) { return bits(function(from_bits<T>(in[0]))); });
}

// `function` takes a half or bfloat16 (as `wrap` makes it) and returns a number.
template <class W, class F> void add_to(const std::string &opcode, W wrap, F function) {
    add(HEADER, opcode, 1, [=](const Word *in) { return to_bits(function(wrap(in[0]))); });
}

void add_f16() {
    add_from<float>("cvt.rn.f16.f32", [](float x) { return __float2half_rn(x); });
    add_from<float>("cvt.rz.f16.f32", [](float x) { return __float2half_rz(x); });
    add_from<float>("cvt.rm.f16.f32", [](float x) { return __float2half_rd(x); });
    add_from<float>("cvt.rp.f16.f32", [](float x) { return __float2half_ru(x); });
    add_from<double>("cvt.rn.f16.f64", [](double x) { return __double2half(x); });
    add(HEADER, "cvt.rn.f16x2.f32", 2, [](const Word *in) {
        return bits(static_cast<__half2_raw>(__float22half2_rn(pair(in))));
    });
#define FROM(TYPE, PTX, NAME)                                                                      \
    add_from<TYPE>("cvt.rn.f16." PTX, [](TYPE x) { return __##NAME##2half_rn(x); });               \
    add_from<TYPE>("cvt.rz.f16." PTX, [](TYPE x) { return __##NAME##2half_rz(x); });               \
    add_from<TYPE>("cvt.rm.f16." PTX, [](TYPE x) { return __##NAME##2half_rd(x); });               \
    add_from<TYPE>("cvt.rp.f16." PTX, [](TYPE x) { return __##NAME##2half_ru(x); });
    FROM(short, "s16", short)
    FROM(unsigned short, "u16", ushort)
    FROM(int, "s32", int)
    FROM(unsigned, "u32", uint)
    FROM(long long, "s64", ll)
    FROM(unsigned long long, "u64", ull)
#undef FROM
    add_to("cvt.f32.f16", half, [](__half h) { return __half2float(h); });
#define TO(PTX, NAME) add_to("cvt.rzi." PTX ".f16", half, [](__half h) { return __half2##NAME##_rz(h); });
    TO("s8", char)
    TO("u8", uchar)
    TO("s16", short)
    TO("u16", ushort)
    TO("s32", int)
    TO("u32", uint)
    TO("s64", ll)
    TO("u64", ull)
#undef TO
}

void add_bf16() {
    add_from<float>("cvt.rn.bf16.f32", [](float x) { return __float2bfloat16_rn(x); });
    add_from<float>("cvt.rz.bf16.f32", [](float x) { return __float2bfloat16_rz(x); });
    add_from<float>("cvt.rm.bf16.f32", [](float x) { return __float2bfloat16_rd(x); });
    add_from<float>("cvt.rp.bf16.f32", [](float x) { return __float2bfloat16_ru(x); });
    add_from<double>("cvt.rn.bf16.f64", [](double x) { return __double2bfloat16(x); });
    add(HEADER, "cvt.rn.bf16x2.f32", 2, [](const Word *in) {
        return bits(static_cast<__nv_bfloat162_raw>(__float22bfloat162_rn(pair(in))));
    });
#define FROM(TYPE, PTX, NAME)                                                                      \
    add_from<TYPE>("cvt.rn.bf16." PTX, [](TYPE x) { return __##NAME##2bfloat16_rn(x); });
    FROM(short, "s16", short)
    FROM(unsigned short, "u16", ushort)
    FROM(int, "s32", int)
    FROM(unsigned, "u32", uint)
    FROM(long long, "s64", ll)
    FROM(unsigned long long, "u64", ull)
#undef FROM
    add_to("cvt.f32.bf16", bf16, [](__nv_bfloat16 b) { return __bfloat162float(b); });
#define TO(PTX, NAME)                                                                              \
    add_to("cvt.rzi." PTX ".bf16", bf16, [](__nv_bfloat16 b) { return __bfloat162##NAME##_rz(b); });
    TO("s8", char)
    TO("u8", uchar)
    TO("s16", short)
    TO("u16", ushort)
    TO("s32", int)
    TO("u32", uint)
    TO("s64", ll)
    TO("u64", ull)
#undef TO
}

// ---- the machine's own rounding --------------------------------------------

const char *const MACHINE = "machine";

struct Mode {
    const char *floating, *integer;
    int environment;
};
const Mode MODES[] = {
    {"rn", "rni", FE_TONEAREST},
    {"rz", "rzi", FE_TOWARDZERO},
    {"rm", "rmi", FE_DOWNWARD},
    {"rp", "rpi", FE_UPWARD},
};

// `volatile` keeps the compiler from converting at another time than between
// the two calls that set the mode.
template <class To, class From> To rounded(From from, int mode) {
    std::fesetround(mode);
    volatile From source = from;
    volatile To result = static_cast<To>(source);
    std::fesetround(FE_TONEAREST);
    return result;
}

template <class T> T integral(T from, int mode) {
    std::fesetround(mode);
    volatile T source = from;
    volatile T result = std::nearbyint(source);
    std::fesetround(FE_TONEAREST);
    return result;
}

// PTX clamps to the destination's range. Both bounds are compared as the
// source's type: the lower one is exact, the upper one is a power of two.
template <class Int, class Float> Int clamped(Float whole) {
    const Float bound = std::ldexp(Float{1}, std::numeric_limits<Int>::digits);
    if (whole >= bound) return std::numeric_limits<Int>::max();
    if (whole < static_cast<Float>(std::numeric_limits<Int>::min())) return std::numeric_limits<Int>::min();
    return static_cast<Int>(whole);
}

template <class Int> void add_machine_integer(const std::string &name) {
    for (const Mode &mode : MODES) {
        const int m = mode.environment;
        const std::string to = "cvt." + std::string(mode.floating), from = "cvt." + std::string(mode.integer);
        add(MACHINE, to + ".f32." + name, 1,
            [=](const Word *in) { return to_bits(rounded<float>(from_bits<Int>(in[0]), m)); });
        add(MACHINE, to + ".f64." + name, 1,
            [=](const Word *in) { return to_bits(rounded<double>(from_bits<Int>(in[0]), m)); });
        add(MACHINE, from + "." + name + ".f32", 1,
            [=](const Word *in) { return to_bits(clamped<Int>(integral(from_bits<float>(in[0]), m))); });
        add(MACHINE, from + "." + name + ".f64", 1,
            [=](const Word *in) { return to_bits(clamped<Int>(integral(from_bits<double>(in[0]), m))); });
    }
}

void add_machine() {
    add_machine_integer<std::int8_t>("s8");
    add_machine_integer<std::uint8_t>("u8");
    add_machine_integer<std::int16_t>("s16");
    add_machine_integer<std::uint16_t>("u16");
    add_machine_integer<std::int32_t>("s32");
    add_machine_integer<std::uint32_t>("u32");
    add_machine_integer<std::int64_t>("s64");
    add_machine_integer<std::uint64_t>("u64");
    for (const Mode &mode : MODES) {
        const int m = mode.environment;
        add(MACHINE, "cvt." + std::string(mode.floating) + ".f32.f64", 1,
            [=](const Word *in) { return to_bits(rounded<float>(from_bits<double>(in[0]), m)); });
        add(MACHINE, "cvt." + std::string(mode.integer) + ".f32.f32", 1,
            [=](const Word *in) { return to_bits(integral(from_bits<float>(in[0]), m)); });
        add(MACHINE, "cvt." + std::string(mode.integer) + ".f64.f64", 1,
            [=](const Word *in) { return to_bits(integral(from_bits<double>(in[0]), m)); });
    }
    add(MACHINE, "cvt.f64.f32", 1,
        [](const Word *in) { return to_bits(rounded<double>(from_bits<float>(in[0]), FE_TONEAREST)); });
}

int run(const Row &row) {
    std::vector<Word> in(row.operands * 4096), out(4096);
    while (const std::size_t got = std::fread(in.data(), sizeof(Word), in.size(), stdin)) {
        if (got % row.operands != 0) {
            std::fprintf(stderr, "the input ends in the middle of a record\n");
            return 1;
        }
        const std::size_t records = got / row.operands;
        for (std::size_t i = 0; i < records; ++i) out[i] = row.evaluate(&in[i * row.operands]);
        if (std::fwrite(out.data(), sizeof(Word), records, stdout) != records) return 1;
    }
    return 0;
}

} // namespace

int main(int argc, char **argv) {
    add_fp8("e4m3x2", __NV_E4M3);
    add_fp8("e5m2x2", __NV_E5M2);
    add_fp6("e2m3x2", __NV_E2M3);
    add_fp6("e3m2x2", __NV_E3M2);
    add_fp4();
    add_scales();
    add_f16();
    add_bf16();
    add_machine();

    const std::string word = argc == 2 ? argv[1] : "";
    if (word == "--list") {
        for (const auto &[opcode, row] : table)
            std::printf("%s\t%u\t%s\n", row.group, row.operands, opcode.c_str());
        return 0;
    }
    const auto found = table.find(word);
    if (found == table.end()) {
        std::fprintf(stderr, "usage: headers --list | headers OPCODE <operands >results\n");
        return 2;
    }
    return run(found->second);
}
