//! The operands of a C++ condition: variables, constants of other classes, and calls.

use std::collections::HashMap;
use std::rc::Rc;

use super::Preprocessor;
use super::cast::without_casts;
use super::expression::{closing, evaluate, spelled};
use super::predefined::predefined;
use super::scopes::Declared;
use super::token::Token;
use super::value::{BY_TARGET, Numbers, QUALIFIED, Unknowns, VARIABLE, is_member};
use crate::cpp::arithmetic;

/// Words whose arguments are not evaluated.
const UNEVALUATED: [&str; 5] = ["sizeof", "alignof", "decltype", "noexcept", "typeid"];

fn is(token: &Token, operator: &str) -> bool {
    matches!(token, Token::Operator(other) if *other == operator)
}

impl Preprocessor {
    /// Tokens without casts, with a flag in place of each variable and of each unreadable operand of `&&`, `||` and
    /// `!`. Unless `has_variables`, every name is a constant.
    pub(super) fn operands(&mut self, tokens: Vec<Token>, has_variables: bool) -> Vec<Token> {
        let named = self.with_flags(&without_casts(tokens), has_variables);
        self.readable(&named)
    }

    /// Tokens with flags in place of the unreadable operands of `&&`, `||` and `!`.
    fn readable(&mut self, tokens: &[Token]) -> Vec<Token> {
        let (mut depth, mut from, mut done) = (0, 0, Vec::new());
        let at_top = |token: &Token, depth: &mut i32| {
            *depth += i32::from(is(token, "(")) - i32::from(is(token, ")"));
            *depth == 0
        };
        if tokens.iter().any(|token| at_top(token, &mut depth) && is(token, "?")) {
            return self.operand(tokens);
        }
        depth = 0;
        for (at, token) in tokens.iter().enumerate() {
            if at_top(token, &mut depth) && (is(token, "&&") || is(token, "||")) {
                done.extend(self.readable(&tokens[from..at]));
                done.push(token.clone());
                from = at + 1;
            }
        }
        let last = &tokens[from..];
        if from > 0 {
            done.extend(self.readable(last));
            return done;
        }
        let is_group = |tokens: &[Token]| closing(tokens, 0).is_some_and(|end| end + 1 == tokens.len());
        match last {
            [not, rest @ ..] if is(not, "!") && (rest.len() == 1 || is_group(rest)) => {
                [vec![not.clone()], self.readable(rest)].concat()
            }
            [open, inner @ .., close] if is_group(last) => {
                [vec![open.clone()], self.readable(inner), vec![close.clone()]].concat()
            }
            _ => self.operand(last),
        }
    }

    /// An operand in parentheses, or the flag in place of it.
    fn operand(&mut self, tokens: &[Token]) -> Vec<Token> {
        let flags = Rc::make_mut(&mut self.flags);
        if evaluate(tokens, Numbers::Code, flags).is_some() {
            return [vec![Token::Operator("(")], tokens.to_vec(), vec![Token::Operator(")")]].concat();
        }
        let name = flags.fresh();
        let has = |sign: char| {
            tokens.iter().any(|token| matches!(token, Token::Final(name) if name.contains(sign)))
        };
        let has_member = !has(VARIABLE)
            && tokens.iter().any(|token| matches!(token, Token::Final(name) if is_member(name)));
        let depends = has(BY_TARGET) || has_member || self.depends(tokens).0;
        vec![Token::Final(match (depends, has(VARIABLE)) {
            (true, _) => format!("{BY_TARGET}{name}"),
            (false, true) => format!("{VARIABLE}{name}"),
            (false, false) => name,
        })]
    }

    /// Tokens with one flag in place of each name with its members, arguments and subscripts.
    fn with_flags(&mut self, tokens: &[Token], has_variables: bool) -> Vec<Token> {
        let is_changed = |pair: &[Token]| {
            pair[1] == Token::Other("=".to_owned())
                || (is(&pair[0], "+") && is(&pair[1], "+"))
                || (is(&pair[0], "-") && is(&pair[1], "-"))
        };
        // A variable may have another value later in the condition.
        let mut changes = tokens.windows(2).any(is_changed);
        // The flags of names that may be variables, or that several things have: other conditions have other flags.
        let mut own: HashMap<String, String> = HashMap::new();
        let (mut done, mut at) = (Vec::new(), 0);
        while at < tokens.len() {
            let (Token::Name(name) | Token::Final(name)) = &tokens[at] else {
                done.push(tokens[at].clone());
                at += 1;
                continue;
            };
            let end =
                if name == "__CUDA_ARCH_HAS_FEATURE__" { at + 1 } else { self.end_of_name(tokens, at + 1) };
            let whole = &tokens[at..end];
            let is_plain = whole.len() == 1;
            let known = |token: &Token| match token {
                Token::Name(name) | Token::Final(name) => self.variables.get(name).map(|known| known.at),
                _ => None,
            };
            let tested: Vec<usize> = whole.iter().filter_map(known).collect();
            if !tested.is_empty() {
                Rc::make_mut(&mut self.flags).tested.extend(tested);
            }
            let is_dependent = self.dependent.contains(name)
                || self.declared.objects.contains(name)
                || self.differs(name)
                || self.branched(name, false) == Some(true);
            // The compiler may know it, or something else of this name is a constant.
            let is_known = match is_plain {
                true => {
                    self.scopes.may_be_known(name)
                        || self.may_be_known(name)
                        || self.branched(name, false).is_some()
                }
                false => is(&whole[1], "(") && self.branched(name, true).is_some(),
            };
            let depends = if is_plain { is_dependent } else { self.depends(whole).0 };
            let is_variable = has_variables
                && !UNEVALUATED.contains(&&name[..])
                && !is_known
                && whole.iter().any(|token| self.is_variable(token));
            let is_call = whole.last().is_some_and(|token| is(token, ")"));
            let is_only_call = closing(tokens, at + 1).is_some_and(|close| close + 1 == end);
            let text = spelled(whole).unwrap_or_default();
            // The declaration of a constant function is no definition of a constant.
            let own_names = &whole[usize::from(is_call && self.is_constant_call(whole))..];
            let is_own =
                depends || is_known || own_names.iter().any(|token| self.may_differ(token, has_variables));
            let flag = match is_own && (depends || !is_variable) {
                true if changes => Rc::make_mut(&mut self.flags).fresh(),
                true => {
                    let flags = &mut self.flags;
                    own.entry(text.clone()).or_insert_with(|| Rc::make_mut(flags).fresh()).clone()
                }
                false => String::new(),
            };
            done.push(match (depends, is_variable) {
                (true, _) => {
                    changes |= is_call;
                    Token::Final(format!("{BY_TARGET}{text}{flag}"))
                }
                (false, true) => {
                    changes |= is_call;
                    let number = if changes { Rc::make_mut(&mut self.flags).fresh() } else { String::new() };
                    Token::Final(format!("{VARIABLE}{text}{number}"))
                }
                // Each call of a function may return another result.
                (false, false) if is_call && has_variables && !self.is_constant_call(whole) => {
                    let number = Rc::make_mut(&mut self.flags).fresh();
                    Token::Final(format!("{text}{number}"))
                }
                // A constant call has the same meaning as in a directive.
                (false, false) if !is_own && (is_plain || is_only_call) => {
                    done.extend_from_slice(whole);
                    at = end;
                    continue;
                }
                (false, false) => Token::Final(format!("{text}{flag}")),
            });
            at = end;
        }
        done
    }

    /// True for the call of a `constexpr` function, of a macro (recognised by its capitals), or of an operator that the
    /// compiler evaluates.
    fn is_constant_call(&self, call: &[Token]) -> bool {
        let Some(Token::Name(name) | Token::Final(name)) = call.first() else { return false };
        // `::A::f§A::f` stands for `A::f`.
        let name = name.split(QUALIFIED).next().unwrap_or(name);
        let last = name.rsplit("::").next().unwrap_or(name);
        let is_macro = !name.contains(|c: char| c.is_ascii_lowercase() || c == ':');
        is_macro || self.declared.constants.contains(last) || UNEVALUATED.contains(&last)
    }

    /// The tokens without the arguments of templates of functions that depend on the target: their results are unknown,
    /// whatever the arguments are, and in `f<800>()` the brackets look like comparisons.
    pub(super) fn without_arguments(&self, mut tokens: Vec<Token>) -> Vec<Token> {
        let mut at = 0;
        while at + 1 < tokens.len() {
            let (Token::Name(name) | Token::Final(name)) = &tokens[at] else {
                at += 1;
                continue;
            };
            let last = name.rsplit("::").next().unwrap_or(name);
            at += 1;
            if !is(&tokens[at], "<") || !self.declared.functions.contains(last) {
                continue;
            }
            let mut depth = 0;
            let end = (at..tokens.len()).find(|at| {
                let token = &tokens[*at];
                depth +=
                    i32::from(is(token, "<")) - i32::from(is(token, ">")) - 2 * i32::from(is(token, ">>"));
                depth <= 0
            });
            if let Some(end) = end.filter(|end| tokens.get(end + 1).is_some_and(|next| is(next, "("))) {
                tokens.drain(at..=end);
            }
        }
        tokens
    }

    /// The end of the members, arguments and subscripts after a name.
    fn end_of_name(&self, tokens: &[Token], mut at: usize) -> usize {
        let other =
            |at: usize, text: &str| matches!(tokens.get(at), Some(Token::Other(other)) if other == text);
        let is_name = |at: usize| matches!(tokens.get(at), Some(Token::Name(_) | Token::Final(_)));
        let is_arrow =
            |at: usize| tokens.get(at..at + 2).is_some_and(|two| is(&two[0], "-") && is(&two[1], ">"));
        loop {
            at = if let Some(end) = closing(tokens, at) {
                end + 1
            } else if other(at, ".") && is_name(at + 1) {
                at + 2
            } else if is_arrow(at) && is_name(at + 2) {
                at + 3
            } else if other(at, "[") {
                let mut depth = 0;
                let end = (at..tokens.len()).find(|at| {
                    depth += i32::from(other(*at, "[")) - i32::from(other(*at, "]"));
                    depth == 0
                });
                match end {
                    Some(end) => end + 1,
                    None => return at,
                }
            } else {
                return at;
            };
        }
    }

    /// True for a name that may have another value elsewhere: the file defines it, perhaps in several scopes, or it is a
    /// member that may be a variable. `has_variables`: the condition may read variables.
    fn may_differ(&self, token: &Token, has_variables: bool) -> bool {
        let (Token::Name(name) | Token::Final(name)) = token else { return false };
        if !name.contains("::") {
            return self.scopes.get(name).is_some();
        }
        let name = name.split(QUALIFIED).next().unwrap_or(name);
        let last = name.rsplit("::").next().unwrap_or(name);
        let is_trait = last == "value" || last.ends_with("_v");
        has_variables && !is_capital(last) && !is_trait && !self.declared.constants.contains(last)
    }

    /// True for a name that may be a variable, or a function with a result that is not constant. Constants are written
    /// in capitals or with a leading `k`, are members of classes, or are declared as constants.
    pub(super) fn is_variable(&self, token: &Token) -> bool {
        /// Words in constant expressions, besides names of types.
        const WORDS: [&str; 4] = ["sizeof", "alignof", "true", "false"];
        let (Token::Name(name) | Token::Final(name)) = token else { return false };
        let Declared { parameters, constants, variables, functions, .. } = &*self.declared;
        if parameters.contains(name) || constants.contains(name) || functions.contains(name) {
            return false;
        }
        let is_constant = (is_capital(name) && !variables.contains(name)) || name.contains("::");
        let is_word = WORDS.contains(&&name[..]) || arithmetic(name).is_some();
        !is_constant && !is_word && predefined(name).is_none()
    }
}

/// True for a name in capitals or with a leading `k`, as constants have.
pub(crate) fn is_capital(name: &str) -> bool {
    let mut after_k = name.strip_prefix('k').unwrap_or_default().chars();
    !name.contains(|c: char| c.is_ascii_lowercase())
        || after_k.next().is_some_and(|c| c == '_' || c.is_ascii_uppercase())
}

/// Tokens with one name in place of `A::B` and of `A<B>::C`. It differs from the names of the file's macros and
/// constants.
pub(super) fn qualified(tokens: Vec<Token>) -> Vec<Token> {
    let mut done: Vec<Token> = Vec::new();
    let mut at = 0;
    let word = |token: Option<&Token>| match token {
        Some(Token::Name(name)) => Some(name.clone()),
        _ => None,
    };
    let colons =
        |at: usize| tokens[at.min(tokens.len())..].starts_with(&[Token::Operator(":"), Token::Operator(":")]);
    while at < tokens.len() {
        let leads = colons(at) && word(tokens.get(at + 2)).is_some();
        let start = at + if leads { 2 } else { 0 };
        let Some(mut name) = word(tokens.get(start)) else {
            done.push(tokens[at].clone());
            at += 1;
            continue;
        };
        let (mut end, mut is_qualified) = (start + 1, leads);
        loop {
            let brackets = arguments_end(&tokens, end);
            let after = brackets.unwrap_or(end);
            if colons(after) && word(tokens.get(after + 2)).is_some() {
                name = format!("{name}::{}", word(tokens.get(after + 2)).expect("it is a name"));
                (end, is_qualified) = (after + 3, true);
                continue;
            }
            if brackets.is_some() && (is_qualified || name.ends_with("_v")) {
                (end, is_qualified) = (after, true);
            }
            break;
        }
        done.push(match is_qualified {
            // Equal names with different template arguments are different constants, so the arguments are part of the
            // name.
            true => Token::Final(format!("::{name}{QUALIFIED}{}", spelling(&tokens[start..end]))),
            false => tokens[at].clone(),
        });
        at = end;
    }
    done
}

/// A text that is equal for equal tokens.
fn spelling(tokens: &[Token]) -> String {
    spelled(tokens).unwrap_or_default().replace(' ', "")
}

/// The end of the template arguments that begin at `open`. `None` if there are no such arguments.
fn arguments_end(tokens: &[Token], open: usize) -> Option<usize> {
    let mut depth = 0;
    for (at, token) in tokens.iter().enumerate().skip(open) {
        match token {
            Token::Operator("<") => depth += 1,
            Token::Operator(">") => depth -= 1,
            Token::Operator(">>") => depth -= 2,
            Token::Operator("&&" | "||" | "(" | "?") => return None,
            _ => {}
        }
        if depth <= 0 {
            return (at > open).then_some(at + 1);
        }
    }
    None
}
