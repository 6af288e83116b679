// The host path: one conversion for all formats, in integers. Every device instruction has these bits.
namespace detail {

using word = unsigned long long;

enum class kind { integer, floating, power, fixed };
enum class specials { none, nan_only, ieee };

// What the bits of a format mean.
struct format {
    kind what;
    bool has_sign;
    int bits, storage, padding, fraction, bias;
    specials special;
    bool has_nan;
    word largest, nan;
};

enum class round { nearest_even, nearest_away, zero, down, up, random };
enum class overflow { saturate, ieee, infinity_or_nan, wrap };
enum class nan_rule { constant, widened, quieted, moved, rounded_as_bits };
enum class subnormals { keep, zero, positive_zero };
enum class clamp { none, non_negative, unit_interval };
enum class scale { none, divide, multiply };

// What happens to one number. `integral` rounds to an integral number first; `nan_bits` is for nan_rule::constant.
struct rules {
    format from, to;
    round mode;
    bool integral;
    int random_bits;
    overflow beyond;
    nan_rule nan;
    word nan_bits;
    subnormals source, result;
    clamp limit;
    bool positive_zero;
    scale scaled;
};

// A finite number, (-1)^negative * significand * 2^exponent, or infinity, or NaN with its fraction at the top.
enum class of { number, infinity, nan };
struct value {
    of what;
    bool negative;
    word significand;
    int exponent;
};

// How many quanta a number is.
struct quanta {
    word steps, whole;
};

inline word low_bits(int count) { return count >= 64 ? ~word(0) : (word(1) << count) - 1; }

inline word sign_bit(const format& f) { return f.has_sign ? word(1) << (f.bits - 1 + f.padding) : 0; }

inline word sign_if(const format& f, bool negative) { return negative ? sign_bit(f) : 0; }

inline int top_exponent(const value& x)
{
    int top = 63;
    while (top > 0 && (x.significand >> top) == 0) --top;
    return x.exponent + top;
}

inline value decode(const format& f, word bits)
{
    const word code = (bits >> f.padding) & low_bits(f.bits);
    const bool negative = f.has_sign && ((code >> (f.bits - 1)) & 1) != 0;
    if (f.what == kind::power)
        return value{code == low_bits(f.bits) ? of::nan : of::number, false, 1, static_cast<int>(code) - f.bias};
    if (f.what != kind::floating)
        return value{of::number, negative, negative ? (word(1) << (f.bits - 1) << 1) - code : code,
                     f.what == kind::fixed ? -f.fraction : 0};
    const word magnitude = code & low_bits(f.bits - (f.has_sign ? 1 : 0));
    const word field = magnitude >> f.fraction, low = magnitude & low_bits(f.fraction);
    const word ones = low_bits(f.bits - (f.has_sign ? 1 : 0)) >> f.fraction;
    if (f.special == specials::ieee && field == ones)
        return value{low == 0 ? of::infinity : of::nan, negative, low == 0 ? 0 : low << (64 - f.fraction), 0};
    if (f.special == specials::nan_only && magnitude == low_bits(f.bits - (f.has_sign ? 1 : 0)))
        return value{of::nan, negative, 0, 0};
    const int least = 1 - f.bias - f.fraction;
    return value{of::number, negative, field == 0 ? low : low | word(1) << f.fraction,
                 field == 0 ? least : static_cast<int>(field) - 1 + least};
}

inline quanta to_quantum(const value& x, int quantum, round mode, int random_bits, word random)
{
    if (quantum <= x.exponent) {
        const word steps = x.significand == 0 ? 0 : x.significand << (x.exponent - quantum);
        return quanta{steps, steps};
    }
    // What is discarded, in units of 2^-64 quanta; a remainder sets the last bit.
    const int shift = quantum - x.exponent;
    const word whole = shift < 64 ? x.significand >> shift : 0;
    word rest = x.significand != 0 ? 1 : 0;
    if (shift < 64) rest = x.significand << (64 - shift);
    else if (shift == 64) rest = x.significand;
    else if (shift < 128) rest |= x.significand >> (shift - 64);
    const word half = word(1) << 63;
    bool up = false;
    switch (mode) {
    case round::nearest_even: up = rest > half - (whole & 1); break;
    case round::nearest_away: up = rest >= half; break;
    case round::zero: break;
    case round::down: up = x.negative && rest != 0; break;
    case round::up: up = !x.negative && rest != 0; break;
    case round::random: up = (rest >> (64 - random_bits)) + random > low_bits(random_bits); break;
    }
    return quanta{whole + (up ? 1 : 0), whole};
}

inline word last(const format& f, bool negative)
{
    if (f.what == kind::floating) return f.largest | sign_if(f, negative);
    return negative ? sign_bit(f) : f.largest;
}

inline word infinite(const format& f, bool negative, overflow beyond)
{
    if (beyond != overflow::saturate && f.what == kind::floating && f.special == specials::ieee)
        return sign_if(f, negative) | (f.largest + (word(1) << f.padding));
    return beyond != overflow::saturate && f.has_nan ? f.nan : last(f, negative);
}

inline word too_large(const format& f, bool negative, round mode, overflow beyond)
{
    const bool stays = mode == round::zero || (mode == round::down && !negative) || (mode == round::up && negative);
    return infinite(f, negative, stays && beyond != overflow::infinity_or_nan ? overflow::saturate : beyond);
}

inline word encode(const rules& r, const value& x, word random)
{
    const format& f = r.to;
    const bool zero = x.significand == 0;
    const int top = zero ? 0 : top_exponent(x);
    if (f.what == kind::floating) {
        if (zero) return sign_if(f, x.negative);
        // The last place of the number's binade, or of the subnormals. Codes count quanta, so a carry enters the exponent.
        const int least = 1 - f.bias, binade = top > least ? top : least;
        const quanta q = to_quantum(x, binade - f.fraction, r.mode, r.random_bits, random);
        const word base = static_cast<word>(binade - least) << f.fraction;
        const bool fits = (base + q.steps) << f.padding <= f.largest && (base + q.whole) << f.padding <= f.largest;
        return fits ? sign_if(f, x.negative) | (base + q.steps) << f.padding : too_large(f, x.negative, r.mode, r.beyond);
    }
    if (f.what == kind::power) {
        if (zero || top < -f.bias) return 0;
        const word code = static_cast<word>(top + f.bias) + to_quantum(x, top, r.mode, r.random_bits, random).steps - 1;
        return code > f.largest ? too_large(f, x.negative, r.mode, r.beyond) : code;
    }
    const int quantum = f.what == kind::fixed ? -f.fraction : 0;
    if (!zero && top - quantum >= 64) return last(f, x.negative);
    const word steps = to_quantum(x, quantum, r.mode, r.random_bits, random).steps;
    if (x.negative ? steps > sign_bit(f) : steps > f.largest) return last(f, x.negative);
    return (x.negative ? 0 - steps : steps) & low_bits(f.bits);
}

inline word encode_integral(const rules& r, const value& x, word random)
{
    const int quantum = x.exponent > 0 ? x.exponent : 0;
    const quanta q = to_quantum(x, quantum, r.mode, r.random_bits, random);
    return encode(r, value{of::number, x.negative, q.steps, quantum}, random);
}

inline word nan_of(const rules& r, word source, const value& x)
{
    if (r.nan == nan_rule::constant) return r.nan_bits;
    if (r.nan == nan_rule::rounded_as_bits) {
        const word unit = word(1) << r.to.padding, magnitude = source & low_bits(r.from.bits - 1);
        const word most = low_bits(r.to.bits - 1) << r.to.padding;
        const word rounded = (magnitude + unit / 2) & ~(unit - 1);
        const word result = rounded < most ? rounded : most;
        return (source & sign_bit(r.from)) | (r.beyond == overflow::saturate ? result - unit : result);
    }
    word payload = x.significand;
    if (r.nan == nan_rule::widened) payload = ~word(0) << (64 - r.from.fraction);
    if (r.nan == nan_rule::quieted) payload |= word(1) << 63;
    word fraction = payload >> (64 - r.to.fraction);
    if (fraction == 0) fraction = word(1) << (r.to.fraction - 1);
    const word infinity = r.to.largest + (word(1) << r.to.padding);
    return infinity | fraction << r.to.padding | sign_if(r.to, x.negative && r.nan != nan_rule::widened);
}

// `.ftz`: results that are subnormal before they are rounded to the subnormals.
inline bool is_flushed(const rules& r, const value& x, word random)
{
    const int least = 1 - r.to.bias, top = top_exponent(x);
    if (x.significand == 0 || top >= least) return false;
    const quanta q = to_quantum(x, top - r.to.fraction, r.mode, r.random_bits, random);
    return top + (q.steps == word(1) << (r.to.fraction + 1) ? 1 : 0) < least;
}

// One number: its bits, and the code of its scale and its random bits where the conversion has them.
inline word convert(const rules& r, word source, word scale_code = 127, word random = 0)
{
    source &= low_bits(r.from.storage);
    value x = decode(r.from, source);
    if (r.from.what == kind::integer && r.to.what == kind::integer) {
        if (r.beyond == overflow::wrap)
            return (x.negative ? 0 - x.significand : x.significand) & low_bits(r.to.bits);
        return encode(r, x, 0);
    }
    const bool is_scaled = r.scaled != scale::none;
    if (is_scaled && (scale_code & 0xff) == 0xff) x = value{of::nan, false, 0, 0};
    const bool is_small = r.from.what == kind::floating && x.what == of::number && x.significand != 0 &&
                          (x.significand >> r.from.fraction) == 0;
    if (is_small && r.source != subnormals::keep)
        x = value{of::number, x.negative && r.source == subnormals::zero, 0, 0};
    else if (is_scaled && x.what == of::number)
        x.exponent += (r.scaled == scale::multiply ? 1 : -1) * (static_cast<int>(scale_code & 0xff) - 127);
    if (r.to.what == kind::integer) {
        if (x.what == of::nan) return nan_of(r, source, x);
        return x.what == of::infinity ? infinite(r.to, x.negative, overflow::saturate) : encode(r, x, random);
    }
    if (x.what != of::nan && !r.to.has_sign) x.negative = false;
    if (r.limit == clamp::non_negative && x.what != of::nan && x.negative) x = value{of::number, false, 0, 0};
    if (x.what == of::nan) return nan_of(r, source, x);
    word d = 0;
    if (x.what == of::infinity) d = infinite(r.to, x.negative, r.beyond);
    else d = r.integral ? encode_integral(r, x, random) : encode(r, x, random);
    if (r.limit == clamp::unit_interval) {
        const word one = static_cast<word>(r.to.bias) << r.to.fraction << r.to.padding;
        d = (d & sign_bit(r.to)) != 0 ? 0 : d < one ? d : one;
    }
    if (r.result != subnormals::keep && x.what == of::number && is_flushed(r, x, random))
        d = r.result == subnormals::zero ? d & sign_bit(r.to) : 0;
    return r.positive_zero && d == sign_bit(r.to) ? 0 : d;
}

// One number times a factor, rounded once.
inline word times(const rules& r, word source, const format& f, word factor)
{
    value x = decode(r.from, source);
    const value y = decode(f, factor);
    const bool zero_by_infinity = (x.what == of::infinity && y.what == of::number && y.significand == 0) ||
                                  (y.what == of::infinity && x.what == of::number && x.significand == 0);
    if (x.what == of::nan || y.what == of::nan || zero_by_infinity)
        return nan_of(r, source, value{of::nan, false, 0, 0});
    x.negative = x.negative != y.negative;
    if (r.limit == clamp::non_negative && x.negative) return 0;
    if (x.what == of::infinity || y.what == of::infinity) return infinite(r.to, x.negative, r.beyond);
    x.significand *= y.significand;
    x.exponent += y.exponent;
    return encode(r, x, 0);
}

// The bits of `from`, the lowest first, are those at these places of the random bits.
template <unsigned int N>
inline word gather(word random, const unsigned char (&places)[N])
{
    word field = 0;
    for (unsigned int n = 0; n < N; ++n) field |= (random >> places[n] & 1) << n;
    return field;
}

} // namespace detail
