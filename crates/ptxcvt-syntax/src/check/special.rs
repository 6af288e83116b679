//! The special registers: their types, and the first target and ISA version with each of them.
//!
//! PTX ISA chapter 10, and ptxas for what each target and version accepts. A module may declare a register of the
//! same name, which then hides the special one.

use ptxcvt::IsaVersion;

/// The type of a special register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SpecialKind {
    /// An integer of that width in bits.
    Integer(u32),
    /// Four 32-bit integers, used element by element: `%tid.x`.
    Vector,
    /// A predicate.
    Predicate,
}

/// A special register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Special {
    /// The name; the part before the number of a numbered register (`%pm0`).
    pub name: &'static str,
    /// The first and last number of a numbered register, and the text after the number.
    pub numbers: Option<(u32, u32, &'static str)>,
    /// The type.
    pub kind: SpecialKind,
    /// The number of the first target with it.
    pub target: u16,
    /// The first ISA version.
    pub isa: IsaVersion,
}

const fn row(name: &'static str, kind: SpecialKind, target: u16, isa: (u8, u8)) -> Special {
    Special { name, numbers: None, kind, target, isa: IsaVersion::new(isa.0, isa.1) }
}

const fn numbered(numbers: (u32, u32, &'static str), special: Special) -> Special {
    Special { numbers: Some(numbers), ..special }
}

#[rustfmt::skip]
const SPECIAL: &[Special] = {
    use SpecialKind::{Integer, Predicate, Vector};
    &[
        row("%tid", Vector, 0, (1, 0)),              row("%ntid", Vector, 0, (1, 0)),
        row("%ctaid", Vector, 0, (1, 0)),            row("%nctaid", Vector, 0, (1, 0)),
        row("%laneid", Integer(32), 0, (1, 3)),      row("%warpid", Integer(32), 0, (1, 3)),
        row("%nwarpid", Integer(32), 20, (2, 0)),    row("%nsmid", Integer(32), 20, (2, 0)),
        row("%smid", Integer(32), 0, (1, 3)),        row("%gridid", Integer(64), 0, (1, 0)),
        row("%clusterid", Vector, 90, (7, 8)),       row("%nclusterid", Vector, 90, (7, 8)),
        row("%cluster_ctaid", Vector, 90, (7, 8)),   row("%cluster_nctaid", Vector, 90, (7, 8)),
        row("%cluster_ctarank", Integer(32), 90, (7, 8)),
        row("%cluster_nctarank", Integer(32), 90, (7, 8)),
        row("%is_explicit_cluster", Predicate, 90, (7, 8)),
        row("%lanemask_eq", Integer(32), 20, (2, 0)), row("%lanemask_le", Integer(32), 20, (2, 0)),
        row("%lanemask_lt", Integer(32), 20, (2, 0)), row("%lanemask_ge", Integer(32), 20, (2, 0)),
        row("%lanemask_gt", Integer(32), 20, (2, 0)),
        row("%clock", Integer(32), 0, (1, 0)),       row("%clock_hi", Integer(32), 20, (5, 0)),
        row("%clock64", Integer(64), 20, (2, 0)),
        numbered((0, 3, ""), row("%pm", Integer(32), 0, (1, 3))),
        numbered((4, 7, ""), row("%pm", Integer(32), 20, (3, 0))),
        numbered((0, 7, "_64"), row("%pm", Integer(64), 50, (4, 0))),
        numbered((0, 31, ""), row("%envreg", Integer(32), 0, (2, 0))),
        row("%globaltimer", Integer(64), 30, (3, 1)),
        row("%globaltimer_lo", Integer(32), 30, (3, 1)),
        row("%globaltimer_hi", Integer(32), 30, (3, 1)),
        row("%reserved_smem_offset_begin", Integer(32), 80, (7, 6)),
        row("%reserved_smem_offset_end", Integer(32), 80, (7, 6)),
        row("%reserved_smem_offset_cap", Integer(32), 80, (7, 6)),
        numbered((0, 1, ""), row("%reserved_smem_offset_", Integer(32), 80, (7, 6))),
        row("%total_smem_size", Integer(32), 20, (4, 1)),
        row("%aggr_smem_size", Integer(32), 90, (8, 1)),
        row("%dynamic_smem_size", Integer(32), 20, (4, 1)),
        row("%current_graph_exec", Integer(64), 50, (8, 0)),
    ]
};

impl Special {
    /// The special register of that name, or `None` if there is none.
    ///
    /// ```
    /// use ptxcvt_syntax::check::{Special, SpecialKind};
    /// assert_eq!(Special::find("%tid").unwrap().kind, SpecialKind::Vector);
    /// assert_eq!(Special::find("%pm3_64").unwrap().kind, SpecialKind::Integer(64));
    /// assert!(Special::find("%pm8").is_none());
    /// ```
    pub fn find(name: &str) -> Option<&'static Special> {
        SPECIAL.iter().find(|special| match special.numbers {
            None => special.name == name,
            Some((first, last, end)) => name
                .strip_prefix(special.name)
                .and_then(|rest| rest.strip_suffix(end))
                .filter(|digits| digits.len() == 1 || !digits.starts_with('0'))
                .filter(|digits| digits.bytes().all(|b| b.is_ascii_digit()))
                .and_then(|digits| digits.parse::<u32>().ok())
                .is_some_and(|number| (first..=last).contains(&number)),
        })
    }
}
