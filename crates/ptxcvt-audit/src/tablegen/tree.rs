//! The statements and values of TableGen as they are written.

use std::rc::Rc;

/// A value, with the line on which it begins.
#[derive(Clone, Debug)]
pub struct Expr {
    pub kind: Kind,
    pub line: u32,
}

/// The kinds of values.
#[derive(Clone, Debug)]
pub enum Kind {
    /// `?`
    Unset,
    Number(i64),
    Text(Rc<str>),
    /// `{a, b}`: bits, which no conversion needs.
    Bits,
    List(Vec<Expr>),
    /// `(op a:$x, b)`: the operator, then the operands and their names.
    Dag(Vec<(Option<Expr>, Option<Rc<str>>)>),
    Name(Rc<str>),
    /// `class<a, b>` as a value: a record without a name.
    Instance(ClassRef),
    /// `!op<type>(a, b)`
    Operator(Rc<str>, Option<Rc<str>>, Vec<Expr>),
    /// `!cond(a: b, …)`
    Cond(Vec<(Expr, Expr)>),
    /// `a # b`. `b` may be missing.
    Paste(Box<Expr>, Option<Box<Expr>>),
    /// `a.field`
    Field(Box<Expr>, Rc<str>),
    /// `a[i, …]`; the flag says whether the result is a list.
    Index(Box<Expr>, Vec<Range>, bool),
}

/// One index, or the first and last one.
pub type Range = (Expr, Option<Expr>);

/// A class or multiclass with its arguments.
#[derive(Clone, Debug)]
pub struct ClassRef {
    pub name: Rc<str>,
    pub args: Vec<(Option<Rc<str>>, Expr)>,
    pub line: u32,
}

/// A class, or a multiclass.
#[derive(Debug)]
pub struct Template<Body> {
    pub params: Vec<(Rc<str>, Option<Expr>)>,
    pub parents: Vec<ClassRef>,
    pub body: Vec<Body>,
}

/// A `let` around statements.
#[derive(Clone, Debug)]
pub enum Let {
    /// `let field = value in`
    Set(Rc<str>, Rc<Expr>),
    /// A `let` that could not be read, with the reason. The fields of the records in it are uncertain.
    Unread(Rc<str>),
}

pub type Lets = Rc<Vec<Let>>;

/// A line in the body of a class or record.
#[derive(Clone, Debug)]
pub enum Item {
    /// Declares a field or assigns it a new value.
    Field(Rc<str>, Option<Rc<Expr>>),
    Defvar(Rc<str>, Expr),
}

/// A statement, with its line.
#[derive(Clone, Debug)]
pub struct Statement {
    pub kind: Action,
    pub line: u32,
}

/// The kind and the contents of a statement.
#[derive(Clone, Debug)]
pub enum Action {
    Class(Rc<str>, Rc<Template<Item>>),
    Multiclass(Rc<str>, Rc<Template<Statement>>),
    Def(Option<Expr>, Vec<ClassRef>, Rc<Vec<Item>>),
    Defm(Option<Expr>, Vec<ClassRef>),
    Foreach(Rc<str>, Vec<Range>, Vec<Statement>),
    If(Expr, Vec<Statement>, Vec<Statement>),
    Let(Lets, Vec<Statement>),
    Defvar(Rc<str>, Expr),
    /// `defset`: collects the records of its statements in a list.
    Defset(Rc<str>, Vec<Statement>),
    /// `include`: the name of the file.
    Include(Rc<str>),
}
