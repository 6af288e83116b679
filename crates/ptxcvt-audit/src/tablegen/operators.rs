//! The operators of TableGen that need only the values of their operands.

use std::rc::Rc;

use super::value::{Dag, Value};

type Outcome = Result<Value, Value>;

/// The longest list and dag, and the longest string in bytes: text that asks for more is not a backend of LLVM.
pub const LONGEST: usize = 100_000;

/// Applies `!name`. The error is an unknown value, too, with its reason.
pub fn apply(name: &str, args: &[Value]) -> Outcome {
    if let Some(unknown) = args.iter().find(|value| matches!(value, Value::Unknown(_))) {
        return Err(unknown.clone());
    }
    match (name, args) {
        ("strconcat", _) => concat(args),
        ("listconcat", _) => lists(args).map(|lists| Value::list(lists.concat())),
        ("listsplat", [value, count]) => Ok(Value::list(vec![value.clone(); limited(count)?])),
        ("listremove", [from, what]) => {
            let (from, what) = (from.as_list()?, what.as_list()?);
            Ok(Value::list(from.iter().filter(|value| !what.contains(value)).cloned().collect()))
        }
        ("add" | "sub" | "mul" | "and" | "or" | "xor" | "shl" | "sra" | "srl", [first, rest @ ..]) => {
            let first = first.as_number()?;
            rest.iter().try_fold(first, |a, b| arithmetic(name, a, b.as_number()?)).map(Value::Number)
        }
        ("not", [value]) => Ok(Value::bit(value.as_number()? == 0)),
        ("eq" | "ne" | "lt" | "le" | "gt" | "ge", [a, b]) => compare(name, a, b),
        ("size", [value]) => Ok(Value::Number(size(value)? as i64)),
        ("empty", [value]) => Ok(Value::bit(size(value)? == 0)),
        ("head", [list]) => {
            list.as_list()?.first().cloned().ok_or_else(|| Value::unknown("an empty list has no head"))
        }
        ("tail", [list]) => Ok(Value::list(list.as_list()?.iter().skip(1).cloned().collect())),
        ("range", _) => range(args),
        ("interleave", [list, between]) => {
            let texts: Result<Vec<_>, _> = list.as_list()?.iter().map(shown).collect();
            text(texts?.join(between.as_text()?))
        }
        ("tolower", [value]) => text(value.as_text()?.to_lowercase()),
        ("toupper", [value]) => text(value.as_text()?.to_uppercase()),
        ("subst", [from, to, whole]) => match (from, to, whole) {
            (Value::Text(from), Value::Text(to), Value::Text(whole)) if !from.is_empty() => {
                text(whole.replace(&**from, to))
            }
            _ if whole == from => Ok(to.clone()),
            _ => Ok(whole.clone()),
        },
        ("substr", [value, from, length @ ..]) => {
            let (value, from) = (value.as_text()?, limited(from)?);
            let length = length.first().map_or(Ok(usize::MAX), limited)?;
            text(value.chars().skip(from).take(length).collect())
        }
        ("find", [value, what]) => {
            let at = value.as_text()?.find(&**what.as_text()?);
            Ok(Value::Number(at.map_or(-1, |at| at as i64)))
        }
        ("dag", [operator, values, names]) => dag(operator, values, names),
        ("con", _) => con(args),
        ("getdagop", [value]) => Ok(value.as_dag()?.operator.clone()),
        ("setdagop", [value, operator]) => Ok(Value::dag(operator.clone(), value.as_dag()?.operands.clone())),
        ("getdagarg", [value, key]) => Ok(value.as_dag()?.operands[operand(value, key)?].0.clone()),
        ("getdagname", [value, key]) => {
            let name = value.as_dag()?.operands[operand(value, key)?].1.clone();
            Ok(name.map_or(Value::Unset, Value::Text))
        }
        ("setdagarg", [value, key, new]) => {
            let mut operands = value.as_dag()?.operands.clone();
            operands[operand(value, key)?].0 = new.clone();
            Ok(Value::dag(value.as_dag()?.operator.clone(), operands))
        }
        ("setdagname", [value, key, new]) => {
            let mut operands = value.as_dag()?.operands.clone();
            operands[operand(value, key)?].1 = Some(new.as_text()?.clone());
            Ok(Value::dag(value.as_dag()?.operator.clone(), operands))
        }
        _ => Err(Value::unknown(format!(
            "`!{name}` with {} is not known",
            ptxcvt::counted(args.len(), "operand")
        ))),
    }
}

fn text(text: String) -> Outcome {
    if text.len() > LONGEST {
        Err(Value::unknown("a string is too long"))
    } else {
        Ok(Value::Text(text.into()))
    }
}

/// A number as the length of a list.
fn limited(value: &Value) -> Result<usize, Value> {
    let number = usize::try_from(value.as_number()?).ok().filter(|number| *number <= LONGEST);
    number.ok_or_else(|| Value::unknown("a list is too long"))
}

/// A value in a string.
fn shown(value: &Value) -> Result<String, Value> {
    match value {
        Value::Number(number) => Ok(number.to_string()),
        other => other.as_text().map(|text| text.to_string()),
    }
}

/// Joins two strings, as `#` does, or two lists.
pub fn paste(a: &Value, b: &Value) -> Value {
    let joined = match (a, b) {
        (Value::List(_), Value::List(_)) => apply("listconcat", &[a.clone(), b.clone()]),
        (Value::Dag(_), Value::Dag(_)) => apply("con", &[a.clone(), b.clone()]),
        _ => concat(&[a.clone(), b.clone()]),
    };
    joined.unwrap_or_else(|unknown| unknown)
}

fn concat(args: &[Value]) -> Outcome {
    let texts: Result<Vec<_>, _> = args.iter().map(shown).collect();
    text(texts?.concat())
}

fn lists(args: &[Value]) -> Result<Vec<Vec<Value>>, Value> {
    let lists: Vec<Vec<Value>> =
        args.iter().map(|list| list.as_list().map(|l| l.to_vec())).collect::<Result<_, _>>()?;
    if lists.iter().map(Vec::len).sum::<usize>() > LONGEST {
        return Err(Value::unknown("a list is too long"));
    }
    Ok(lists)
}

fn arithmetic(name: &str, a: i64, b: i64) -> Result<i64, Value> {
    let shift = u32::try_from(b).ok().filter(|shift| *shift < 64);
    let missing = || Value::unknown("a number is shifted too far");
    Ok(match name {
        "add" => a.wrapping_add(b),
        "sub" => a.wrapping_sub(b),
        "mul" => a.wrapping_mul(b),
        "and" => a & b,
        "or" => a | b,
        "xor" => a ^ b,
        "shl" => a << shift.ok_or_else(missing)?,
        "sra" => a >> shift.ok_or_else(missing)?,
        "srl" => ((a as u64) >> shift.ok_or_else(missing)?) as i64,
        _ => unreachable!("`apply` lists the operators"),
    })
}

fn compare(name: &str, a: &Value, b: &Value) -> Outcome {
    let order = match (a, b) {
        (Value::Number(a), Value::Number(b)) => a.cmp(b),
        (Value::Text(a), Value::Text(b)) => a.cmp(b),
        _ => match name {
            "eq" => return Ok(Value::bit(a == b)),
            "ne" => return Ok(Value::bit(a != b)),
            _ => return Err(Value::unknown(format!("`!{name}` compares numbers and strings"))),
        },
    };
    Ok(Value::bit(match name {
        "eq" => order.is_eq(),
        "ne" => order.is_ne(),
        "lt" => order.is_lt(),
        "le" => order.is_le(),
        "gt" => order.is_gt(),
        "ge" => order.is_ge(),
        _ => unreachable!("`apply` lists the comparisons"),
    }))
}

/// Values in the order of their keys, which are numbers or strings.
pub fn sorted(mut keyed: Vec<(Value, Value)>) -> Outcome {
    if keyed.iter().all(|(key, _)| key.as_number().is_ok()) {
        keyed.sort_by_key(|(key, _)| key.as_number().ok());
    } else {
        for (key, _) in &keyed {
            key.as_text()?;
        }
        keyed.sort_by_key(|(key, _)| key.as_text().ok().cloned());
    }
    Ok(Value::list(keyed.into_iter().map(|(_, value)| value).collect()))
}

fn size(value: &Value) -> Result<usize, Value> {
    match value {
        Value::Text(text) => Ok(text.len()),
        Value::Dag(dag) => Ok(dag.operands.len()),
        list => list.as_list().map(|list| list.len()),
    }
}

fn range(args: &[Value]) -> Outcome {
    let numbers = match args {
        [Value::List(list)] => vec![0, list.len() as i64],
        _ => args.iter().map(Value::as_number).collect::<Result<Vec<_>, _>>()?,
    };
    let (from, to, step) = match numbers[..] {
        [to] => (0, to, 1),
        [from, to] => (from, to, 1),
        [_, _, 0] => return Err(Value::unknown("the step of `!range` is 0")),
        [from, to, step] => (from, to, step),
        _ => return Err(Value::unknown("`!range` takes one to three numbers")),
    };
    let numbers = progression(from.into(), to.into(), step.into())?;
    Ok(Value::list(numbers.into_iter().map(Value::Number).collect()))
}

/// The numbers from `from` on, with this distance, before `to`. The ends are wider than the numbers so that `to` can be one
/// beyond the last of these.
pub fn progression(from: i128, to: i128, step: i128) -> Result<Vec<i64>, Value> {
    let count = ((to - from) * step.signum() + step.abs() - 1).max(0) / step.abs();
    if count > LONGEST as i128 {
        return Err(Value::unknown("a list is too long"));
    }
    Ok((0..count).map(|n| (from + n * step) as i64).collect())
}

fn dag(operator: &Value, values: &Value, names: &Value) -> Outcome {
    let (values, names) = match (values, names) {
        (Value::Unset, names) => (vec![Value::Unset; names.as_list()?.len()], names.as_list()?.to_vec()),
        (values, Value::Unset) => (values.as_list()?.to_vec(), vec![Value::Unset; values.as_list()?.len()]),
        (values, names) => (values.as_list()?.to_vec(), names.as_list()?.to_vec()),
    };
    if values.len() != names.len() {
        return Err(Value::unknown("the lists of `!dag` have different lengths"));
    }
    let name = |value: Value| value.as_text().ok().cloned();
    let operands = values.into_iter().zip(names.into_iter().map(name)).collect();
    Ok(Value::dag(operator.clone(), operands))
}

fn con(args: &[Value]) -> Outcome {
    let dags: Vec<&Rc<Dag>> = args.iter().map(Value::as_dag).collect::<Result<_, _>>()?;
    let Some(first) = dags.first() else { return Err(Value::unknown("`!con` needs a dag")) };
    if dags.iter().map(|dag| dag.operands.len()).sum::<usize>() > LONGEST {
        return Err(Value::unknown("a dag is too long"));
    }
    let operands = dags.iter().flat_map(|dag| dag.operands.iter().cloned()).collect();
    Ok(Value::dag(first.operator.clone(), operands))
}

/// The index of an operand that a number or a name says.
fn operand(dag: &Value, key: &Value) -> Result<usize, Value> {
    let operands = &dag.as_dag()?.operands;
    let at = match key {
        Value::Text(name) => operands.iter().position(|(_, other)| other.as_ref() == Some(name)),
        key => usize::try_from(key.as_number()?).ok().filter(|at| *at < operands.len()),
    };
    at.ok_or_else(|| Value::unknown("a dag has no such operand"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(args: &[i64]) -> Outcome {
        apply("range", &args.iter().copied().map(Value::Number).collect::<Vec<_>>())
    }

    fn is_unknown(outcome: Outcome, reason: &str) {
        assert_eq!(outcome, Err(Value::unknown(reason)));
    }

    #[test]
    fn a_range_goes_up_or_down() {
        let list = |numbers: &[i64]| Ok(Value::list(numbers.iter().copied().map(Value::Number).collect()));
        assert_eq!(numbers(&[3]), list(&[0, 1, 2]));
        assert_eq!(numbers(&[2, 7, 2]), list(&[2, 4, 6]));
        assert_eq!(numbers(&[5, 0, -1]), list(&[5, 4, 3, 2, 1]));
        assert_eq!(numbers(&[5, 0, -3]), list(&[5, 2]));
        assert_eq!(numbers(&[5, 0]), list(&[]));
        assert_eq!(numbers(&[0, 5, -1]), list(&[]));
        is_unknown(numbers(&[0, 5, 0]), "the step of `!range` is 0");
        is_unknown(numbers(&[i64::MIN, i64::MAX]), "a list is too long");
        is_unknown(numbers(&[i64::MAX, i64::MIN, -1]), "a list is too long");
        is_unknown(numbers(&[1, 2, 3, 4]), "`!range` takes one to three numbers");
    }

    /// Nothing is cut off: a value that would be too long, or whose parts do not fit, is unknown.
    #[test]
    fn no_value_is_cut() {
        let list = |len: usize| Value::list(vec![Value::Number(1); len]);
        let dag = |len: usize| apply("dag", &[Value::text("op"), list(len), Value::Unset]).expect("a dag");
        is_unknown(apply("con", &[dag(LONGEST), dag(1)]), "a dag is too long");
        let joined = apply("con", &[dag(LONGEST - 1), dag(1)]).expect("a dag");
        assert_eq!(apply("size", &[joined]), Ok(Value::Number(LONGEST as i64)));
        is_unknown(
            apply("dag", &[Value::text("op"), list(2), list(3)]),
            "the lists of `!dag` have different lengths",
        );
        is_unknown(apply("listconcat", &[list(LONGEST), list(1)]), "a list is too long");
        is_unknown(
            apply("listsplat", &[Value::Number(1), Value::Number(LONGEST as i64 + 1)]),
            "a list is too long",
        );
        let long = Value::text(&"x".repeat(LONGEST + 1));
        is_unknown(apply("substr", &[long, Value::Number(0)]), "a string is too long");
    }
}
