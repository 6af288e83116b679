//! A module that is being edited: an edit causes a new check only of the parts that it can affect.
//!
//! A module is read in stretches of some kilobytes. The state at the beginning of each stretch is kept: the parser's
//! place, the version and target, and the declared names. After an edit, reading restarts at the last stretch before
//! the edit. It ends at the first stretch whose old state equals the new one.

use std::ops::{ControlFlow, Range};

use ptxcvt::forms::RegisterType;
use ptxcvt::targets::Machine;
use ptxcvt::{IsaVersion, Target};

use super::checker::Checker;
use super::declared::Declared;
use super::filler::Fillers;
use super::findings::CheckOptions;
use super::module::{MAX_FINDINGS, MAX_HELPED};
use crate::diagnostic::{Diagnostic, sort_by_place};
use crate::parse::{Declaration, Entity, Instruction, MAX_SYNTAX_ERRORS, Place, Visitor, parse_with, resume};
use crate::source::{Source, Span, Word};

/// The length of a stretch in bytes.
const STRETCH: u32 = 16 << 10;

/// A module and its findings, which are updated after edits.
///
/// ```
/// use ptxcvt_syntax::{CheckOptions, LiveModule};
/// let text = ".version 9.1\n.target sm_90\n.entry k {\n  .reg .b16 h; .reg .f32 f;\n  cvt.rn.f16.f32 h, f;\n}\n";
/// let mut module = LiveModule::new(text.into(), CheckOptions::default());
/// assert!(module.diagnostics().is_empty());
/// let at = text.find("rn").unwrap();
/// module.edit(at..at + 2, "rna");
/// assert_eq!(module.diagnostics()[0].code().as_str(), "CVT007");
/// ```
#[derive(Clone, Debug)]
pub struct LiveModule {
    options: CheckOptions,
    text: String,
    stretches: Vec<Stretch>,
    length: u32,
    machine: Machine,
    /// The target and version at the end of the text.
    declared: Declared,
    /// The findings of the whole text if a limit was reached; the stretches are then incomplete.
    limited: Option<Vec<Diagnostic>>,
    /// The edits since the last check, as one.
    pending: Option<Edited>,
}

/// A part of the text was replaced.
#[derive(Clone, Copy, Debug)]
struct Edited {
    start: u32,
    /// The end of the old part in the old text, and the end of the new part in the new text.
    old: u32,
    new: u32,
}

#[derive(Clone, Debug)]
struct Stretch {
    place: Place,
    head: Head,
    events: Vec<Event>,
    found: Vec<Diagnostic>,
    /// The newest version that its conversions need, if the module's version does not have the target.
    needed: Option<IsaVersion>,
    syntax_errors: usize,
}

/// The state that the module's first lines set.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Head {
    built_for: Option<Target>,
    isa: IsaVersion,
    version: Option<Span>,
    target: Option<Span>,
    maps_f64: bool,
    no_version_reported: bool,
}

impl Head {
    fn of(checker: &Checker<'_>) -> Head {
        Head {
            built_for: checker.built_for,
            isa: checker.isa,
            version: checker.version.map(|word| word.span),
            target: checker.target.map(|word| word.span),
            maps_f64: checker.maps_f64,
            no_version_reported: checker.no_version_reported,
        }
    }
}

/// A change of the declared names.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Event {
    Open,
    Close,
    Declare {
        name: Box<str>,
        span: Span,
        count: Option<u64>,
        entity: Entity<'static>,
        space: Option<Box<str>>,
    },
}

impl Edited {
    fn byte(self, at: u32) -> u32 {
        match at {
            _ if at >= self.old => at - self.old + self.new,
            _ => at.min(self.start),
        }
    }

    fn span(self, span: Span) -> Span {
        match span {
            // A span that ends where text was inserted does not change.
            Span { end, .. } if end <= self.start && span.start < self.old => span,
            Span { start, end } => Span::new(self.byte(start), self.byte(end)),
        }
    }

    /// The edit that combines this one and a later one.
    fn then(self, other: Edited) -> Edited {
        let (start, end) = (self.start.min(other.start), self.new.max(other.old));
        Edited { start, old: self.old + (end - self.new), new: end - other.old + other.new }
    }
}

impl Event {
    fn new(declaration: &Declaration<'_>) -> Self {
        let Declaration { name, count, entity, .. } = *declaration;
        let (entity, space) = match entity {
            Entity::Register { ty, lanes } => (Entity::Register { ty, lanes }, None),
            Entity::Variable(space) => (Entity::Variable(""), Some(space.into())),
            Entity::Function => (Entity::Function, None),
            Entity::Label => (Entity::Label, None),
        };
        Event::Declare { name: name.text.into(), span: name.span, count, entity, space }
    }

    /// Applies the change to the checker's names.
    fn replay<'e>(&'e self, checker: &mut Checker<'e>) {
        match self {
            Event::Open => checker.scope.open(),
            Event::Close => checker.scope.close(),
            Event::Declare { name, span, count, entity, space } => {
                let entity = space.as_deref().map_or(*entity, Entity::Variable);
                let name = Word { text: name, span: *span };
                // A repeated declaration was reported before.
                let _ =
                    checker.scope.declare(Declaration { count: *count, ..Declaration::new(name, entity) });
            }
        }
    }

    fn shift(&mut self, edited: Edited) {
        if let Event::Declare { span, .. } = self {
            *span = edited.span(*span);
        }
    }

    /// True if `other` is this event after the edit.
    fn became(&self, edited: Edited, other: &Event) -> bool {
        let mut moved = self.clone();
        moved.shift(edited);
        moved == *other
    }
}

/// The events that still have an effect. Events of closed blocks are removed.
#[derive(Default)]
struct Alive<'e> {
    events: Vec<&'e Event>,
    open: Vec<usize>,
}

impl<'e> Alive<'e> {
    fn push(&mut self, event: &'e Event) {
        match event {
            Event::Open => self.open.push(self.events.len()),
            Event::Close => {
                if let Some(begin) = self.open.pop() {
                    return self.events.truncate(begin);
                }
            }
            Event::Declare { .. } => {}
        }
        self.events.push(event);
    }
}

impl Stretch {
    /// A stretch of which nothing has been read.
    fn new(place: Place, head: Head) -> Self {
        Stretch { place, head, events: Vec::new(), found: Vec::new(), needed: None, syntax_errors: 0 }
    }

    fn shift(&mut self, edited: Edited) {
        self.place = self.place.moved(|span| edited.span(span), |byte| edited.byte(byte));
        self.head.version = self.head.version.map(|span| edited.span(span));
        self.head.target = self.head.target.map(|span| edited.span(span));
        self.events.iter_mut().for_each(|event| event.shift(edited));
        for diagnostic in &mut self.found {
            *diagnostic = diagnostic.clone().moved(|span| edited.span(span), |span| Some(edited.span(span)));
        }
    }
}

/// Reads from a place on, stretch by stretch.
struct Reading<'s> {
    checker: Checker<'s>,
    step: u32,
    done: Vec<Stretch>,
    now: Stretch,
    /// The stretches of the old text from the beginning of the reading on, and the index of the next one.
    before: &'s [Stretch],
    next: usize,
    edited: Edited,
    /// The index of the first old stretch whose state has not changed.
    met: Option<usize>,
}

impl Reading<'_> {
    fn head(&self) -> Head {
        Head::of(&self.checker)
    }

    /// Ends the stretch and begins the next one at `place`.
    fn turn(&mut self, place: Place) {
        self.now.found = std::mem::take(&mut self.checker.found.diagnostics);
        self.now.needed = self.checker.needed.take();
        let next = Stretch::new(place, self.head());
        self.done.push(std::mem::replace(&mut self.now, next));
    }

    /// True if the findings of the next old stretch stay the same.
    fn goes_on_as_before(&self, place: &Place) -> bool {
        let before = &self.before[self.next];
        let edited = self.edited;
        let moved = before.place.moved(|span| edited.span(span), |byte| edited.byte(byte));
        let head = Head {
            version: before.head.version.map(|span| edited.span(span)),
            target: before.head.target.map(|span| edited.span(span)),
            ..before.head.clone()
        };
        if !moved.goes_on_as(place) || head != self.head() {
            return false;
        }
        let (mut was, mut is) = (Alive::default(), Alive::default());
        self.before[..self.next].iter().flat_map(|s| &s.events).for_each(|event| was.push(event));
        self.done.iter().chain([&self.now]).flat_map(|s| &s.events).for_each(|event| is.push(event));
        was.events.len() == is.events.len()
            && was.events.iter().zip(&is.events).all(|(was, is)| was.became(edited, is))
    }
}

impl<'s> Visitor<'s> for Reading<'s> {
    fn stop(&self) -> bool {
        self.checker.stop()
    }
    fn version(&mut self, version: Word<'s>) {
        self.checker.version(version);
    }
    fn target(&mut self, directive: Span, names: &[Word<'s>]) {
        self.checker.target(directive, names);
    }
    fn body(&mut self, at: Span) {
        self.checker.body(at);
    }
    fn open(&mut self, at: Span) {
        self.now.events.push(Event::Open);
        self.checker.open(at);
    }
    fn close(&mut self, at: Span) {
        self.now.events.push(Event::Close);
        self.checker.close(at);
    }
    fn register_type(&mut self, ty: RegisterType, at: Span) {
        self.checker.register_type(ty, at);
    }
    fn declare(&mut self, declaration: Declaration<'s>) {
        self.now.events.push(Event::new(&declaration));
        self.checker.declare(declaration);
    }
    fn reads_all_operands(&self) -> bool {
        self.checker.reads_all_operands()
    }
    fn instruction(&mut self, instruction: &Instruction<'s>) {
        self.checker.instruction(instruction);
    }
    fn problem(&mut self, diagnostic: Diagnostic) {
        self.now.syntax_errors += 1;
        self.checker.problem(diagnostic);
    }

    fn pauses(&self, at: u32) -> bool {
        let meets = |stretch: &Stretch| at >= self.edited.byte(stretch.place.at());
        at - self.now.place.at() >= self.step || self.before.get(self.next).is_some_and(meets)
    }

    fn pause(&mut self, place: Place) -> ControlFlow<()> {
        let at = |stretch: &Stretch| self.edited.byte(stretch.place.at());
        while self.before.get(self.next).is_some_and(|stretch| at(stretch) < place.at()) {
            self.next += 1;
        }
        // A stretch that begins within the edit or before it cannot be reused.
        let meets = |s: &Stretch| s.place.at() >= self.edited.old && at(s) == place.at();
        if self.before.get(self.next).is_some_and(meets) {
            if self.goes_on_as_before(&place) {
                self.met = Some(self.next);
                return ControlFlow::Break(());
            }
            self.next += 1;
        }
        if place.at() - self.now.place.at() >= self.step {
            self.turn(place);
        }
        ControlFlow::Continue(())
    }
}

impl LiveModule {
    /// Checks a module.
    pub fn new(text: String, options: CheckOptions) -> Self {
        Self::with_stretches(text, options, STRETCH)
    }

    /// Like [`new`](Self::new), but with stretches of another length. Shorter stretches need more memory, and edits
    /// less time.
    #[doc(hidden)]
    pub fn with_stretches(text: String, options: CheckOptions, length: u32) -> Self {
        let options = options.snippet(false);
        let declared = Declared { target: None, isa: IsaVersion::NEWEST, chosen: false };
        let mut module = LiveModule {
            options,
            text,
            stretches: Vec::new(),
            length,
            machine: Machine::ANY,
            declared,
            limited: None,
            pending: None,
        };
        module.judge();
        module
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The target and version of the last check: call [`refresh`](Self::refresh) after edits.
    pub fn machine(&self) -> Machine {
        self.machine
    }

    /// Replaces a part of the text. The next call of [`refresh`](Self::refresh) or [`diagnostics`](Self::diagnostics)
    /// checks it.
    ///
    /// # Panics
    /// If the range is not in the text, or begins or ends within a character.
    pub fn edit(&mut self, range: Range<usize>, new: &str) {
        let edited = Edited {
            start: range.start as u32,
            old: range.end as u32,
            new: (range.start + new.len()) as u32,
        };
        self.text.replace_range(range, new);
        self.pending = Some(self.pending.map_or(edited, |pending| pending.then(edited)));
    }

    /// Checks the edits since the last check.
    ///
    /// ```
    /// use ptxcvt_syntax::{CheckOptions, LiveModule};
    /// let mut module = LiveModule::new(".version 7.8\n.target sm_80\n".into(), CheckOptions::default());
    /// module.edit(24..26, "90");
    /// module.refresh();
    /// assert_eq!(module.machine().target().unwrap().to_string(), "sm_90");
    /// ```
    pub fn refresh(&mut self) {
        if let Some(edited) = self.pending.take() {
            self.update(edited);
        }
    }

    /// The findings, in the order of the text.
    pub fn diagnostics(&mut self) -> Vec<Diagnostic> {
        self.refresh();
        if let Some(all) = &self.limited {
            return all.clone();
        }
        let mut all: Vec<Diagnostic> = self.stretches.iter().flat_map(|s| &s.found).cloned().collect();
        let needed = self.stretches.iter().filter_map(|stretch| stretch.needed).max();
        self.declared.complete(&mut all, needed);
        sort_by_place(&mut all);
        all
    }

    /// Checks the whole text.
    fn judge(&mut self) {
        let nothing = Edited { start: 0, old: 0, new: 0 };
        let checker = Checker::new(&self.text, &self.options, Fillers::default());
        let mut reading = self.reading(checker, Place::default(), &[], nothing);
        parse_with(&self.text, false, &mut reading);
        let many = reading.checker.judgements.len() >= MAX_HELPED;
        reading.turn(Place::default());
        (self.machine, self.declared) = (reading.checker.machine(), reading.checker.declared());
        self.stretches = reading.done;
        self.limit(many);
    }

    /// Checks the whole text at once if a limit was reached, because limits count from the beginning.
    fn limit(&mut self, many: bool) {
        let errors: usize = self.stretches.iter().map(|s| s.syntax_errors).sum();
        let found: usize = self.stretches.iter().map(|s| s.found.len()).sum();
        let limited = many
            || errors >= MAX_SYNTAX_ERRORS
            || found > MAX_FINDINGS
            || u32::try_from(self.text.len()).is_err();
        self.limited = limited.then(|| {
            let source = Source::new("", self.text.as_bytes());
            super::check(&source, &self.options).diagnostics
        });
    }

    fn reading<'s>(
        &self,
        checker: Checker<'s>,
        place: Place,
        before: &'s [Stretch],
        edited: Edited,
    ) -> Reading<'s> {
        let now = Stretch::new(place, Head::of(&checker));
        Reading { checker, step: self.length, done: Vec::new(), now, before, next: 1, edited, met: None }
    }

    /// Checks the parts that an edit can affect.
    fn update(&mut self, edited: Edited) {
        let too_long = u32::try_from(self.text.len()).is_err();
        if self.limited.is_some() || too_long {
            return self.judge();
        }
        let stretches = std::mem::take(&mut self.stretches);
        let saw = stretches.iter().skip(1).position(|stretch| stretch.place.seen() > edited.start);
        let first = saw.unwrap_or(stretches.len() - 1);
        let (begin, before) = (&stretches[first], &stretches[first..]);
        let mut checker = Checker::new(&self.text, &self.options, Fillers::default());
        // These words are before the edit, so their places have not changed.
        let text = |span: Span| self.text.get(span.range()).expect("a word of the head is in the text");
        let word = |span: Span| Word { text: text(span), span };
        let Head { built_for, isa, version, target, maps_f64, no_version_reported } = begin.head;
        (checker.built_for, checker.isa) = (built_for, isa);
        (checker.version, checker.target) = (version.map(word), target.map(word));
        (checker.maps_f64, checker.no_version_reported) = (maps_f64, no_version_reported);
        let mut alive = Alive::default();
        stretches[..first].iter().flat_map(|s| &s.events).for_each(|event| alive.push(event));
        alive.events.iter().for_each(|event| event.replay(&mut checker));
        let mut reading = self.reading(checker, begin.place.clone(), before, edited);
        resume(&self.text, &begin.place, &mut reading);
        reading.turn(Place::default());
        let Reading { checker, done, met, .. } = reading;
        // If the rest is unchanged, so are the target and version at the end.
        let (machine, declared) = match met {
            Some(_) => (self.machine, self.declared),
            None => (checker.machine(), checker.declared()),
        };
        let after = first + met.unwrap_or(before.len());
        let mut old = stretches;
        let mut tail = old.split_off(after);
        tail.iter_mut().for_each(|stretch| stretch.shift(edited));
        old.truncate(first);
        old.extend(done);
        old.append(&mut tail);
        (self.stretches, self.machine, self.declared) = (old, machine, declared);
        self.limit(false);
    }
}
