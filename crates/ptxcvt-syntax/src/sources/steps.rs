//! The ways through C++ statements: the configurations that reach each of them.
//!
//! ISO C++, "Statements". Variables may have any value, so every way counts that is possible for some value.

use std::collections::HashMap;
use std::rc::Rc;

use super::guard::{Outcome, Reach};

/// Limit on the rounds through a statement, which repeat until all jumps backward are known.
const MOST_ROUNDS: u32 = 8;
/// The name for the labels whose addresses the code takes, to which `goto *place` jumps.
pub(super) const ADDRESSED: &str = "*";

/// A statement, or a label before one.
#[derive(Debug)]
pub(super) struct Step {
    /// Where it begins. `None` in the expansion of a macro.
    pub at: Option<usize>,
    /// The configurations whose preprocessor keeps it.
    pub here: Reach,
    pub kind: Kind,
}

#[derive(Debug)]
pub(super) enum Kind {
    /// An expression, after which these configurations continue.
    Plain(Reach),
    Return,
    Break,
    Continue,
    /// A `goto` with the name of its label.
    Goto(String),
    Label(Label),
    /// A label of a `switch`, with the configurations whose selector has its value.
    Case(Reach),
    Default,
    /// The beginning of a macro's use that may hide a `break` or a label. `is_label`: its name says so.
    Hidden {
        is_label: bool,
    },
    Block(Vec<Step>),
    /// The expansions of a macro, each in the configurations in which the macro has this definition.
    Expanded(Rc<[Step]>),
    /// The statements of an `if`, those of each `else if`, and that of the last `else`.
    If(Vec<Arm>, Option<Box<Step>>),
    /// A loop that tests its condition first.
    Loop(Outcome, Box<Step>),
    /// A loop that tests its condition last, at this place.
    Do(Outcome, Box<Step>, Option<usize>),
    Switch(Switch),
    /// The block of a `try`, and its handlers.
    Try(Vec<Step>),
}

/// A condition and its statement.
#[derive(Debug)]
pub(super) struct Arm {
    /// Where the condition after an `else` begins.
    pub test: Option<usize>,
    pub outcome: Outcome,
    pub body: Step,
}

#[derive(Debug)]
pub(super) struct Label {
    pub name: String,
    /// True if code that is not followed may jump to it.
    pub is_entered: bool,
    /// True if the code takes its address.
    pub is_addressed: bool,
}

#[derive(Debug)]
pub(super) struct Switch {
    /// The configurations that jump to `default`.
    pub default: Reach,
    /// The configurations that jump to no label.
    pub none: Reach,
    pub body: Box<Step>,
}

/// The ways through a statement.
pub(super) struct Ways {
    /// The configurations that reach the statement after it.
    pub falls: Reach,
    /// The places in it from which on other configurations reach the code, in order.
    pub places: Vec<(usize, Reach)>,
}

impl Step {
    /// True if an `else` after the statements of an expansion belongs to the last one.
    pub fn takes_else(&self) -> bool {
        let Kind::Block(steps) = &self.kind else { return false };
        let mut last = steps.last();
        while let Some(step) = last {
            last = match &step.kind {
                Kind::If(_, None) => return true,
                Kind::If(_, Some(other)) => Some(&**other),
                Kind::Loop(_, body) => Some(&**body),
                _ => None,
            };
        }
        false
    }

    /// The ways through a statement that all configurations reach. `unknown` stands for configurations that are not
    /// known.
    pub fn ways(&self, unknown: &Reach, jumps: Unread) -> Ways {
        let mut flow = Flow::new(unknown, jumps == Unread::ToLabels);
        loop {
            let falls = flow.round(self);
            let lost = if jumps == Unread::None { flow.lost() } else { Reach::none() };
            if !flow.grew && !exceeds(&lost, &flow.to_all) {
                return Ways { falls, places: flow.places };
            }
            flow.to_all = flow.to_all.or(&lost);
            flow.rounds += 1;
            flow.to_labels |= flow.is_last();
        }
    }
}

/// Jumps that are not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unread {
    /// Every jump of the function is read. A jump to a missing label may lead to each statement.
    None,
    /// Code around the statement may jump to some of its labels, and the statement to other labels.
    Around,
    /// Expressions may jump to each label.
    ToLabels,
}

/// The state on the way through a statement.
struct Flow<'t> {
    unknown: &'t Reach,
    rounds: u32,
    /// The configurations that jump to each label.
    jumps: HashMap<&'t str, Reach>,
    /// The labels of this round, each with the jumps that were known there.
    met: HashMap<&'t str, Reach>,
    /// The configurations that repeat each loop, in the order of the text.
    repeats: Vec<Reach>,
    /// The number of loops in this round.
    loops: usize,
    /// The configurations that leave each loop or `switch` around the place, and that continue each loop.
    breaks: Vec<Reach>,
    /// The configurations in which macros may leave each of these: they count only if nothing else leaves it.
    hidden: Vec<Reach>,
    continues: Vec<Reach>,
    /// For each `switch` around the place, the configurations that reach it, and those of its `default`.
    switches: Vec<(Reach, &'t Reach)>,
    /// True if unknown configurations may jump to each label.
    to_labels: bool,
    /// The configurations that may jump to each statement.
    to_all: Reach,
    places: Vec<(usize, Reach)>,
    /// True if a jump leads backward in configurations that were not known there.
    grew: bool,
}

/// Adds configurations to those in a list's last element.
fn add(list: &mut [Reach], reach: &Reach) {
    if let Some(last) = list.last_mut() {
        *last = last.or(reach);
    }
}

fn exceeds(reach: &Reach, known: &Reach) -> bool {
    !known.is_all() && !reach.and(&known.not()).is_none()
}

impl<'t> Flow<'t> {
    fn new(unknown: &'t Reach, to_labels: bool) -> Self {
        Flow {
            unknown,
            rounds: 0,
            jumps: HashMap::new(),
            met: HashMap::new(),
            repeats: Vec::new(),
            loops: 0,
            breaks: Vec::new(),
            hidden: Vec::new(),
            continues: Vec::new(),
            switches: Vec::new(),
            to_labels,
            to_all: Reach::none(),
            places: Vec::new(),
            grew: false,
        }
    }

    /// True in the last round. Jumps backward then count as unknown.
    fn is_last(&self) -> bool {
        self.rounds >= MOST_ROUNDS
    }

    fn round(&mut self, step: &'t Step) -> Reach {
        (self.loops, self.grew) = (0, false);
        self.met.clear();
        self.places.clear();
        self.after(step, Reach::all())
    }

    /// The configurations that jump to a label that is nowhere in the text. A macro of another file hides it.
    fn lost(&self) -> Reach {
        let is_lost = |name: &str| name != ADDRESSED && !self.met.contains_key(name);
        let lost = self.jumps.iter().filter(|(name, _)| is_lost(name));
        lost.fold(Reach::none(), |all, (_, reach)| all.or(&reach.and(self.unknown)))
    }

    /// Records that these configurations reach the code from a place on.
    fn place(&mut self, at: Option<usize>, live: &Reach) {
        let Some(at) = at else { return };
        match self.places.last_mut() {
            Some((_, last)) if last == live => {}
            Some((place, last)) if *place == at => *last = live.clone(),
            _ => self.places.push((at, live.clone())),
        }
    }

    /// The configurations that reach the code after a statement, if `live` reach its beginning.
    fn after(&mut self, step: &'t Step, live: Reach) -> Reach {
        let live = live.or(&self.to_all);
        self.place(step.at, &live);
        if step.here.is_all() {
            return self.after_kind(&step.kind, live);
        }
        let others = live.and(&step.here.not());
        self.after_kind(&step.kind, live.and(&step.here)).and(&step.here).or(&others)
    }

    fn after_kind(&mut self, kind: &'t Kind, live: Reach) -> Reach {
        match kind {
            Kind::Plain(falls) => live.and(falls),
            Kind::Return => Reach::none(),
            Kind::Break => {
                add(&mut self.breaks, &live);
                Reach::none()
            }
            Kind::Continue => {
                add(&mut self.continues, &live);
                Reach::none()
            }
            Kind::Goto(name) => {
                let known = self.met.get(&**name).filter(|_| !self.is_last());
                self.grew |= known.is_some_and(|known| exceeds(&live, known));
                let known = self.jumps.entry(name).or_insert_with(Reach::none);
                *known = known.or(&live);
                Reach::none()
            }
            Kind::Label(label) => live.or(&self.jumped(label)),
            Kind::Case(taken) => match self.switches.last() {
                Some((all, _)) => live.or(&all.and(taken)),
                None => live.or(self.unknown),
            },
            Kind::Default => match self.switches.last() {
                Some((all, taken)) => live.or(&all.and(taken)),
                None => live.or(self.unknown),
            },
            Kind::Hidden { is_label } => {
                let live = match self.switches.last() {
                    Some((all, _)) if live.is_none() || *is_label => live.or(&all.and(self.unknown)),
                    _ => live,
                };
                add(&mut self.hidden, &live.and(self.unknown));
                live
            }
            Kind::Block(steps) => steps.iter().fold(live, |live, step| self.after(step, live)),
            Kind::Expanded(steps) => steps.iter().fold(live, |live, step| self.after(step, live)),
            Kind::If(arms, other) => {
                let (mut rest, mut all) = (live, Reach::none());
                for Arm { test, outcome, body } in arms {
                    self.place(*test, &rest);
                    all = all.or(&self.after(body, rest.and(&outcome.yes)));
                    rest = rest.and(&outcome.no);
                }
                match other {
                    Some(other) => all.or(&self.after(other, rest)),
                    None => all.or(&rest),
                }
            }
            Kind::Loop(outcome, body) => {
                let number = self.enter_loop();
                let all = live.or(&self.repeats[number]);
                let falls = self.after(body, all.and(&outcome.yes));
                let (_, breaks) = self.leave_loop(number, falls, &all);
                self.left(breaks.or(&all.and(&outcome.no)))
            }
            Kind::Do(outcome, body, test) => {
                let number = self.enter_loop();
                let all = live.or(&self.repeats[number].and(&outcome.yes));
                let falls = self.after(body, all.clone());
                let (tests, breaks) = self.leave_loop(number, falls, &all.or(&outcome.yes.not()));
                self.place(*test, &tests);
                self.left(breaks.or(&tests.and(&outcome.no)))
            }
            Kind::Switch(switch) => {
                let none = live.and(&switch.none);
                self.switches.push((live, &switch.default));
                self.breaks.push(Reach::none());
                self.hidden.push(Reach::none());
                let falls = self.after(&switch.body, Reach::none());
                self.switches.pop();
                let falls = falls.or(&self.breaks.pop().unwrap_or_else(Reach::none)).or(&none);
                self.left(falls)
            }
            // Each statement of the block may throw.
            Kind::Try(steps) => {
                let all = steps.iter().map(|step| self.after(step, live.clone()));
                all.fold(Reach::none(), |all, falls| all.or(&falls))
            }
        }
    }

    /// The configurations that jump to a label.
    fn jumped(&mut self, label: &'t Label) -> Reach {
        let is_open = self.to_labels || label.is_entered;
        let mut all = if is_open { self.unknown.clone() } else { Reach::none() };
        let addressed = label.is_addressed.then_some(ADDRESSED);
        for name in [&*label.name].into_iter().chain(addressed) {
            let known = self.jumps.get(name).cloned().unwrap_or_else(Reach::none);
            all = all.or(&known);
            self.met.entry(name).or_insert(known);
        }
        all
    }

    /// The number of the loop that begins here.
    fn enter_loop(&mut self) -> usize {
        let number = self.loops;
        self.loops += 1;
        if number == self.repeats.len() {
            self.repeats.push(Reach::none());
        }
        if self.is_last() {
            self.repeats[number] = self.repeats[number].or(self.unknown);
        }
        self.breaks.push(Reach::none());
        self.hidden.push(Reach::none());
        self.continues.push(Reach::none());
        number
    }

    /// The configurations that reach the code after a loop or a `switch`, where `known` are those that statements show.
    fn left(&mut self, known: Reach) -> Reach {
        let hidden = self.hidden.pop().unwrap_or_else(Reach::none);
        if known.is_none() { hidden } else { known }
    }

    /// The configurations that reach the end of a loop's body, and those that leave it by `break`. The loop was
    /// followed for the configurations `known`.
    fn leave_loop(&mut self, number: usize, falls: Reach, known: &Reach) -> (Reach, Reach) {
        let breaks = self.breaks.pop().unwrap_or_else(Reach::none);
        let ends = falls.or(&self.continues.pop().unwrap_or_else(Reach::none));
        if !self.is_last() && exceeds(&ends, known) {
            self.grew = true;
            self.repeats[number] = self.repeats[number].or(&ends);
        }
        (ends, breaks)
    }
}
