//! The blocks around a place of a C++ file. Branches of the preprocessor may open and close some, if all have the same ends.

/// Open blocks.
#[derive(Debug, Default)]
pub(super) struct Blocks {
    open: Vec<Block>,
    conditionals: Vec<Conditional>,
}

/// An open block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Block {
    /// True if it is a statement of the block around it, and not one of a loop or a function.
    is_plain: bool,
    /// How many conditionals of the preprocessor are open before it.
    conditionals: usize,
}

/// An open conditional of the preprocessor, with the blocks that are open before it and after its first branch.
#[derive(Debug)]
struct Conditional {
    before: Vec<Block>,
    after: Option<usize>,
    has_else: bool,
    differs: bool,
}

impl Blocks {
    /// How many are open.
    pub fn depth(&self) -> usize {
        self.open.len()
    }

    pub fn open(&mut self, is_plain: bool) {
        self.open.push(Block { is_plain, conditionals: self.conditionals.len() });
    }

    pub fn close(&mut self) {
        self.open.pop();
    }

    /// How many blocks end together with the innermost one as far as control flow goes: those that are a statement of the next.
    pub fn plain(&self) -> usize {
        self.open.iter().rev().take_while(|block| block.is_plain).count()
    }

    /// True if a conditional of the preprocessor is open that begins in the innermost block.
    pub fn has_conditional(&self) -> bool {
        self.conditionals.len() > self.open.last().map_or(0, |block| block.conditionals)
    }

    /// Follows a directive. False if branches have opened or closed other blocks, so that it is not known which are open.
    pub fn directive(&mut self, name: &str) -> bool {
        match name {
            "if" | "ifdef" | "ifndef" => {
                let before = self.open.clone();
                self.conditionals.push(Conditional { before, after: None, has_else: false, differs: false });
            }
            "elif" | "elifdef" | "elifndef" | "else" => {
                let Some(last) = self.conditionals.last_mut() else { return false };
                last.differs |= last.after.is_some_and(|after| after != self.open.len());
                last.after = Some(self.open.len());
                last.has_else |= name == "else";
                self.open = last.before.clone();
            }
            "endif" => {
                let Some(last) = self.conditionals.pop() else { return false };
                let others = if last.has_else { last.after } else { Some(last.before.len()) };
                let differs = last.after.into_iter().chain(others).any(|other| other != self.open.len());
                return !differs && !last.differs;
            }
            _ => {}
        }
        true
    }
}
