//! Values of variables that may still be in effect at a place of a build file.
//!
//! A value counts unless another one certainly replaces it before anything reads it. Where this is uncertain, both count:
//! a target that is not built only adds findings, and a missing one would hide them.

/// Blocks in more blocks than this are not followed, and nothing in them is replaced: each value has its path.
const DEEPEST: usize = 64;

/// The values of variables since the last command that may have read them.
#[derive(Debug)]
pub struct Assigned<T> {
    /// The blocks around the current place, the outermost first.
    path: Vec<Block>,
    /// How many blocks around the current place are not in `path`.
    deeper: usize,
    values: Vec<Value<T>>,
    /// How many blocks have begun.
    blocks: u32,
}

/// How a block is executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Once or never: a branch of a condition.
    Branch,
    /// Any number of times: what its end assigns is in effect at its beginning.
    Loop,
    /// When it is called.
    Definition,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Block {
    number: u32,
    kind: Kind,
}

#[derive(Debug)]
struct Value<T> {
    variable: String,
    path: Vec<Block>,
    value: T,
}

impl<T> Default for Assigned<T> {
    fn default() -> Self {
        Assigned { path: Vec::new(), deeper: 0, values: Vec::new(), blocks: 0 }
    }
}

impl<T> Assigned<T> {
    /// Begins a block.
    pub fn begin(&mut self, kind: Kind) {
        if self.path.len() == DEEPEST {
            self.deeper += 1;
            return;
        }
        self.blocks += 1;
        self.path.push(Block { number: self.blocks, kind });
    }

    /// Ends the innermost block.
    pub fn end(&mut self) {
        match self.deeper.checked_sub(1) {
            Some(deeper) => self.deeper = deeper,
            None => drop(self.path.pop()),
        }
    }

    /// Begins another branch of the innermost condition.
    pub fn branch(&mut self) {
        if self.deeper > 0 {
            return;
        }
        if let Some(block) = self.path.pop() {
            self.begin(block.kind);
        }
    }

    /// Gives a variable a value in addition to its other ones.
    pub fn add(&mut self, variable: &str, value: T) {
        self.values.push(Value { variable: variable.to_owned(), path: self.path.clone(), value });
    }

    /// Removes the values that the current place certainly replaces: those of its own block, and of branches inside it.
    pub fn replace(&mut self, variable: &str) {
        self.retain(variable, |_| false);
    }

    /// Like [`replace`](Self::replace), but keeps the values for which `is_kept` is true.
    pub fn retain(&mut self, variable: &str, is_kept: impl Fn(&T) -> bool) {
        if self.deeper > 0 {
            return;
        }
        let path = &self.path;
        self.values.retain(|value| {
            let inner = value.path.strip_prefix(&path[..]);
            let is_before = inner.is_some_and(|inner| inner.iter().all(|block| block.kind == Kind::Branch));
            value.variable != variable || !is_before || is_kept(&value.value)
        });
    }

    /// The number of values.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// The values that a variable may have.
    pub fn values(&self, variable: &str) -> impl Iterator<Item = &T> {
        self.values.iter().filter(move |value| value.variable == variable).map(|value| &value.value)
    }

    /// Removes the values of the variables that something may read, and returns them.
    pub fn read(&mut self, is_read: impl Fn(&str) -> bool) -> Vec<T> {
        let (read, kept) =
            std::mem::take(&mut self.values).into_iter().partition(|value| is_read(&value.variable));
        self.values = kept;
        let read: Vec<Value<T>> = read;
        read.into_iter().map(|value| value.value).collect()
    }
}
