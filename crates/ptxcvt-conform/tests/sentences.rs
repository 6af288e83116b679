//! What the judge says of differences is true of each of them: random codecs, and a reading of every sentence that does
//! not use the judge's own code.

use ptxcvt::inputs::SplitMix64;
use ptxcvt::{Conversion, Format, NanRule, Overflow, Rounding, Value};
use ptxcvt_conform::judge::{Class, Judge};

const ROUNDINGS: [Rounding; 5] = [Rounding::Rn, Rounding::Rna, Rounding::Rz, Rounding::Rm, Rounding::Rp];

/// One input, and the properties that sentences mention.
struct Case {
    source: Format,
    destination: Format,
    input: u64,
    got: u64,
    expected: u64,
}

/// The numbers next to an input, towards zero and away from zero, found in the list of all magnitudes.
struct Neighbours {
    floor: u64,
    next: u64,
    tie: bool,
}

impl Case {
    fn x(&self) -> f64 {
        self.source.decode(self.input).to_f64()
    }

    fn negative(&self) -> bool {
        self.input & self.source.sign_bit() != 0
    }

    fn value(&self, code: u64) -> f64 {
        self.destination.decode(code).to_f64()
    }

    /// A code with the source's sign; in two's complement for integers.
    fn signed(&self, code: u64) -> u64 {
        match self.negative() {
            true if self.destination.is_integer() => {
                code.wrapping_neg() & u64::MAX >> (64 - self.destination.bits())
            }
            true => code | self.destination.sign_bit(),
            false => code,
        }
    }

    /// The greatest magnitude with the source's sign, as a code without sign.
    fn largest(&self) -> u64 {
        match self.negative() && self.destination.is_integer() {
            true => self.destination.sign_bit(),
            false => self.destination.max_finite(),
        }
    }

    /// The result of the number times a power of two.
    fn scaled(&self, factor: f64) -> u64 {
        let conversion = Conversion::new(Format::F64, self.destination).overflow(Overflow::Saturate);
        conversion.rounding(rounding_to(self.destination, Rounding::Rn)).eval((self.x() * factor).to_bits())
    }

    /// The result with the other sign.
    fn opposite(&self) -> u64 {
        self.got ^ self.destination.sign_bit()
    }

    /// The nearest code of the format with one more in the bias, whose one special code is 0x80.
    fn fnuz(&self) -> u64 {
        let fraction = self.destination.fraction_bits();
        let bias = if fraction == 3 { 8 } else { 16 };
        let number = |code: u64| {
            let (exponent, rest) = ((code >> fraction) as i32, (code % (1 << fraction)) as f64);
            let rest = rest / f64::from(1 << fraction);
            match exponent {
                0 => rest * 2_f64.powi(1 - bias),
                _ => (1.0 + rest) * 2_f64.powi(exponent - bias),
            }
        };
        let distance = |code: u64| (number(code) - self.x().abs()).abs();
        // If two are at the same distance: the even one.
        let nearest =
            (0..0x80).min_by(|a, b| distance(*a).total_cmp(&distance(*b)).then((a & 1).cmp(&(b & 1))));
        let code = nearest.expect("there are codes");
        if code != 0 && self.negative() { code | 0x80 } else { code }
    }

    /// `None` beyond the range, where an input has one neighbour.
    fn neighbours(&self) -> Option<Neighbours> {
        let x = self.x().abs();
        let size = |code: u64| self.value(self.signed(code)).abs();
        let at = (0..=self.largest()).take_while(|code| size(*code) <= x).last()?;
        if at == self.largest() && size(at) != x {
            return None;
        }
        let next = if size(at) == x { at } else { at + 1 };
        let tie = next != at && size(at) / 2.0 + size(next) / 2.0 == x;
        Some(Neighbours { floor: self.signed(at), next: self.signed(next), tie })
    }

    /// The result is what a sentence calls `name`.
    fn is(&self, name: &str) -> bool {
        let (got, format) = (self.got, self.destination);
        let quiet = || format.infinity().unwrap() | 1 << (format.fraction_bits() - 1);
        let nan = |rule| Conversion::new(self.source, format).nan(rule).eval(self.input);
        if let Some((value, rest)) = name.split_once(" (0x") {
            let (code, mirrored) = rest.split_once(')').unwrap();
            let code = u64::from_str_radix(code, 16).unwrap();
            let is = if mirrored.is_empty() { got == code } else { got == self.signed(code) };
            return is && (value == "NaN" || value.parse::<f64>().unwrap() == self.value(code));
        }
        match name {
            "zero" => self.value(got) == 0.0,
            "negative zero" => got == format.sign_bit(),
            "infinity" => Some(got) == format.infinity().map(|code| self.signed(code)),
            "NaN" => Some(got) == format.nan(),
            "NaN with the source's sign" => Some(got) == format.nan().map(|code| self.signed(code)),
            "the quiet NaN without payload" => got == quiet(),
            "the quiet NaN without payload, with the source's sign" => got == self.signed(quiet()),
            "NaN with the source's sign and payload, quieted" => got == nan(NanRule::Quieted),
            "NaN with the source's sign and payload" => got == nan(NanRule::Moved),
            "the largest number" => got == format.max_finite(),
            "the largest number with the source's sign" => got == self.signed(self.largest()),
            "the top bit alone" => got == 1 << (format.bits() - 1),
            "the least number" => got == 0,
            "different codes" | "others" => true,
            _ => {
                let number =
                    |text: &str| text.parse::<f64>().unwrap_or_else(|_| panic!("{name:?} has no reading"));
                let negative = self.value(got).is_sign_negative();
                if let Some(size) = name.strip_suffix(" with the source's sign") {
                    !matches!(size, "inf" | "NaN")
                        && self.value(got).abs() == number(size)
                        && negative == self.negative()
                } else {
                    let size = name.strip_suffix(" with the opposite sign").expect("a reading");
                    self.value(got).abs() == number(size) && negative != self.negative()
                }
            }
        }
    }

    /// The result is the neighbour in a direction.
    fn rounded(&self, direction: &str) -> bool {
        let Some(Neighbours { floor, next, .. }) = self.neighbours() else { return false };
        let (up, down) = if self.negative() { (floor, next) } else { (next, floor) };
        let by_last_bit = |odd: u64| if floor & 1 == odd { floor } else { next };
        self.got
            == match direction {
                "towards zero" => floor,
                "away from zero" => next,
                "up" => up,
                "down" => down,
                "to odd" => by_last_bit(1),
                "to even" => by_last_bit(0),
                "to the wrong neighbour" if self.got == floor || self.got == next => self.got,
                "to the wrong neighbour" => !self.got,
                _ => panic!("{direction:?} has no reading"),
            }
    }

    /// What a number does: "round up", "are rounded twice, first to `f16`", "become zero".
    fn does(&self, what: &str) -> bool {
        let what = what.strip_prefix("are rounded ").or(what.strip_prefix("round ")).unwrap_or(what);
        let neighbour =
            |code| self.neighbours().is_some_and(|these| code == these.floor || code == these.next);
        match what {
            "to neither neighbour" | "become neither of them" => !neighbour(self.got),
            "are kept" => neighbour(self.got),
            "become wrong codes" | "are wrong" => true,
            "are twice what they should be" => self.got == self.scaled(2.0),
            "are half of what they should be" => self.got == self.scaled(0.5),
            "lose their sign" => {
                self.negative() && !self.value(self.got).is_sign_negative() && neighbour(self.opposite())
            }
            "get the opposite sign" => neighbour(self.opposite()),
            "lose the carry into the exponent" => {
                let step = 1 << self.destination.fraction_bits();
                let next = self.neighbours().expect("within the range").next;
                next % step == 0 && self.got + step == next
            }
            "are codes of `e4m3fnuz`" | "are codes of `e5m2fnuz`" => self.got == self.fnuz(),
            "twice, first to `bf16`" | "twice, first to `f16`" => {
                let between = if what.contains("bf16") { Format::Bf16 } else { Format::F16 };
                let second = Conversion::new(between, self.destination).overflow(Overflow::Saturate);
                second.eval(Conversion::new(self.source, between).eval(self.input)) == self.got
            }
            _ => match what.strip_prefix("become ") {
                Some(name) => self.is(name),
                None => self.rounded(what),
            },
        }
    }

    /// A correct result of the kind that a sentence without "some" describes: the sentence must be true of this result,
    /// too. Correct results for numbers that round to zero or to the largest number do not contradict a sentence about
    /// other small or large numbers.
    fn contradicts(&self, sentence: &str, class_of_sentence: Class) -> bool {
        let tiny = self.value(self.expected) == 0.0;
        let largest = self.signed(self.largest()) == self.expected;
        // Another result in the place of the right one shows the class that a difference would have.
        let differed = Case { got: self.destination.max_finite(), ..*self };
        let sign = match sentence {
            _ if sentence.contains("positive ") || sentence.contains("without a sign bit") => Some(false),
            _ if sentence.contains("negative ") || sentence.contains("with the sign bit set") => Some(true),
            _ if sentence.starts_with("numbers above ") => Some(false),
            _ if sentence.starts_with("numbers below ") => Some(true),
            _ => None,
        };
        class(&differed) == class_of_sentence
            && sign.is_none_or(|negative| negative == self.negative())
            && match class_of_sentence {
                Class::Nan | Class::Infinity => !self.holds(sentence, class_of_sentence),
                Class::Overflow => !largest && !self.holds(sentence, class_of_sentence),
                Class::Subnormal if sentence.contains("zero becomes ") => self.x() == 0.0,
                Class::Subnormal if sentence.contains("ties ") => {
                    self.neighbours().unwrap().tie && !self.holds(sentence, class_of_sentence)
                }
                Class::Subnormal => !tiny && !self.holds(sentence, class_of_sentence),
                _ => false,
            }
    }

    /// What "everything from 256 on becomes 448" says of the result: `None` of other numbers.
    fn is_as_from(&self, sentence: &str) -> Option<bool> {
        let rest = sentence.strip_prefix("everything from ")?;
        let down = rest.split_once(" down becomes ");
        let (begin, end) = down.or(rest.split_once(" on becomes ")).expect("a reading");
        let mirrored = end.strip_suffix(" with the source's sign");
        let (begin, end): (f64, f64) = (begin.parse().unwrap(), mirrored.unwrap_or(end).parse().unwrap());
        let sign = if mirrored.is_some() && self.negative() { -1.0 } else { 1.0 };
        let x = self.x() * sign;
        let concerned = x.is_finite() && if down.is_some() { x <= begin } else { x >= begin };
        let got = self.value(self.got);
        concerned.then_some(got == end * sign || got.is_nan() && end.is_nan())
    }

    /// A sentence without "some" is true of this difference.
    fn holds(&self, sentence: &str, class: Class) -> bool {
        let zero = self.value(self.got) == 0.0;
        if sentence.starts_with("everything from ") {
            return sentence.split(", and ").any(|part| self.is_as_from(part) == Some(true));
        }
        let every = [
            ("every number becomes ", None),
            ("every positive number becomes ", Some(false)),
            ("every negative number becomes ", Some(true)),
        ];
        if let Some((name, sign)) =
            every.iter().find_map(|(start, sign)| Some((sentence.strip_prefix(start)?, sign)))
        {
            return sign.is_none_or(|negative| negative == self.negative())
                && self.value(self.got) == name.parse::<f64>().unwrap();
        }
        match sentence {
            "-0 becomes +0" => return self.x() == 0.0 && self.negative() && self.got == 0,
            "+0 becomes -0" => {
                return self.x() == 0.0 && !self.negative() && self.got == self.destination.sign_bit();
            }
            "negative numbers that round to zero become +0" => return self.negative() && self.got == 0,
            "positive numbers that round to zero become -0" => {
                return !self.negative() && zero && self.got != 0;
            }
            "zeros have the wrong sign" => return zero && self.got != self.expected,
            _ => {}
        }
        let (subject, sign) = [("positive ", Some(false)), ("negative ", Some(true))]
            .iter()
            .find_map(|(start, sign)| Some((sentence.strip_prefix(start)?, *sign)))
            .unwrap_or((sentence, None));
        if sign.is_some_and(|negative| negative != self.negative()) {
            return false;
        }
        let limit = |rest: &str, size: f64, test: fn(f64, f64) -> bool| {
            let (limit, what) = rest.split_once(" become ").unwrap();
            test(size, limit.parse().unwrap()) && self.is(what)
        };
        match class {
            Class::Nan | Class::Infinity => {
                let verb = [" becomes ", " become ", " stays "]
                    .into_iter()
                    .find_map(|verb| subject.split_once(verb));
                let (subject, becomes) = verb.expect("a verb");
                let sign = match subject {
                    "NaN" | "infinity" => None,
                    "NaNs" => None,
                    "NaN without a sign bit" | "NaNs without a sign bit" => Some(false),
                    "NaN with the sign bit set" | "NaNs with the sign bit set" => Some(true),
                    _ => panic!("{sentence:?} has no reading"),
                };
                sign.is_none_or(|negative| negative == self.negative()) && self.is(becomes)
            }
            Class::Overflow => {
                if let Some(rest) = subject.strip_prefix("numbers above ") {
                    limit(rest, self.x(), |x, limit| x > limit)
                } else if let Some(rest) = subject.strip_prefix("numbers below ") {
                    limit(rest, self.x(), |x, limit| x < limit)
                } else if let Some(rest) = subject.strip_prefix("numbers outside ") {
                    let (least, rest) = rest.split_once(" to ").unwrap();
                    self.x() < least.parse().unwrap() || limit(rest, self.x(), |x, limit| x > limit)
                } else {
                    let rest = subject.strip_prefix("numbers beyond ").expect("a reading");
                    limit(rest, self.x().abs(), |x, limit| x > limit)
                }
            }
            Class::Subnormal => {
                if let Some(name) = subject.strip_prefix("zero becomes ") {
                    return self.x() == 0.0 && self.is(name);
                }
                let (name, rest) = subject.split_once(" below ").expect("a reading");
                let (below, what) = rest.split_once(", the smallest normal number, ").expect("a reading");
                let small = self.value(self.expected).abs() < below.parse().unwrap();
                let kind = name == "results" || name == "ties" && self.neighbours().unwrap().tie;
                small && kind && self.does(what)
            }
            _ => {
                if let Some(what) = subject.strip_prefix("results ") {
                    return self.does(what);
                }
                if let Some(what @ ("lose their sign" | "get the opposite sign")) =
                    subject.strip_prefix("numbers ")
                {
                    return self.does(what);
                }
                for kind in ["numbers that the format has ", "ties ", "numbers between two codes "] {
                    if let Some(what) = subject.strip_prefix(kind) {
                        let these = self.neighbours().expect("within the range");
                        let is_kind = match kind {
                            "ties " => these.tie,
                            "numbers between two codes " => these.floor != these.next && !these.tie,
                            _ => these.floor == these.next,
                        };
                        return is_kind && self.does(what);
                    }
                }
                panic!("{sentence:?} has no reading")
            }
        }
    }
}

/// The name of a rounding for a destination.
fn rounding_to(destination: Format, rounding: Rounding) -> Rounding {
    match rounding {
        _ if !destination.is_integer() => rounding,
        Rounding::Rz => Rounding::Rzi,
        Rounding::Rm => Rounding::Rmi,
        Rounding::Rp => Rounding::Rpi,
        _ => Rounding::Rni,
    }
}

/// A part of the inputs, and what becomes of their results.
type Mistake = (Box<dyn Fn(&Case) -> bool + Sync>, Box<dyn Fn(&Case) -> u64 + Sync>);

fn mistake(random: &mut SplitMix64, source: Format, destination: Format) -> Mistake {
    let mut pick = |n: u64| random.next_u64() % n;
    let mask = u64::MAX >> (64 - destination.bits());
    let (a, b) = (pick(1 << source.bits()), pick(1 << destination.bits()));
    let negative = pick(2) == 0;
    let size = source.decode(a & !source.sign_bit()).to_f64();
    let number = destination.decode(b & !destination.sign_bit()).to_f64();
    let which: Box<dyn Fn(&Case) -> bool + Sync> = match pick(14) {
        0 => Box::new(|case| case.x().is_nan()),
        1 => Box::new(|case| case.x().is_infinite()),
        2 => Box::new(|case| case.x().is_finite()),
        3 => Box::new(move |case| case.x().abs() >= size),
        4 => Box::new(move |case| case.x().abs() >= number),
        5 => Box::new(move |case| case.x().abs() < number),
        6 => Box::new(|case| case.x() == 0.0),
        7 => Box::new(|case| case.neighbours().is_some_and(|these| these.tie)),
        8 => Box::new(|case| case.neighbours().is_some_and(|these| these.floor == these.next)),
        9 => Box::new(|case| case.neighbours().is_none()),
        10 => Box::new(|case| case.expected & 1 == 1),
        11 => Box::new(move |case| case.input == a),
        12 => Box::new(move |case| case.expected == b),
        _ => Box::new(move |case| case.input.wrapping_mul(a | 1) >> 4 & 1 == 1),
    };
    let sided = pick(3) == 0;
    let rounding = ROUNDINGS[pick(5) as usize];
    let effect: Box<dyn Fn(&Case) -> u64 + Sync> = match pick(16) {
        0 => Box::new(move |_| b),
        1 => Box::new(move |case| case.signed(b & !case.destination.sign_bit())),
        2 => Box::new(move |case| (case.expected + 1) & mask),
        3 => Box::new(move |case| case.expected.wrapping_sub(1) & mask),
        4 => Box::new(move |case| case.expected ^ case.destination.sign_bit()),
        5 => Box::new(|case| case.expected & !case.destination.sign_bit()),
        6 => Box::new(|case| case.signed(0)),
        7 => Box::new(|case| case.signed(case.destination.max_finite())),
        8 => Box::new(|case| case.destination.nan().unwrap_or(0)),
        9 => Box::new(move |case| case.input >> 3 & mask),
        10 => Box::new(|case| match case.destination.decode(case.expected) {
            Value::Finite(_)
                if case.value(case.expected).abs() < case.value(case.destination.min_normal()) =>
            {
                0
            }
            _ => case.expected,
        }),
        11 => Box::new(|case| case.scaled(2.0)),
        12 => Box::new(|case| case.scaled(0.5)),
        13 if matches!(destination, Format::E4m3 | Format::E5m2) => Box::new(Case::fnuz),
        14 => Box::new(|case| {
            let step = 1 << case.destination.fraction_bits();
            let carries = case.neighbours().is_some_and(|these| these.floor != these.next);
            let carries =
                carries && case.expected % step == 0 && case.expected & !case.destination.sign_bit() != 0;
            if carries && case.neighbours().unwrap().next == case.expected {
                case.expected - step
            } else {
                case.expected
            }
        }),
        _ => Box::new(move |case| {
            let other = Conversion::new(case.source, case.destination).overflow(Overflow::Saturate);
            other.rounding(rounding_to(case.destination, rounding)).eval(case.input)
        }),
    };
    (Box::new(move |case| (!sided || case.negative() == negative) && which(case)), effect)
}

#[test]
fn sentences_are_true_of_every_difference() {
    let mut random = SplitMix64::new(25);
    let mut sentences = std::collections::BTreeSet::new();
    for round in 0..240 {
        let (source, destination) = [
            (Format::F16, Format::E4m3),
            (Format::F16, Format::E5m2),
            (Format::F16, Format::E2m1),
            (Format::Bf16, Format::E4m3),
            (Format::F16, Format::E3m2),
            (Format::U8, Format::E4m3),
            (Format::S8, Format::E4m3),
            (Format::S16, Format::E5m2),
            (Format::F16, Format::S8),
            (Format::F16, Format::U8),
            (Format::S16, Format::S8),
        ][round % 11];
        let overflow =
            [Overflow::Saturate, Overflow::Ieee, Overflow::InfinityOrNan][random.next_u64() as usize % 3];
        let overflow = if destination.is_integer() { Overflow::Saturate } else { overflow };
        let rounding = ROUNDINGS[if round % 2 == 0 { 0 } else { random.next_u64() as usize % 5 }];
        let rounding = rounding_to(destination, rounding);
        let right = Conversion::new(source, destination).rounding(rounding).overflow(overflow);
        let mistakes: Vec<Mistake> =
            (0..1 + random.next_u64() % 2).map(|_| mistake(&mut random, source, destination)).collect();
        let case = |input: u64| {
            let expected = right.eval(input);
            let mut case = Case { source, destination, input, got: expected, expected };
            for (concerned, effect) in &mistakes {
                if concerned(&case) {
                    case.got = effect(&case);
                }
            }
            case
        };
        let cases: Vec<Case> = (0..1 << source.bits()).map(case).collect();
        let judge = Judge::new(right);
        let verdict = match source.bits() {
            8 => judge.check(|x: u8| cases[usize::from(x)].got as u8),
            _ => judge.check(|x: u16| cases[usize::from(x)].got as u8),
        };
        let verdict = verdict.unwrap();
        let mut counted = 0;
        for difference in &verdict.differences {
            // The differences of a class are those whose sentence is read; the class itself is tested elsewhere.
            let of_class = |case: &&Case| case.got != case.expected && class(case) == difference.class;
            let sentence = difference.mistake.strip_prefix("some ").unwrap_or(&difference.mistake);
            let mut count = 0;
            for case in cases.iter().filter(of_class) {
                assert!(
                    case.holds(sentence, difference.class),
                    "round {round}: {:#x} gives {:#x}, expected {:#x}\n{verdict}",
                    case.input,
                    case.got,
                    case.expected
                );
                count += 1;
            }
            assert_eq!(count, difference.count, "{verdict}");
            // A sentence without "some" is true of every result of the kind.
            let exception = cases.iter().find(|case| {
                let everything = || sentence.split(", and ").any(|part| case.is_as_from(part) == Some(false));
                sentence == difference.mistake
                    && (everything()
                        || case.got == case.expected && case.contradicts(sentence, difference.class))
            });
            if let Some(case) = exception {
                panic!("round {round}: {:#x} gives {:#x}, an exception\n{verdict}", case.input, case.got);
            }
            counted += count;
            sentences
                .insert(difference.mistake.split(|c: char| c.is_ascii_digit()).next().unwrap().to_owned());
        }
        assert_eq!(counted, cases.iter().filter(|case| case.got != case.expected).count() as u64);
    }
    assert!(sentences.len() > 45, "{} kinds of sentences: {sentences:#?}", sentences.len());
}

/// The class of a difference, from its definition in docs/conform.md.
fn class(case: &Case) -> Class {
    let (x, expected, got) = (case.x(), case.value(case.expected), case.value(case.got));
    let least = if case.destination.is_integer() { 0.0 } else { case.value(case.destination.min_normal()) };
    match case.neighbours() {
        _ if x.is_nan() => Class::Nan,
        _ if x.is_infinite() => Class::Infinity,
        None => Class::Overflow,
        _ if expected == 0.0 && got == 0.0 => Class::ZeroSign,
        _ if expected.abs() < least => Class::Subnormal,
        Some(these) if these.floor == these.next => Class::Exact,
        Some(these) if these.tie => Class::Ties,
        Some(_) => Class::Rounding,
    }
}
