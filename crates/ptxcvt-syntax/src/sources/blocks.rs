//! The blocks around a place of a C++ file. Preprocessor branches may open and close blocks if all branches end in the
//! same state.

/// The open blocks.
#[derive(Debug, Default)]
pub(super) struct Blocks {
    open: usize,
    starts: Vec<Block>,
    conditionals: Vec<Conditional>,
}

/// An open block.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block {
    /// Where it begins.
    pub start: usize,
    /// True if it may contain statements: it does not belong to a class or a namespace.
    pub has_statements: bool,
    /// True if it belongs to a template, so that perhaps nothing uses it.
    pub is_generic: bool,
}

/// An open conditional of the preprocessor, with the blocks that are open before it and after its first branch.
#[derive(Debug)]
struct Conditional {
    before: usize,
    after: Option<usize>,
    has_else: bool,
    differs: bool,
}

impl Blocks {
    /// Starts inside `open` blocks that opened before the text.
    pub fn within(open: usize) -> Blocks {
        let block = Block { start: 0, has_statements: true, is_generic: true };
        Blocks { open, starts: vec![block; open], conditionals: Vec::new() }
    }

    /// The number of open blocks.
    pub fn depth(&self) -> usize {
        self.open
    }

    /// Where the outermost block begins. `None` outside of all blocks.
    pub fn first(&self) -> Option<usize> {
        self.starts.iter().take(self.open).map(|block| block.start).next()
    }

    /// Where the innermost block begins. `None` outside of all blocks.
    pub fn start(&self) -> Option<usize> {
        Some(self.innermost()?.start)
    }

    /// True if the innermost block may contain statements: it does not belong to a class or a namespace. `None` outside
    /// of all blocks.
    pub fn has_statements(&self) -> Option<bool> {
        Some(self.innermost()?.has_statements)
    }

    /// True in a template.
    pub fn is_generic(&self) -> bool {
        self.starts.iter().take(self.open).any(|block| block.is_generic)
    }

    fn innermost(&self) -> Option<Block> {
        self.starts.get(self.open.checked_sub(1)?).copied()
    }

    pub fn open(&mut self, block: Block) {
        // Another preprocessor branch may have opened a block here.
        self.starts.truncate(self.open);
        self.starts.push(block);
        self.open += 1;
    }

    pub fn close(&mut self) {
        self.open = self.open.saturating_sub(1);
    }

    /// Follows a directive. False if branches opened or closed different blocks, so that the open blocks are unknown.
    pub fn directive(&mut self, name: &str) -> bool {
        match name {
            "if" | "ifdef" | "ifndef" => {
                let before = self.open;
                self.conditionals.push(Conditional { before, after: None, has_else: false, differs: false });
            }
            "elif" | "elifdef" | "elifndef" | "else" => {
                let Some(last) = self.conditionals.last_mut() else { return false };
                last.differs |= last.after.is_some_and(|after| after != self.open);
                last.after = Some(self.open);
                last.has_else |= name == "else";
                self.open = last.before;
            }
            "endif" => {
                let Some(last) = self.conditionals.pop() else { return false };
                let others = if last.has_else { last.after } else { Some(last.before) };
                let differs = last.after.into_iter().chain(others).any(|other| other != self.open);
                return !differs && !last.differs;
            }
            _ => {}
        }
        true
    }
}
