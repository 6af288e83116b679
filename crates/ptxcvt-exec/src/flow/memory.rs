//! Places in memory, and the rules under which each is treated as a register.
//!
//! A place is a parameter or a part of it, or memory at a constant distance from a pointer parameter.

use std::collections::HashMap;

use ptxcvt_syntax::Span;

use super::condition::{ALWAYS, Condition, Conditions, NEVER};
use super::statement::{Access, Direction, Parameter};
use crate::meaning::Meaning;
use crate::read::error::Error;
use crate::ty::Ty;

/// Where an address starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Root {
    /// The n-th parameter or result itself.
    Parameter(usize),
    /// The memory behind the pointer stored at offset `at` of `parameter`.
    Pointee { parameter: usize, at: i64 },
}

/// An address: a root and a distance in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Address {
    pub root: Root,
    pub offset: i64,
}

/// A place that the function reads or writes.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub address: Address,
    /// The type of the first access.
    pub ty: Ty,
    /// The meaning of its bits, if an access has a floating-point type.
    pub meaning: Option<Meaning>,
    span: Span,
    /// When it has been written so far.
    pub written: Condition,
    /// A load may read the value that it had before the function.
    pub read_early: bool,
    /// A load with `.nc` reads it.
    constant: bool,
    /// A load reads it at all.
    pub read: bool,
}

impl Place {
    /// True if its value before the function matters.
    pub fn is_input(&self) -> bool {
        let pointee = matches!(self.address.root, Root::Pointee { .. });
        self.read_early || pointee && self.written != ALWAYS && self.written != NEVER
    }

    pub fn is_output(&self) -> bool {
        self.written != NEVER
    }

    /// The place in the order of operands: by parameter, then by the offset in it, then by the distance from the pointer.
    pub fn rank(&self) -> (usize, i64, bool, i64) {
        match self.address.root {
            Root::Parameter(n) => (n, self.address.offset, false, 0),
            Root::Pointee { parameter, at } => (parameter, at, true, self.address.offset),
        }
    }

    /// Its name, as an operand: `p`, `p+4`, `[p]`, `[p+4]`.
    pub fn name(&self, parameters: &[Parameter]) -> String {
        name(self.address, parameters)
    }
}

/// The name of the place at an address.
pub(super) fn name(address: Address, parameters: &[Parameter]) -> String {
    let distance = |n: i64| if n == 0 { String::new() } else { format!("{n:+}") };
    let offset = distance(address.offset);
    match address.root {
        Root::Parameter(n) => format!("{}{offset}", parameters[n].name),
        Root::Pointee { parameter, at: 0 } => format!("[{}{offset}]", parameters[parameter].name),
        Root::Pointee { parameter, at } => {
            format!("[({}{}){offset}]", parameters[parameter].name, distance(at))
        }
    }
}

/// All places of a function.
#[derive(Debug, Default)]
pub(super) struct Memory {
    pub places: Vec<Place>,
    known: HashMap<(Root, i64, u32), usize>,
    /// The stores through pointers: where, when.
    stores: Vec<(Root, Condition)>,
}

impl Memory {
    /// Notes an access to one element; returns the place.
    pub fn access(
        &mut self,
        conditions: &mut Conditions,
        parameters: &[Parameter],
        access: &Access,
        address: Address,
        condition: Condition,
    ) -> Result<usize, Error> {
        let span = access.span;
        let pointee = matches!(address.root, Root::Pointee { .. });
        let result = matches!(address.root, Root::Parameter(n) if parameters[n].result);
        if access.direction == Direction::Store && !pointee && !result {
            let message = format!("a store to the parameter `{}`", name(address, parameters));
            return Err(Error::new(span, message));
        }
        let key = (address.root, address.offset, access.ty.width());
        let at = *self.known.entry(key).or_insert_with(|| {
            self.places.push(Place {
                address,
                ty: access.ty,
                meaning: None,
                span,
                written: NEVER,
                read_early: false,
                constant: false,
                read: false,
            });
            self.places.len() - 1
        });
        let place = &mut self.places[at];
        if access.ty.format().is_some() {
            place.meaning = place.meaning.or(Meaning::of(access.ty));
        }
        if access.direction == Direction::Store {
            place.written = conditions.or(place.written, condition);
            if pointee {
                self.stores.push((address.root, condition));
            }
            return Ok(at);
        }
        place.read = true;
        place.constant |= access.constant;
        place.read_early |= !conditions.implies(condition, place.written);
        if result && place.read_early {
            let message = format!("the result `{}` is read before it is written", name(address, parameters));
            return Err(Error::new(span, message));
        }
        if pointee && !access.constant {
            let mut others = self.stores.iter().filter(|(root, _)| *root != address.root);
            if let Some((other, _)) = others.find(|(_, when)| !conditions.exclude(*when, condition)) {
                let store = name(Address { root: *other, offset: 0 }, parameters);
                let load = name(Address { root: address.root, offset: 0 }, parameters);
                let message =
                    format!("`{load}` is read after a store to `{store}`, which may be the same memory");
                return Err(Error::new(span, message)
                    .with_help("read everything before the first store; in kernels, `const` and `__restrict__` promise that it may be"));
            }
        }
        Ok(at)
    }

    /// Refuses places that overlap in part, and stores to memory that `.nc` reads.
    pub fn check(&self, parameters: &[Parameter]) -> Result<(), Error> {
        let mut sorted: Vec<&Place> = self.places.iter().collect();
        sorted.sort_by_key(|place| (place.address.root, place.address.offset));
        for pair in sorted.windows(2) {
            let [first, second] = pair else { unreachable!("windows of two") };
            let end = first.address.offset + i64::from(first.ty.width() / 8);
            if first.address.root == second.address.root && second.address.offset < end {
                let [first_name, second_name] = [first, second].map(|place| place.name(parameters));
                let [wide, narrow] = [first, second].map(|place| place.ty.width());
                let message = match first_name == second_name {
                    true => format!("`{first_name}` is accessed with {wide} bits and with {narrow} bits"),
                    false => format!("`{second_name}` overlaps `{first_name}`, which has {wide} bits"),
                };
                let later = if first.span.start > second.span.start { first } else { second };
                return Err(Error::new(later.span, message)
                    .with_help("a place in memory must always be read and written as a whole"));
            }
        }
        match self.places.iter().find(|place| place.constant && place.is_output()) {
            Some(place) => {
                let message = format!(
                    "`{}` is read with `.nc`, which needs constant memory, and it is written",
                    place.name(parameters)
                );
                Err(Error::new(place.span, message))
            }
            None => Ok(()),
        }
    }
}
