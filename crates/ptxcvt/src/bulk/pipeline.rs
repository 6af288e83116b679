//! Which stages a form needs, read off its formats and modifiers, and the constants they work with.

use super::kernels::*;
use super::lanes::{Constants, mode, mode_of};
use super::stage::{Stage, stage};
use super::tier::Tier;
use crate::format::{Format, Kind, mask};
use crate::forms::{Form, Modifier, Opcode};
use crate::round::Rounding;

/// One stage and the size of its results, in half bytes an element.
#[derive(Clone, Copy)]
pub(super) struct Step {
    pub run: Stage,
    pub half_bytes: usize,
}

/// What makes an operand that is not an element, instruction by instruction.
#[derive(Clone, Copy)]
pub(super) struct Extra {
    /// Turns the operand into one random field or scale for each element; `None` where it is that already.
    pub spread: Option<Stage>,
    /// Makes Philox words, four from each counter.
    pub philox: Stage,
    /// Bytes of the operand.
    pub operand: usize,
    /// Bytes for one element.
    pub element: usize,
}

/// The most stages that a form needs.
pub(super) const MAX_STEPS: usize = 5;

/// A form's stages in order; none is a plain copy.
#[derive(Clone, Copy)]
pub(super) struct Pipeline {
    pub steps: [Option<Step>; MAX_STEPS],
    pub extra: Option<Extra>,
    pub constants: Constants,
}

/// What the elements lie in between two stages.
#[derive(Clone, Copy, PartialEq)]
enum Lane {
    F32,
    F64,
    /// The result's code.
    Code,
}

/// The stage of a kernel whose rounding is a `const` parameter. `by_mode!(tier, m, [RN RZ], R => Bf16<R>)`
/// expands to `match m { mode::RN => { const R: u8 = mode::RN; stage::<Bf16<R>>(tier) } … }`; a mode that
/// is not listed has no kernel.
macro_rules! by_mode {
    ($tier:expr, $mode:expr, [$($m:ident)+], $r:ident => $kernel:ty) => {
        match $mode {
            $(mode::$m => { const $r: u8 = mode::$m; stage::<$kernel>($tier) })+
            _ => return None,
        }
    };
}

/// The same over formats: `by_format!(D in [E4m3 E5m2] of format => expression)` defines the constant `D`
/// as the format's number in each arm.
macro_rules! by_format {
    ($d:ident in [$($f:ident)+] of $format:expr => $arm:expr) => {
        match $format {
            $(Format::$f => { const $d: usize = Format::$f as usize; $arm })+
            _ => return None,
        }
    };
}

impl Pipeline {
    /// The stages of `form`, or `None` where the reference has to do.
    pub fn new(form: &Form, tier: Tier) -> Option<Pipeline> {
        if tier == Tier::Reference || cfg!(target_endian = "big") {
            return None;
        }
        let mut builder = Builder {
            form,
            tier,
            steps: [None; MAX_STEPS],
            count: 0,
            constants: constants(form),
            packs: false,
        };
        builder.build()?;
        let Builder { steps, constants, .. } = builder;
        Some(Pipeline { steps, extra: extra(form, tier), constants })
    }

    /// The stages.
    pub fn steps(&self) -> impl Iterator<Item = &Step> {
        self.steps.iter().flatten()
    }
}

struct Builder<'f> {
    form: &'f Form,
    tier: Tier,
    steps: [Option<Step>; MAX_STEPS],
    count: usize,
    constants: Constants,
    /// The narrowing kernel puts two FP4 codes into a byte itself.
    packs: bool,
}

impl Builder<'_> {
    fn push(&mut self, run: Stage, half_bytes: usize) {
        self.steps[self.count] = Some(Step { run, half_bytes });
        self.count += 1;
    }

    fn build(&mut self) -> Option<()> {
        let (form, tier) = (self.form, self.tier);
        let (source, destination) = (form.source().format(), form.destination().format());
        if form.opcode() == Opcode::CvtPack {
            self.push(stage::<CvtPack>(tier), 8);
            return Some(());
        }
        if source.is_integer() && destination.is_integer() {
            return self.integers(source, destination);
        }
        let is_plain = form.rounding().is_none() && form.modifiers().is_empty();
        if source == destination && is_plain && matches!(source, Format::F32 | Format::F64) {
            return Some(()); // a move
        }
        if self.small_to_word(source, destination) {
            self.finish(destination);
            return Some(());
        }
        if source == Format::F16 && destination == Format::F32 && !self.sat() {
            self.half_to_single();
            return Some(());
        }
        if form.modifiers().is_empty() {
            let run = match (source, destination, form.rounding()) {
                (Format::U32, Format::F32, Some(Rounding::Rn)) => Some((stage::<SingleOfU32>(tier), 8)),
                (Format::S32, Format::F32, Some(Rounding::Rn)) => Some((stage::<SingleOfS32>(tier), 8)),
                (Format::F32, Format::F64, None) => Some((stage::<SingleToDouble>(tier), 16)),
                _ => None,
            };
            if let Some((run, half_bytes)) = run {
                self.push(run, half_bytes);
                return Some(());
            }
        }
        let lane = self.widen(source)?;
        let lane = self.adjust(lane, source, destination)?;
        if lane != Lane::Code {
            self.narrow(lane, source, destination)?;
        }
        self.finish(destination);
        Some(())
    }

    /// f16 to f32 at once; `.ftz` has nothing to flush, f16's subnormals being normal in f32.
    fn half_to_single(&mut self) {
        let run = stage::<HalfToSingle>(self.tier);
        #[cfg(all(target_arch = "x86_64", rust_1_89))]
        let run = super::x86::half::to_f32(self.tier).unwrap_or(run);
        self.push(run, 8);
    }

    /// FP8, FP6, FP4 and ue8m0 to f16 or bf16 at once, unless a scale or `.satfinite` comes between.
    fn small_to_word(&mut self, source: Format, destination: Format) -> bool {
        use Format::{Bf16, E2m1, F16, Ue8m0};
        let (form, tier) = (self.form, self.tier);
        let word = matches!(destination, F16 | Bf16);
        if !word || form.has(Modifier::Satfinite) || form.modifiers().iter().any(Modifier::is_scale) {
            return false;
        }
        macro_rules! choose {
            ($($s:ident)+) => {
                match (source, destination) {
                    $((Format::$s, F16) => stage::<WordOf<{ Format::$s as usize }, { F16 as usize }>>(tier),
                      (Format::$s, Bf16) => stage::<WordOf<{ Format::$s as usize }, { Bf16 as usize }>>(tier),)+
                    // To f16 it can overflow.
                    (Format::Ue5m3, Bf16) => {
                        stage::<WordOf<{ Format::Ue5m3 as usize }, { Bf16 as usize }>>(tier)
                    }
                    (E2m1, F16) => stage::<WordsOfNibbles<{ E2m1 as usize }, { F16 as usize }>>(tier),
                    (E2m1, Bf16) => stage::<WordsOfNibbles<{ E2m1 as usize }, { Bf16 as usize }>>(tier),
                    (Ue8m0, Bf16) => stage::<WordOfPower>(tier),
                    _ => return false,
                }
            };
        }
        let run = choose!(E4m3 E5m2 E2m3 E3m2);
        #[cfg(all(target_arch = "x86_64", rust_1_89))]
        let run = super::x86::widen(tier, source, destination).unwrap_or(run);
        self.push(run, 4);
        true
    }

    /// Integer to integer: what the bytes say is enough.
    fn integers(&mut self, source: Format, destination: Format) -> Option<()> {
        let (from, to) = (source.bits() / 8, destination.bits() / 8);
        let sat = self.form.has(Modifier::Sat);
        if from == to && !sat {
            return Some(()); // a move
        }
        macro_rules! chop {
            ($($from:literal $to:literal),+) => {
                match (from, to, source.is_signed(), sat) {
                    $(($from, $to, false, false) => stage::<Chop<$from, $to, false, false>>(self.tier),
                      ($from, $to, false, true) => stage::<Chop<$from, $to, false, true>>(self.tier),
                      ($from, $to, true, false) => stage::<Chop<$from, $to, true, false>>(self.tier),
                      ($from, $to, true, true) => stage::<Chop<$from, $to, true, true>>(self.tier),)+
                    _ => return None,
                }
            };
        }
        let run = chop!(1 1, 1 2, 1 4, 1 8, 2 1, 2 2, 2 4, 2 8, 4 1, 4 2, 4 4, 4 8, 8 1, 8 2, 8 4, 8 8);
        self.push(run, to as usize * 2);
        Some(())
    }

    /// The source as f32 or f64.
    fn widen(&mut self, source: Format) -> Option<Lane> {
        use Format::{F16, F32, F64, S2f6, S8, S16, S32, S64, U8, U16, U32, U64, Ue8m0};
        let (tier, double) = (self.tier, self.form.destination().format() == F64);
        let rounding = self.form.rounding().map_or(mode::NONE, mode_of);
        let (run, lane) = match source {
            F32 => return Some(Lane::F32),
            F64 => return Some(Lane::F64),
            F16 => (stage::<Widen16<{ F16 as usize }>>(tier), Lane::F32),
            Format::Bf16 => (stage::<Widen16<{ Format::Bf16 as usize }>>(tier), Lane::F32),
            U8 => (stage::<WidenU8>(tier), Lane::F32),
            S8 => (stage::<WidenS8>(tier), Lane::F32),
            U16 => (stage::<WidenU16>(tier), Lane::F32),
            S16 => (stage::<WidenS16>(tier), Lane::F32),
            U32 => (stage::<WidenU32>(tier), Lane::F64),
            S32 => (stage::<WidenS32>(tier), Lane::F64),
            U64 if double => (by_mode!(tier, rounding, [RN RZ RM RP], R => F64FromU64<R>), Lane::F64),
            S64 if double => (by_mode!(tier, rounding, [RN RZ RM RP], R => F64FromS64<R>), Lane::F64),
            U64 => (stage::<WidenU64>(tier), Lane::F64),
            S64 => (stage::<WidenS64>(tier), Lane::F64),
            Ue8m0 => (stage::<WidenPower>(tier), Lane::F32),
            S2f6 => (stage::<WidenFixed>(tier), Lane::F32),
            Format::E2m1 => (stage::<Widen4<{ Format::E2m1 as usize }>>(tier), Lane::F32),
            small => {
                (by_format!(S in [E4m3 E5m2 E2m3 E3m2 Ue5m3] of small => stage::<Widen8<S>>(tier)), Lane::F32)
            }
        };
        self.push(run, if lane == Lane::F64 { 16 } else { 8 });
        Some(lane)
    }

    /// What happens before narrowing; and where the lanes are the result already, the rule for NaN.
    fn adjust(&mut self, lane: Lane, source: Format, destination: Format) -> Option<Lane> {
        let (form, tier) = (self.form, self.tier);
        let mut lane = lane;
        let to_integral = !source.is_integer() && !destination.is_integer();
        let integral = match form.rounding() {
            Some(r) if r.is_integer() && to_integral => mode_of(r),
            _ => mode::NONE,
        };
        if form.modifiers().iter().any(Modifier::is_scale) {
            self.push(stage::<Scale>(tier), 8);
        }
        if lane == Lane::F32 && destination != Format::F64 {
            let is_result = destination == Format::F32;
            // Integers have no NaN, and bf16's pass to f32 as they are.
            let nan_rule = is_result && !source.is_integer() && (source, self.ftz()) != (Format::Bf16, false);
            if nan_rule || integral != mode::NONE || self.sat() || self.ftz() && source == Format::F32 {
                self.push(by_mode!(tier, integral, [NONE RN RZ RM RP], R => Adjust32<R>), 8);
            }
            if is_result {
                return Some(Lane::Code);
            }
        }
        if lane == Lane::F32 && destination == Format::F64 {
            self.push(stage::<Widen32<{ Format::F32 as usize }>>(tier), 16);
            lane = Lane::F64;
        }
        if lane == Lane::F64 && !destination.is_integer() {
            let is_result = destination == Format::F64;
            let flushes = self.ftz() && !source.is_integer();
            if is_result && !source.is_integer() || self.sat() || flushes {
                self.push(by_mode!(tier, integral, [NONE RN RZ RM RP], R => Adjust64<R>), 16);
            }
            if is_result {
                return Some(Lane::Code);
            }
        }
        Some(lane)
    }

    /// `.ftz` where it can do something.
    fn ftz(&self) -> bool {
        self.form.has(Modifier::Ftz)
    }

    /// `.sat` to the unit interval.
    fn sat(&self) -> bool {
        self.form.has(Modifier::Sat) && !self.form.destination().format().is_integer()
    }

    /// From f32 or f64 lanes to the destination's code, FP4 a code to a byte.
    fn narrow(&mut self, lane: Lane, source: Format, destination: Format) -> Option<()> {
        use Format::{Bf16 as B16, F16, F32, S2f6, Tf32 as T32, Ue5m3, Ue8m0};
        let (form, tier) = (self.form, self.tier);
        // Integral values of the same format, and conversions that lose nothing, need no mode.
        let rounding = match form.rounding() {
            Some(r) if r.is_integer() && !destination.is_integer() => mode::RN,
            Some(r) => mode_of(r),
            None => mode::RN,
        };
        let finite = form.has(Modifier::Satfinite);
        #[cfg(all(target_arch = "x86_64", rust_1_89))]
        {
            self.packs = destination.storage() == 4 && !self.looks_at_codes();
            if let Some(run) = super::x86::narrow(tier, destination, rounding, self.packs) {
                self.push(run, if self.packs { 1 } else { 2 });
                return Some(());
            }
            self.packs = false;
        }
        #[cfg(all(target_arch = "x86_64", rust_1_89))]
        if (lane, tier) == (Lane::F32, Tier::Avx2) {
            if let Some(run) = super::x86::lanes::narrow(destination, rounding) {
                self.push(run, destination.storage() as usize / 4);
                return Some(());
            }
        }
        #[cfg(all(target_arch = "x86_64", rust_1_89))]
        if (lane, destination) == (Lane::F32, F16) {
            if let Some(run) = super::x86::half::from_f32(tier, rounding, finite) {
                self.push(run, 4);
                return Some(());
            }
        }
        let run = match (lane, destination) {
            (_, d) if d.is_integer() => return self.narrow_to_integer(lane, source, d, rounding),
            (Lane::F64, F16) => by_mode!(tier, rounding, [RN RZ RM RP], R => Double16<{ F16 as usize }, R>),
            (Lane::F64, B16) => by_mode!(tier, rounding, [RN RZ RM RP], R => Double16<{ B16 as usize }, R>),
            (Lane::F64, F32) => by_mode!(tier, rounding, [RN RZ RM RP], R => Double32<{ F32 as usize }, R>),
            (_, F16) if rounding == mode::RS => stage::<Stochastic16<{ F16 as usize }>>(tier),
            (_, F16) if finite => by_mode!(tier, rounding, [RN RZ], R => Narrow16<{ F16 as usize }, R, true>),
            (_, F16) => by_mode!(tier, rounding, [RN RZ RM RP], R => Narrow16<{ F16 as usize }, R, false>),
            (_, B16) if rounding == mode::RS => stage::<StochasticBf16>(tier),
            (_, B16) => by_mode!(tier, rounding, [RN RZ RM RP], R => Bf16<R>),
            (_, T32) if form.rounding() == Some(Rounding::Rna) => stage::<Tf32TiesAway>(tier),
            (_, T32) => by_mode!(tier, rounding, [RN RZ], R => Tf32<R>),
            (_, Ue8m0) => by_mode!(tier, rounding, [RZ RP], R => Power<R>),
            (_, S2f6) => by_mode!(tier, rounding, [RN RZ], R => Fixed8<R>),
            (_, Ue5m3) if finite => {
                by_mode!(tier, rounding, [RN RZ RP], R => Narrow8<{ Ue5m3 as usize }, R, true>)
            }
            (_, Ue5m3) => by_mode!(tier, rounding, [RN RZ RP], R => Narrow8<{ Ue5m3 as usize }, R, false>),
            (_, d) => by_format!(D in [E4m3 E5m2 E2m3 E3m2 E2m1] of d => match rounding {
                mode::RS => stage::<Stochastic8<D>>(tier),
                _ => by_mode!(tier, rounding, [RN RZ], R => Narrow8<D, R, true>),
            }),
        };
        self.push(run, (destination.storage() as usize / 4).max(2));
        Some(())
    }

    fn narrow_to_integer(&mut self, lane: Lane, source: Format, d: Format, rounding: u8) -> Option<()> {
        let tier = self.tier;
        let run = match (lane, d.bits(), d.is_signed()) {
            (Lane::F64, 8, _) => by_mode!(tier, rounding, [RN RZ RM RP], R => DoubleFixed8<R>),
            (Lane::F64, 16, _) => by_mode!(tier, rounding, [RN RZ RM RP], R => DoubleFixed16<R>),
            (Lane::F64, 32, _) => by_mode!(tier, rounding, [RN RZ RM RP], R => DoubleFixed32<R>),
            (Lane::F64, 64, true) => by_mode!(tier, rounding, [RN RZ RM RP], R => DoubleInteger64<R, true>),
            (Lane::F64, 64, false) => by_mode!(tier, rounding, [RN RZ RM RP], R => DoubleInteger64<R, false>),
            (Lane::F32, 8, _) if rounding == mode::RZ => stage::<Truncated8>(tier),
            (Lane::F32, 16, _) if rounding == mode::RZ => stage::<Truncated16>(tier),
            (Lane::F32, 32, true) if rounding == mode::RZ => stage::<Signed32<{ mode::NONE }>>(tier),
            (Lane::F32, 32, false) if rounding == mode::RZ => stage::<Unsigned32<{ mode::NONE }>>(tier),
            (Lane::F32, 32, true) => by_mode!(tier, rounding, [RN RM RP], R => Signed32<R>),
            (Lane::F32, 32, false) => by_mode!(tier, rounding, [RN RM RP], R => Unsigned32<R>),
            (Lane::F32, 8, _) => by_mode!(tier, rounding, [RN RZ RM RP], R => Fixed8<R>),
            (Lane::F32, 16, _) => by_mode!(tier, rounding, [RN RZ RM RP], R => Fixed16<R>),
            (Lane::F32, 64, true) => by_mode!(tier, rounding, [RN RZ RM RP], R => Integer64<R, true>),
            (Lane::F32, 64, false) => by_mode!(tier, rounding, [RN RZ RM RP], R => Integer64<R, false>),
            _ => return None,
        };
        debug_assert!(!source.is_integer());
        #[cfg(all(target_arch = "x86_64", rust_1_89))]
        let run = match (lane, d, rounding) {
            (Lane::F32, Format::S32, mode::RZ) => super::x86::signed::truncate(tier).unwrap_or(run),
            _ => run,
        };
        self.push(run, d.bits() as usize / 4);
        Some(())
    }

    /// True of `.relu` and `.pzo`, which are applied to codes.
    fn looks_at_codes(&self) -> bool {
        self.form.has(Modifier::Relu) || self.form.has(Modifier::Pzo)
    }

    /// The modifiers that look at codes, and FP4's packing.
    fn finish(&mut self, destination: Format) {
        let tier = self.tier;
        if self.looks_at_codes() {
            match destination.storage() {
                16 => self.push(stage::<Post16>(tier), 4),
                32 => self.push(stage::<Post32>(tier), 8),
                _ => self.push(stage::<Post8>(tier), 2),
            }
        }
        if destination.storage() == 4 && !self.packs {
            self.push(stage::<Pack4>(tier), 1);
        }
    }
}

/// How `rbits` and scales come to the elements.
fn extra(form: &Form, tier: Tier) -> Option<Extra> {
    let philox = stage::<Philox>(tier);
    #[cfg(all(target_arch = "x86_64", rust_1_89))]
    let philox = super::x86::philox(tier).unwrap_or(philox);
    if form.rounding() == Some(Rounding::Rs) {
        let spread = match form.destination().format() {
            Format::F16 => Some(stage::<FieldsF16>(tier)),
            Format::Bf16 => None,
            Format::E2m1 => Some(stage::<Fields4>(tier)),
            _ => Some(stage::<Fields8>(tier)),
        };
        return Some(Extra { spread, philox, operand: 4, element: 2 });
    }
    if form.has(Modifier::ScaledN1) {
        return Some(Extra { spread: Some(stage::<ScaleTwice>(tier)), philox, operand: 1, element: 1 });
    }
    form.has(Modifier::ScaledN2).then_some(Extra { spread: None, philox, operand: 2, element: 1 })
}

/// The numbers behind a form's modifiers and formats.
fn constants(form: &Form) -> Constants {
    let (source, destination) = (form.source().format(), form.destination().format());
    let mut k = Constants { relu_above: u64::MAX, nan_keep: u64::MAX, ..Constants::default() };
    if form.has(Modifier::Relu) {
        k.relu_above = destination.sign_bit() - 1;
    }
    if form.has(Modifier::Pzo) {
        k.positive_zero = destination.sign_bit();
    }
    if form.has(Modifier::Sat) && !destination.is_integer() {
        k.sat = u64::MAX;
    }
    flushing(form, &mut k);
    match destination.parameters().kind {
        Kind::Integer { signed } => integer_range(source, destination, signed, &mut k),
        Kind::Fixed { fraction } => {
            let unit = 1.0 / f64::from(1_u32 << fraction);
            (k.low, k.high, k.magic) = (-128.0 * unit, 127.0 * unit, 12_582_912.0 * unit);
            k.nan = destination.max_finite();
        }
        Kind::PowerOfTwo { .. } => k.limit[0] = if form.has(Modifier::Satfinite) { 0xfe } else { 0xff },
        Kind::Float { .. } => float_range(form, source, destination, &mut k),
    }
    k
}

/// `.ftz`, and the flushing that comes before a division by an n1 scale.
fn flushing(form: &Form, k: &mut Constants) {
    let (source, destination) = (form.source().format(), form.destination().format());
    let least = |format: Format| match format.parameters().kind {
        Kind::Float { bias, .. } => f64::from_bits(((1024 - bias) as u64) << 52),
        _ => 0.0,
    };
    if form.has(Modifier::Ftz) {
        k.flush_keep = if source == Format::F64 || destination == Format::F64 { 1 << 63 } else { 1 << 31 };
        k.flush_below = match (source, destination) {
            // Tiny after rounding to 24 bits: what that carries to the least normal number stays.
            (Format::F64, _) => {
                let least = least(Format::F32).to_bits();
                let carried = |halves: u64| least - (halves << 28);
                let away = carried(2) + 1;
                match form.rounding() {
                    Some(Rounding::Rn) => [carried(1); 2],
                    Some(Rounding::Rp) => [away, least],
                    Some(Rounding::Rm) => [least, away],
                    _ => [least; 2],
                }
            }
            (_, Format::F64) => [least(Format::F32).to_bits(); 2],
            _ => [0x0080_0000; 2],
        };
    }
    if form.has(Modifier::ScaledN1) {
        k.flush_below = [u64::from((least(source) as f32).to_bits()); 2];
    }
    k.scale_flip = u32::from(destination != Format::Bf16);
}

/// The ends of an integer format, and what NaN becomes.
fn integer_range(source: Format, destination: Format, signed: bool, k: &mut Constants) {
    let width = destination.bits();
    k.high_integer = mask(width - u32::from(signed));
    k.low_integer = if signed { (-1_i64) << (width - 1) } else { 0 };
    (k.low, k.high) = (k.low_integer as f64, k.high_integer as f64);
    let wide_lanes = source == Format::F64;
    k.magic = if wide_lanes { 6_755_399_441_055_744.0 } else { 12_582_912.0 };
    k.nan = if source == Format::F64 { 1 << (width - 1) } else { 0 };
    k.pack_bits = width;
}

/// Where a float format ends, and what infinity and NaN become.
fn float_range(form: &Form, source: Format, destination: Format, k: &mut Constants) {
    let satfinite = form.has(Modifier::Satfinite);
    let wide_lanes = source == Format::F64 || source.is_integer() && source.bits() > 16;
    let bits = |x: f64| if wide_lanes { x.to_bits() } else { u64::from((x as f32).to_bits()) };
    let all = mask(destination.bits() - u32::from(destination.is_signed())) << destination.low_padding();
    k.nan = all;
    k.infinity = if satfinite { destination.max_finite() } else { destination.infinity().unwrap_or(all) };
    if let crate::Value::Finite(largest) = destination.decode(destination.max_finite()) {
        let beyond = crate::Exact { significand: largest.significand + 1, ..largest };
        let (largest, beyond) = (bits(largest.to_f64()), bits(beyond.to_f64()));
        let (towards, away) = if satfinite { (largest, largest) } else { (largest, beyond) };
        k.limit = match form.rounding() {
            Some(Rounding::Rz) => [towards; 2],
            Some(Rounding::Rm) => [towards, away],
            Some(Rounding::Rp) => [away, towards],
            _ => [away; 2],
        };
    }
    let same_exponent = matches!(destination, Format::Bf16 | Format::Tf32) && !wide_lanes;
    if same_exponent && !satfinite {
        k.limit = [u64::from(u32::MAX); 2];
    }
    match destination {
        Format::Tf32 if form.rounding() == Some(Rounding::Rna) => {
            k.infinity = if satfinite { 0x2000 } else { 0 };
        }
        // Rounded in place, at the top of an f32.
        Format::Bf16 if !wide_lanes => k.nan = all << 16,
        Format::F32 if !wide_lanes => (k.nan_keep, k.nan_set) = (0, 0x7fff_ffff),
        Format::F64 if form.has(Modifier::Ftz) => (k.nan_keep, k.nan_set) = (0, 0x7fff_ffff_e000_0000),
        Format::F64 => k.nan_set = 1 << 51,
        _ => {}
    }
    // From f64 the payload joins the quiet bit.
    if let (Format::F64, Kind::Float { fraction, .. }) = (source, destination.parameters().kind) {
        k.nan = destination.infinity().unwrap_or(0) | 1 << (fraction - 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// No form is left to the reference.
    #[test]
    fn every_form_has_stages_on_every_tier() {
        for tier in Tier::available().filter(|tier| *tier != Tier::Reference) {
            for form in Form::all() {
                assert!(Pipeline::new(&form, tier).is_some(), "{form} on {tier}");
            }
        }
    }
}
