//! The declared names, block by block.
//!
//! PTX ISA sections 5.4.1 (scope of variables) and 5.4.6 (parameterised names).

use std::collections::HashMap;

use super::families::Families;
use crate::parse::{Declaration, Entity, Member};
use crate::source::{Span, Word};

/// The result of a lookup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Found<'s> {
    /// The named entity.
    pub entity: Entity<'s>,
    /// The place of the declaration.
    pub declared: Span,
    /// The number in the name has leading zeros.
    pub leading_zeros: bool,
}

#[derive(Clone, Copy, Debug)]
struct Entry<'s> {
    entity: Entity<'s>,
    declared: Span,
    /// The number of registers of a parameterised name.
    count: u64,
    block: u32,
}

/// A key of the map: a name such as `%r1`; or a stem such as `%r`, whose entry is the lowest number among the names
/// `%r0`, `%r1`, … that are declared individually.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Key<'s> {
    Name(&'s str),
    Lowest(&'s str),
}

#[derive(Clone, Copy, Debug)]
enum Undo<'s> {
    /// The entry of a name before the block.
    Name(Key<'s>, Option<Entry<'s>>),
    /// The block added a family with this stem.
    Family(&'s str),
}

/// The names that are in scope at a place.
#[derive(Debug, Default)]
pub struct Scope<'s> {
    names: HashMap<Key<'s>, Entry<'s>>,
    /// The families `%r<…>` by the stem `%r`, the innermost last. Numbers that an inner family lacks refer to an outer
    /// family.
    families: HashMap<&'s str, Families<Entry<'s>>>,
    /// The changes to undo at the end of the block.
    undo: Vec<Undo<'s>>,
    /// For each open block, the length of `undo` at its beginning.
    blocks: Vec<usize>,
}

impl<'s> Scope<'s> {
    /// Begins a block.
    pub fn open(&mut self) {
        self.blocks.push(self.undo.len());
    }

    /// Ends a block and forgets its declarations.
    pub fn close(&mut self) {
        let Some(mark) = self.blocks.pop() else { return };
        for undo in self.undo.drain(mark..).rev() {
            match undo {
                Undo::Name(key, Some(entry)) => {
                    self.names.insert(key, entry);
                }
                Undo::Name(key, None) => {
                    self.names.remove(&key);
                }
                Undo::Family(stem) => {
                    if let Some(families) = self.families.get_mut(stem) {
                        families.pop();
                    }
                }
            }
        }
    }

    fn block(&self) -> u32 {
        self.blocks.len() as u32
    }

    /// The entry of a key, if the current block declared it.
    fn here(&self, key: Key<'s>) -> Option<Entry<'s>> {
        self.names.get(&key).copied().filter(|entry| entry.block == self.block())
    }

    /// The family of a stem, if the current block declared it.
    fn family_here(&self, stem: &str) -> Option<Entry<'s>> {
        let (_, entry) = self.families.get(stem)?.last()?;
        Some(*entry).filter(|entry| entry.block == self.block())
    }

    fn insert(&mut self, key: Key<'s>, entry: Entry<'s>) {
        let hidden = self.names.insert(key, entry);
        if !self.blocks.is_empty() && hidden.is_none_or(|h| h.block != entry.block) {
            self.undo.push(Undo::Name(key, hidden));
        }
    }

    /// Declares a name. If this block has it already, the place of the first declaration is returned, and it
    /// stays.
    pub fn declare(&mut self, declaration: Declaration<'s>) -> Result<(), Span> {
        let Declaration { name: Word { text, span }, count, entity, .. } = declaration;
        let block = self.block();
        let entry = Entry { entity, declared: span, count: count.unwrap_or(0), block };
        if let Some(count) = count {
            let lowest = self.here(Key::Lowest(text)).filter(|lowest| lowest.count < count);
            if let Some(earlier) = self.family_here(text).or(lowest) {
                return Err(earlier.declared);
            }
            self.families.entry(text).or_default().push(count, entry);
            self.undo.push(Undo::Family(text));
            return Ok(());
        }
        let member = Member::of(text);
        let in_family =
            member.and_then(|member| self.family_here(member.stem).filter(|f| member.number < f.count));
        if let Some(earlier) = self.here(Key::Name(text)).or(in_family) {
            return Err(earlier.declared);
        }
        self.insert(Key::Name(text), entry);
        if let Some(Member { stem, number, leading_zeros: false }) = member {
            if self.here(Key::Lowest(stem)).is_none_or(|lowest| number < lowest.count) {
                self.insert(Key::Lowest(stem), Entry { count: number, ..entry });
            }
        }
        Ok(())
    }

    /// Looks up a name; `None` if it is not declared.
    pub fn find(&self, name: &'s str) -> Option<Found<'s>> {
        let exact = self.names.get(&Key::Name(name)).map(|entry| (entry, false));
        let in_family = Member::of(name).and_then(|member| {
            let entry = self.families.get(member.stem)?.find(member.number)?;
            Some((entry, member.leading_zeros))
        });
        let (entry, leading_zeros) = match (exact, in_family) {
            // An inner declaration hides an outer one.
            (Some(a), Some(b)) => {
                if a.0.block >= b.0.block {
                    a
                } else {
                    b
                }
            }
            (a, b) => a.or(b)?,
        };
        Some(Found { entity: entry.entity, declared: entry.declared, leading_zeros })
    }

    /// The family with the stem of `name` that does not contain its number: stem, number of registers and place.
    pub fn find_family(&self, name: &'s str) -> Option<(&'s str, u64, Span)> {
        let Member { stem, .. } = Member::of(name)?;
        let (count, entry) = self.families.get(stem)?.last()?;
        Some((stem, count, entry.declared))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn declaration(text: &'static str, count: Option<u64>) -> Declaration<'static> {
        let name = Word { text, span: Span::new(0, 1) };
        Declaration { count, ..Declaration::new(name, Entity::Label) }
    }

    #[test]
    fn families() {
        let mut scope = Scope::default();
        scope.declare(declaration("%r", Some(4))).unwrap();
        assert!(scope.find("%r3").is_some());
        assert!(scope.find("%r4").is_none());
        assert!(scope.find("%r").is_none());
        assert!(scope.find("%r01").unwrap().leading_zeros);
        assert!(scope.declare(declaration("%r1", None)).is_err());
        assert!(scope.declare(declaration("%r4", None)).is_ok());
        assert!(scope.declare(declaration("%r", Some(1))).is_err());
        // All digits at the end are removed.
        scope.declare(declaration("a1", Some(3))).unwrap();
        assert!(scope.find("a11").is_none());
    }

    #[test]
    fn a_family_after_its_member() {
        let mut scope = Scope::default();
        scope.declare(declaration("q01", None)).unwrap();
        assert!(scope.declare(declaration("q", Some(2))).is_ok());
        scope.declare(declaration("z1", None)).unwrap();
        assert!(scope.declare(declaration("z", Some(3))).is_err());
        assert!(scope.declare(declaration("z", Some(1))).is_ok());
    }

    #[test]
    fn blocks() {
        let mut scope = Scope::default();
        scope.declare(declaration("x", None)).unwrap();
        scope.open();
        assert!(scope.find("x").is_some());
        scope.declare(declaration("x", None)).unwrap();
        assert!(scope.declare(declaration("x", None)).is_err());
        scope.declare(declaration("y", None)).unwrap();
        scope.close();
        assert!(scope.find("y").is_none());
        assert!(scope.declare(declaration("x", None)).is_err());
        scope.close(); // ignored: no block is open
        // Numbers that the inner family lacks refer to the outer one.
        scope.declare(declaration("%r", Some(10))).unwrap();
        scope.open();
        scope.declare(declaration("%r", Some(3))).unwrap();
        assert!(scope.find("%r5").is_some());
        scope.close();
        assert!(scope.find("%r9").is_some());
    }
}
