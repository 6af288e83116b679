//! The part that lowerings and words share: PTX as text and as a block, with its origin and name.

use ptxcvt::{IsaVersion, Target};
use ptxcvt_exec::{Block, read};

use crate::cost;

/// The origin of a lowering.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// The instruction itself, which the target has.
    Instruction,
    /// A sequence of [`short`](crate::short).
    Short,
    /// The systematic lowering: decode, round, encode.
    General,
}

/// PTX as text and as a block.
#[derive(Clone, Debug)]
pub(crate) struct Sequence {
    pub kind: Kind,
    pub name: String,
    /// The first line is a comment with the constraint string.
    pub text: String,
    pub block: Block,
}

impl Sequence {
    /// Reads the body of a block over operands with these constraints.
    ///
    /// # Errors
    ///
    /// Fails if the text is not a block over these operands.
    pub fn read(
        (kind, name): (Kind, String),
        constraints: impl std::fmt::Display,
        body: &str,
    ) -> Result<Self, read::Error> {
        let text = format!("// {constraints}\n{body}\n");
        let block = read::ptx(&text, &read::Interface::default())?;
        Ok(Sequence { kind, name, text, block })
    }

    fn parts(&self) -> (&str, &str) {
        let parts = self.text.strip_prefix("// ").and_then(|text| text.split_once('\n'));
        parts.expect("the first line of a block is a comment with the constraint string")
    }

    pub fn constraints(&self) -> &str {
        self.parts().0
    }

    pub fn body(&self) -> &str {
        self.parts().1.trim_end()
    }

    pub fn since(&self, target: Target) -> Option<IsaVersion> {
        self.block.since(target)
    }

    pub fn is_legal(&self, target: Target, isa: IsaVersion) -> bool {
        target.exists_in(isa) && self.since(target).is_some_and(|since| since <= isa)
    }

    pub fn estimate(&self) -> u32 {
        cost::estimate(&self.block)
    }
}

/// Gives a type with a field `sequence` the methods of [`Sequence`] and its text as `Display`.
macro_rules! accessors {
    ($type:ident) => {
        impl $type {
            /// The block, to run it or prove something about it.
            pub fn block(&self) -> &ptxcvt_exec::Block {
                &self.sequence.block
            }

            /// The constraint string.
            pub fn constraints(&self) -> &str {
                self.sequence.constraints()
            }

            /// The block's text without the line of constraints.
            pub fn body(&self) -> &str {
                self.sequence.body()
            }

            /// The first ISA version at which `target` accepts all of its instructions.
            pub fn since(&self, target: ptxcvt::Target) -> Option<ptxcvt::IsaVersion> {
                self.sequence.since(target)
            }

            /// True if a module of that target and version may contain it.
            pub fn is_legal(&self, target: ptxcvt::Target, isa: ptxcvt::IsaVersion) -> bool {
                self.sequence.is_legal(target, isa)
            }

            /// An estimate of its number of machine instructions, good only for comparing two of the same kind.
            pub fn estimate(&self) -> u32 {
                self.sequence.estimate()
            }
        }

        impl AsRef<$crate::sequence::Sequence> for $type {
            fn as_ref(&self) -> &$crate::sequence::Sequence {
                &self.sequence
            }
        }

        impl std::fmt::Display for $type {
            /// The block as text. Its first line is a comment with the constraint string.
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&self.sequence.text)
            }
        }
    };
}
pub(crate) use accessors;
