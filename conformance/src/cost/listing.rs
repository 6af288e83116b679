//! Reads nvdisasm's listings: the machine instructions of each function, and of its shortest and its longest path.
//!
//! A path follows branches and the reconvergence of threads (`BSSY`, `BSYNC`). An instruction with a false guard is issued
//! and therefore counted. A guard that was decided by a branch holds until an instruction names its predicate again. So no
//! thread runs fewer or more instructions than the shortest and the longest path, if no loop turns more often than said.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt;
use std::ops::Sub;

use anyhow::{Context, Result, anyhow, bail, ensure};

/// Numbers of machine instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Counts {
    /// Instructions of the function.
    pub all: i64,
    /// Instructions of the shortest path.
    pub shortest: i64,
    /// Instructions of the longest path.
    pub longest: i64,
}

impl Counts {
    /// The number, if every path has all instructions.
    ///
    /// # Errors
    ///
    /// Returns an error if the function has branches.
    pub fn straight(self) -> Result<i64> {
        ensure!(self.shortest == self.all && self.longest == self.all, "not one straight line: {self:?}");
        Ok(self.all)
    }
}

impl Sub for Counts {
    type Output = Counts;
    fn sub(self, less: Counts) -> Counts {
        Counts {
            all: self.all - less.all,
            shortest: self.shortest - less.shortest,
            longest: self.longest - less.longest,
        }
    }
}

/// The form in records: `126 28 97`.
impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.all, self.shortest, self.longest)
    }
}

impl std::str::FromStr for Counts {
    type Err = anyhow::Error;
    fn from_str(text: &str) -> Result<Self> {
        match text.split(' ').collect::<Vec<_>>()[..] {
            [all, shortest, longest] => {
                Ok(Counts { all: all.parse()?, shortest: shortest.parse()?, longest: longest.parse()? })
            }
            _ => Err(anyhow!("three numbers expected: {text}")),
        }
    }
}

/// Instructions that continue at another place, which this reader does not determine.
const NOT_FOLLOWED: [&str; 10] =
    ["BREAK", "BMOV", "BPT", "BRX", "BRXU", "CALL", "JMP", "JMX", "JMXU", "KILL"];

/// Instructions that may continue elsewhere.
const FOLLOWED: [&str; 4] = ["BRA", "BSYNC", "EXIT", "RET"];

/// An instruction: `@!P0 BRA P1, label`.
#[derive(Clone, Debug)]
struct Instruction {
    guard: Option<Condition>,
    /// The name without modifiers.
    name: String,
    operands: Vec<String>,
}

/// A predicate, and the value that it must have.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Condition {
    predicate: String,
    value: bool,
}

impl Condition {
    /// Reads `P0`, `!UP1` or `PT`.
    fn read(text: &str) -> Option<Condition> {
        let name = text.trim_start_matches('!');
        let number = name.strip_prefix('U').unwrap_or(name).strip_prefix('P')?;
        let is_number = number.len() == 1 && (number == "T" || number.bytes().all(|b| b.is_ascii_digit()));
        is_number.then(|| Condition { predicate: name.to_owned(), value: !text.starts_with('!') })
    }

    /// The constant value of `PT` and `UPT`.
    fn constant(&self) -> Option<bool> {
        self.predicate.ends_with('T').then_some(self.value)
    }
}

impl Instruction {
    /// Reads a line such as `/*0010*/  @P0 BRA !P1, `(.L_x_5) ;`.
    fn read(line: &str) -> Option<Instruction> {
        let (address, rest) = line.trim_start().strip_prefix("/*")?.split_once("*/")?;
        if address.is_empty() || !address.bytes().all(|b| b.is_ascii_hexdigit()) {
            return None;
        }
        let (text, _) = rest.split_once(';')?;
        let text = text.trim().trim_start_matches('{').trim_start();
        let (guard, text) = match text.strip_prefix('@') {
            Some(rest) => {
                let (guard, rest) = rest.split_once(' ')?;
                (Some(Condition::read(guard)?), rest.trim_start())
            }
            None => (None, text),
        };
        let (mnemonic, operands) = text.split_once(' ').unwrap_or((text, ""));
        let name = mnemonic.split_once('.').map_or(mnemonic, |(name, _)| name).to_owned();
        Some(Instruction {
            guard,
            name,
            operands: operands.split(',').map(|o| o.trim().to_owned()).collect(),
        })
    }

    /// The label of `` `(.L_x_5) ``.
    fn label(&self) -> Option<&str> {
        self.operands.iter().find_map(|operand| operand.strip_prefix("`(")?.strip_suffix(')'))
    }

    /// All conditions under which a branch is taken.
    fn conditions(&self) -> Vec<Condition> {
        let operands = self.operands.iter().filter_map(|operand| Condition::read(operand));
        self.guard.iter().cloned().chain(operands).collect()
    }
}

/// A function of a listing.
#[derive(Clone, Debug, Default)]
pub struct Function {
    code: Vec<Instruction>,
    labels: BTreeMap<String, usize>,
}

/// The functions of a listing made with `nvdisasm -c`, by name.
pub fn functions(listing: &str) -> BTreeMap<String, Function> {
    let mut all = BTreeMap::new();
    let mut current: Option<(String, Function)> = None;
    for line in listing.lines() {
        if line.contains("\t.section\t") {
            all.extend(current.take());
        } else if let Some(label) = line.trim().strip_suffix(':') {
            match (label.strip_prefix(".text."), &mut current) {
                (Some(name), _) => current = Some((name.to_owned(), Function::default())),
                (None, Some((_, function))) => {
                    function.labels.insert(label.to_owned(), function.code.len());
                }
                (None, None) => {}
            }
        } else if let (Some(instruction), Some((_, function))) = (Instruction::read(line), &mut current) {
            function.code.push(instruction);
        }
    }
    all.extend(current);
    all
}

/// What a thread knows at an instruction.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct State {
    at: usize,
    /// Predicates that branches decided.
    known: BTreeMap<String, bool>,
    /// Where threads meet after `BSYNC`.
    meeting: BTreeMap<String, usize>,
    /// The loop in which the thread is, by its first instruction, and the number of its turns.
    turns: Option<(usize, u32)>,
}

/// The shortest and longest rest of a path, or `None` if no thread takes it.
type Rest = Option<(i64, i64)>;

impl Function {
    /// The numbers of instructions. A loop turns at most that often.
    ///
    /// # Errors
    ///
    /// Returns an error if the function calls another, branches indirectly, or has loops of several blocks.
    pub fn counts(&self, turns: u32) -> Result<Counts> {
        let mut walk = Walk { function: self, loops: self.loops()?, limit: turns, done: HashMap::new() };
        let start = State { at: 0, known: BTreeMap::new(), meeting: BTreeMap::new(), turns: None };
        let (shortest, longest) = walk.rest(start)?.context("no path reaches the end")?;
        let counted = |(at, code): &(usize, &Instruction)| code.name != "NOP" && !self.is_trap(*at);
        let all = self.code.iter().enumerate().filter(counted).count();
        Ok(Counts { all: i64::try_from(all)?, shortest, longest })
    }

    fn target(&self, code: &Instruction) -> Result<usize> {
        let label = code.label().with_context(|| format!("a branch without a label: {code:?}"))?;
        self.labels.get(label).copied().with_context(|| format!("no label {label}"))
    }

    /// A branch to itself, which follows the end of every function.
    fn is_trap(&self, at: usize) -> bool {
        let code = &self.code[at];
        code.name == "BRA" && code.guard.is_none() && self.target(code).is_ok_and(|to| to == at)
    }

    /// The first instructions of loops. Each loop must be one block, so that its first instruction runs once in each turn.
    fn loops(&self) -> Result<BTreeSet<usize>> {
        let mut loops = BTreeSet::new();
        for (at, code) in self.code.iter().enumerate() {
            if code.name != "BRA" || self.is_trap(at) {
                continue;
            }
            let first = self.target(code)?;
            if first <= at {
                let is_block = self.labels.values().all(|label| *label <= first || *label > at)
                    && self.code[first..at].iter().all(|code| !FOLLOWED.contains(&code.name.as_str()));
                ensure!(is_block, "a loop of several blocks");
                loops.insert(first);
            }
        }
        Ok(loops)
    }
}

/// A walk over all paths of a function.
struct Walk<'f> {
    function: &'f Function,
    loops: BTreeSet<usize>,
    limit: u32,
    done: HashMap<State, Rest>,
}

impl Walk<'_> {
    fn rest(&mut self, state: State) -> Result<Rest> {
        if let Some(rest) = self.done.get(&state) {
            return Ok(*rest);
        }
        let code = self.function.code.get(state.at).context("the code ends without EXIT or RET")?.clone();
        let mut found: Rest = None;
        for next in self.following(&code, &state)? {
            let rest = match next {
                Some(next) => self.rest(next)?,
                None => Some((0, 0)),
            };
            found = match (found, rest) {
                (Some((a, b)), Some((c, d))) => Some((a.min(c), b.max(d))),
                (one, other) => one.or(other),
            };
        }
        let own = i64::from(code.name != "NOP");
        let rest = found.map(|(shortest, longest)| (shortest + own, longest + own));
        self.done.insert(state, rest);
        Ok(rest)
    }

    /// The states after an instruction; `None` is the end of the thread.
    fn following(&self, code: &Instruction, state: &State) -> Result<Vec<Option<State>>> {
        let jump = match code.name.as_str() {
            "BRA" => Some(Some(self.function.target(code)?)),
            "BSYNC" => {
                let place = code.operands.first().and_then(|barrier| state.meeting.get(barrier));
                Some(Some(*place.context("BSYNC without BSSY")?))
            }
            "EXIT" | "RET" => Some(None),
            name if NOT_FOLLOWED.contains(&name) => bail!("{name} is not followed"),
            _ => None,
        };
        let mut state = state.clone();
        if let ("BSSY", [barrier, ..]) = (code.name.as_str(), &code.operands[..]) {
            state.meeting.insert(barrier.clone(), self.function.target(code)?);
        }
        let Some(to) = jump else {
            // A predicate that an instruction names may be its result.
            for operand in &code.operands {
                if let Some(named) = Condition::read(operand) {
                    state.known.remove(&named.predicate);
                }
            }
            return Ok(self.at(state.at + 1, state).map(Some).into_iter().collect());
        };
        let conditions = code.conditions();
        let value = |condition: &Condition| {
            let known = state.known.get(&condition.predicate).map(|known| *known == condition.value);
            condition.constant().or(known)
        };
        let mut states = Vec::new();
        if conditions.iter().all(|condition| value(condition) != Some(false)) {
            let mut taken = state.clone();
            for condition in conditions.iter().filter(|condition| condition.constant().is_none()) {
                taken.known.insert(condition.predicate.clone(), condition.value);
            }
            match to {
                Some(to) => states.extend(self.at(to, taken).map(Some)),
                None => states.push(None),
            }
        }
        if conditions.iter().any(|condition| value(condition) != Some(true)) {
            let mut passed = state.clone();
            if let [only] = &conditions[..] {
                passed.known.insert(only.predicate.clone(), !only.value);
            }
            states.extend(self.at(state.at + 1, passed).map(Some));
        }
        Ok(states)
    }

    /// The state at another instruction, unless a loop has turned too often.
    fn at(&self, to: usize, mut state: State) -> Option<State> {
        let is_turn = self.loops.contains(&to);
        if is_turn {
            let before = state.turns.filter(|(first, _)| *first == to).map_or(0, |(_, turns)| turns);
            state.turns = Some((to, before + 1));
        } else if to != state.at + 1 {
            state.turns = None;
        }
        state.at = to;
        (!is_turn || state.turns.is_some_and(|(_, turns)| turns <= self.limit)).then_some(state)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A listing of a function `f` with these lines of code.
    fn counts(code: &str, turns: u32) -> Result<Counts> {
        let line = |line: &str| match line.ends_with(':') {
            true => format!("{line}\n"),
            false => format!("        /*0000*/      {line} ;\n"),
        };
        let body: String = code.lines().map(|text| line(text.trim())).collect();
        let listing = format!("\t.section\t.text.f,\"ax\",@progbits\nf:\n.text.f:\n{body}");
        functions(&listing)["f"].counts(turns)
    }

    fn all(all: i64, shortest: i64, longest: i64) -> Counts {
        Counts { all, shortest, longest }
    }

    #[test]
    fn a_straight_line_is_its_path() {
        let code = "MOV R1, c[0x0][0x28]\n@P0 FADD R2, R2, R3\nEXIT\n.L_x_0:\nBRA `(.L_x_0)\nNOP";
        assert_eq!(counts(code, 0).unwrap(), all(3, 3, 3));
    }

    #[test]
    fn branches_have_a_shortest_and_a_longest_path() {
        let code = "ISETP.NE.AND P0, PT, R3, RZ, PT\nBSSY B0, `(.L_x_1)\n@P0 BRA `(.L_x_0)\nMOV R1, R2\nMOV R3, R4\n\
                    .L_x_0:\nBSYNC B0\n.L_x_1:\nRET.ABS.NODEC R20 0x0";
        assert_eq!(counts(code, 0).unwrap(), all(7, 5, 7));
        assert!(counts(code, 0).unwrap().straight().is_err());
    }

    /// The second branch repeats the condition of the first, unless the predicate is computed again.
    #[test]
    fn a_decided_predicate_holds() {
        let twice = |between: &str| {
            format!(
                "@P0 BRA `(.L_x_0)\nMOV R1, R2\n.L_x_0:\n{between}\n@!P0 BRA `(.L_x_1)\nMOV R3, R4\n.L_x_1:\nEXIT"
            )
        };
        assert_eq!(counts(&twice("MOV R5, R6"), 0).unwrap(), all(6, 5, 5));
        assert_eq!(counts(&twice("ISETP.GT P0, PT, R5, R6, PT"), 0).unwrap(), all(6, 4, 6));
    }

    #[test]
    fn both_conditions_of_a_branch_decide() {
        let code =
            "@P0 BRA !P1, `(.L_x_0)\n@!P0 BRA `(.L_x_0)\nMOV R1, R2\n.L_x_0:\n@P1 EXIT\nMOV R1, R2\nEXIT";
        assert_eq!(counts(code, 0).unwrap(), all(6, 3, 6));
    }

    #[test]
    fn a_loop_turns_as_often_as_said() {
        let code = "@P0 BRA `(.L_x_1)\n.L_x_0:\nSHL R1, R1, 0x1\nLOP3.LUT P1, RZ, R1, 0x4, RZ\n@P1 BRA `(.L_x_0)\n\
                    .L_x_1:\nEXIT";
        assert_eq!(counts(code, 0).unwrap(), all(5, 2, 2));
        assert_eq!(counts(code, 1).unwrap(), all(5, 2, 5));
        assert_eq!(counts(code, 3).unwrap(), all(5, 2, 11));
        let nested = "NOP\n.L_x_0:\n@P1 BRA `(.L_x_1)\nMOV R1, R2\n.L_x_1:\n@P0 BRA `(.L_x_0)\nEXIT";
        assert!(counts(nested, 1).unwrap_err().to_string().contains("several blocks"));
    }

    #[test]
    fn what_is_not_followed_is_an_error() {
        for code in
            ["CALL.REL.NOINC `(.L_x_0)\n.L_x_0:\nEXIT", "BRX R2\nEXIT", "MOV R1, R2", "BSYNC B0\nEXIT"]
        {
            assert!(counts(code, 0).is_err(), "{code}");
        }
    }

    #[test]
    fn functions_are_read_by_section() {
        let listing = "\t.section\t.text.full0,\"ax\",@progbits\n.text.full0:\n        /*0000*/                   \
                       MOV R1, c[0x0][0x28] ;\n        /*0010*/              @P0  EXIT ;\n        /*0020*/  NOP;\n\
                       /*0030*/ EXIT ;\n\t.section\t.text.empty0,\"ax\",@progbits\n.text.empty0:\n .L_x_0:\n        \
                       /*0000*/  EXIT ;\n\t.section\t.nv.info\n";
        let found: Vec<(String, Counts)> =
            functions(listing).into_iter().map(|(name, f)| (name, f.counts(0).unwrap())).collect();
        assert_eq!(found, [("empty0".into(), all(1, 1, 1)), ("full0".into(), all(3, 2, 3))]);
    }
}
