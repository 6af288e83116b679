//! The evaluation of conditions for a machine.

use std::collections::BTreeSet;
use std::rc::Rc;

use ptxcvt_syntax::cpp::{Integer, binary};

use super::condition::{Condition, Reader, Step};
use super::functions::Functions;
use super::tokens::tokens;

/// LLVM's data about a target in a PTX version.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// The version: 81 is PTX 8.1.
    pub ptx: i64,
    /// LLVM's number of the target, in versions that have it: ten times the number of the architecture, plus a number
    /// for the suffix.
    pub full: Option<i64>,
    /// The features, and those that they imply.
    pub features: BTreeSet<String>,
    /// Every feature that was read.
    pub known: Rc<BTreeSet<String>>,
}

/// A value: a number, `None` if options decide it, or the reason why it is not known.
type Known = Result<Option<i64>, String>;

/// Functions of NVPTXDAGToDAGISel and of the target machine `TM` that ask for options of the compiler.
const OPTIONS: [(Option<&str>, &str); 11] = [
    (None, "allowFMA"),
    (None, "allowUnsafeFPMath"),
    (None, "doMADWideOpt"),
    (None, "doMulWide"),
    (None, "doRsqrtOpt"),
    (None, "getDivF32Level"),
    (None, "useF32FTZ"),
    (None, "usePrecDivF32"),
    (None, "usePrecSqrtF32"),
    (Some("TM"), "is64Bit"),
    (Some("TM"), "getPointerSizeInBits"),
];

impl Functions {
    /// Whether a condition can hold for a machine, or why that is not known.
    pub fn holds(&self, condition: &str, machine: &Facts) -> Result<bool, String> {
        let read = Reader::new(&tokens(condition)).all();
        let read = read.ok_or_else(|| format!("the condition `{condition}` cannot be read"))?;
        let outcome = Evaluation { functions: self, machine, outside: true, depth: 0 }.value(&read)?;
        Ok(outcome != Some(0))
    }
}

/// The evaluation of a condition.
#[derive(Clone, Copy)]
struct Evaluation<'f> {
    pub functions: &'f Functions,
    pub machine: &'f Facts,
    /// Not in a function of the subtarget: what belongs to it is named `Subtarget->…`.
    pub outside: bool,
    pub depth: u32,
}

impl Evaluation<'_> {
    pub fn value(self, condition: &Condition) -> Known {
        match condition {
            Condition::Number(number) => Ok(Some(*number)),
            Condition::Name(object, name) => self.name(object.as_deref(), name),
            Condition::Call(object, name, args) => match self.is_own(object.as_deref()) {
                true => self.call(name, args),
                false if self.outside && OPTIONS.contains(&(object.as_deref(), name.as_str())) => Ok(None),
                false => {
                    Err(format!("the subtarget has no function `{}()`", written(object.as_deref(), name)))
                }
            },
            Condition::List(_) => Err("a list cannot be a condition".to_owned()),
            Condition::Not(value) => Ok(self.value(value)?.map(|value| i64::from(value == 0))),
            Condition::Binary(operator, a, b) => self.binary(operator, a, b),
            Condition::Choose(condition, a, b) => match self.value(condition)? {
                Some(0) => self.value(b),
                Some(_) => self.value(a),
                None => match (self.value(a)?, self.value(b)?) {
                    (a, b) if a == b => Ok(a),
                    _ => Ok(None),
                },
            },
        }
    }

    /// Whether what an object has is the subtarget's.
    fn is_own(self, object: Option<&str>) -> bool {
        match object {
            None => !self.outside,
            Some(object) => object == if self.outside { "Subtarget" } else { "this" },
        }
    }

    fn name(self, object: Option<&str>, name: &str) -> Known {
        if object.is_none()
            && (self.functions.options.contains(name) || (self.outside && OPTIONS.contains(&(None, name))))
        {
            return Ok(None);
        }
        match name {
            _ if !self.is_own(object) => Err(format!(
                "`{}` is neither of the subtarget nor an option that was read",
                written(object, name)
            )),
            "PTXVersion" => Ok(Some(self.machine.ptx)),
            "FullSmVersion" => self.full().map(Some),
            "SmVersion" => self.full().map(|full| Some(full / 10)),
            _ => Err(format!("`{name}` of the subtarget is not known")),
        }
    }

    fn full(self) -> Result<i64, String> {
        self.machine.full.ok_or_else(|| "the target has no number".to_owned())
    }

    fn binary(self, operator: &str, a: &Condition, b: &Condition) -> Known {
        let a = self.value(a)?;
        match (operator, a) {
            ("&&", Some(0)) => return Ok(Some(0)),
            ("||", Some(a)) if a != 0 => return Ok(Some(1)),
            _ => {}
        }
        let b = self.value(b)?;
        let (a, b) = match (operator, a, b) {
            ("&&", _, Some(0)) => return Ok(Some(0)),
            ("||", _, Some(b)) if b != 0 => return Ok(Some(1)),
            (_, Some(a), Some(b)) => (a, b),
            _ => return Ok(None),
        };
        let signed = |bits| Integer { bits, is_unsigned: false };
        let value = binary(operator, signed(a), signed(b)).ok_or("a number is divided by 0")?;
        Ok(Some(value))
    }

    fn call(self, name: &str, args: &[Condition]) -> Known {
        let inside = Evaluation { outside: false, depth: self.depth + 1, ..self };
        match (name, args) {
            ("hasPTXWithFamilySMs", [version, Condition::List(targets)]) => {
                self.with_suffix("hasFamilySpecificFeatures", version, targets, |sm, wanted| {
                    // sm_101 is a family of its own, which PTX 9.0 renamed.
                    if sm == 101 || wanted == 101 {
                        sm == wanted
                    } else {
                        sm / 10 == wanted / 10 && sm >= wanted
                    }
                })
            }
            ("hasPTXWithAccelSMs", [version, Condition::List(targets)]) => {
                self.with_suffix("hasArchAccelFeatures", version, targets, |sm, wanted| sm == wanted)
            }
            ("hasFeature", [feature]) => Ok(Some(i64::from(self.has(feature)?))),
            ("hasAnyFeature", [Condition::List(features)]) => {
                let has = features.iter().map(|feature| self.has(feature));
                Ok(Some(i64::from(has.collect::<Result<Vec<bool>, _>>()?.contains(&true))))
            }
            (name, []) => match self.functions.known.get(name) {
                Some(Some(steps)) if self.depth < 20 => inside.steps(steps, name),
                Some(_) => Err(format!("the body of `{name}` cannot be read")),
                None => Err(format!("no body of `{name}` was read")),
            },
            _ => Err(format!("`{name}` with {} is not known", ptxcvt::counted(args.len(), "argument"))),
        }
    }

    /// Whether the machine has a feature.
    fn has(self, feature: &Condition) -> Result<bool, String> {
        match feature {
            Condition::Name(Some(of), name) if of == "NVPTX" => match self.machine.known.contains(name) {
                true => Ok(self.machine.features.contains(name)),
                false => Err(format!("no feature `NVPTX::{name}` was read")),
            },
            _ => Err("a feature is not named `NVPTX::…`".to_owned()),
        }
    }

    /// `hasPTXWithFamilySMs` and `hasPTXWithAccelSMs`, whose bodies in `NVPTXSubtarget.cpp` are loops.
    fn with_suffix(
        self,
        suffix: &str,
        version: &Condition,
        targets: &[Condition],
        fits: impl Fn(i64, i64) -> bool,
    ) -> Known {
        let version = self.value(version)?;
        let targets = targets.iter().map(|one| self.value(one)).collect::<Result<Vec<_>, _>>()?;
        let suffix = Evaluation { outside: false, depth: self.depth + 1, ..self }.call(suffix, &[])?;
        if suffix == Some(0) || version.is_some_and(|version| self.machine.ptx < version) {
            return Ok(Some(0));
        }
        let sm = self.full()? / 10;
        let renamed = self.machine.ptx >= 90 && sm == 101;
        let fit = targets.iter().flatten().any(|wanted| fits(sm, *wanted));
        Ok(match (fit && !renamed, suffix.and(version)) {
            (true, Some(_)) => Some(1),
            (false, _) if renamed || !targets.contains(&None) => Some(0),
            // Options decide.
            _ => None,
        })
    }

    /// The value that a function returns.
    fn steps(self, steps: &[Step], name: &str) -> Known {
        match self.returned(steps)? {
            Some(value) => Ok(value),
            None => Err(format!("`{name}` may return nothing")),
        }
    }

    /// The value that statements return, or `None` if they return none.
    fn returned(self, steps: &[Step]) -> Result<Option<Option<i64>>, String> {
        for (at, step) in steps.iter().enumerate() {
            match step {
                Step::Return(value) => return self.value(value).map(Some),
                Step::If(condition, then) => match self.value(condition)? {
                    Some(0) => {}
                    Some(_) => {
                        if let Some(value) = self.returned(then)? {
                            return Ok(Some(value));
                        }
                    }
                    // Options decide, if both sides are known.
                    None => {
                        self.returned(then)?;
                        self.returned(&steps[at + 1..])?;
                        return Ok(Some(None));
                    }
                },
            }
        }
        Ok(None)
    }
}

/// A name as it was written, with its object.
fn written(object: Option<&str>, name: &str) -> String {
    object.map_or_else(|| name.to_owned(), |object| format!("{object}.{name}"))
}
