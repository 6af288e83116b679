//! Random modules: prototypes with and without semicolon, linkage, parameter lists, declarations, tuning directives. About
//! half of them contain one mistake.

use std::fmt::Write as _;

use ptxcvt::inputs::SplitMix64;

/// A generator of random modules.
pub struct Modules {
    random: SplitMix64,
    /// Names used in this module.
    named: usize,
    /// True while this module's mistake has not been made.
    slip: bool,
}

/// A function declared now and defined later: the text between `.func` and the body.
struct Promise {
    signature: String,
    body: String,
}

impl Modules {
    pub fn new(seed: u64) -> Self {
        Self { random: SplitMix64::new(seed), named: 0, slip: false }
    }

    fn once_in(&mut self, n: usize) -> bool {
        self.random.below(n) == 0
    }

    fn pick<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.random.below(of.len())]
    }

    fn name(&mut self) -> String {
        self.named += 1;
        format!("{}{}", self.pick(&["f", "$g", "_h", "%k", "name_"]), self.named)
    }

    /// Returns `right`, or `wrong` once in a module that is to contain a mistake.
    fn or_slip<'a>(&mut self, right: &'a str, wrong: &[&'a str]) -> &'a str {
        if self.slip && self.once_in(6) {
            self.slip = false;
            return self.pick(wrong);
        }
        right
    }

    /// A module for `sm_90`.
    pub fn module(&mut self) -> String {
        (self.named, self.slip) = (0, self.once_in(2));
        let mut text = ".version 8.8\n.target sm_90\n.address_size 64\n".to_owned();
        if self.once_in(2) {
            text += ".file 1 \"a.cu\"\n";
        }
        let mut promised = Vec::new();
        for _ in 0..2 + self.random.below(7) {
            let item = match self.random.below(9) {
                0 | 1 => self.variable(),
                2 => self.external(),
                3 => {
                    let promise = self.promise();
                    let end = self.prototype_end(&promise.signature);
                    let text = format!(".func {}{end}", promise.signature);
                    promised.push(promise);
                    text
                }
                4 | 5 => self.function(),
                6 | 7 => self.kernel(),
                _ => self
                    .pick(&[".file 1 \"a.cu\"", ".section .debug_str { .b8 97, 0 }", "// nothing", ""])
                    .into(),
            };
            text += &item;
            text += "\n";
        }
        for promise in promised {
            let _ = writeln!(text, ".func {}\n{}", promise.signature, promise.body);
        }
        text + ".visible .entry last()\n{\nret;\n}\n"
    }

    /// The end of a function prototype: a semicolon or nothing.
    fn prototype_end(&mut self, signature: &str) -> &'static str {
        match self.random.below(3) {
            0 => "",
            // A function with a result must return.
            1 if !signature.starts_with('(') => " .noreturn;",
            _ => self.or_slip(";", &[";;", ",", " {", " x;"]),
        }
    }

    fn variable(&mut self) -> String {
        let space = self.pick(&[".global", ".global", ".const", ".shared"]);
        let common = space == ".global";
        let linkage = match self.random.below(6) {
            0 => ".visible ",
            1 => ".weak ",
            2 => ".extern ",
            3 if common => ".common ",
            _ => "",
        };
        let linkage =
            self.or_slip(linkage, &[".visible .weak ", ".hidden ", ".common .func ", ".weak\n.file "]);
        let align = match self.random.below(3) {
            0 => ".align 8 ",
            _ => "",
        };
        let ty = self.pick(&[".u32", ".b8", ".f32", ".s64", ".b16"]);
        let specifiers = match self.or_slip("right", &["order", "none"]) {
            "order" => format!("{ty} .align 4"),
            "none" => String::new(),
            _ => format!("{align}{ty}"),
        };
        let mut names = Vec::new();
        for _ in 0..=self.random.below(3) {
            let (name, array) = (self.name(), self.pick(&["", "", "[4]", "[2][3]"]));
            let valued = array.is_empty() && matches!(space, ".global" | ".const") && linkage.is_empty();
            let value = if valued && ty != ".f32" && self.once_in(3) { " = 5" } else { "" };
            names.push(format!("{name}{array}{value}"));
        }
        let between = self.or_slip(", ", &[" ", ",,"]);
        let end = self.or_slip(";", &["", ";;", ":"]);
        // A single name needs no separator.
        format!("{linkage}{space} {specifiers} {}{end}", names.join(between))
    }

    /// `( .param .b32 a, .reg .f32 b )`
    fn parameters(&mut self, entry: bool) -> String {
        let mut list = Vec::new();
        for _ in 0..self.random.below(4) {
            let name = self.name();
            let hidden = if entry && self.once_in(4) { ".hidden " } else { "" };
            let hidden = self.or_slip(hidden, &[".hidden .hidden ", ".visible ", ".weak "]);
            let right = if entry || self.once_in(2) { ".param" } else { ".reg" };
            let space = self.or_slip(right, &["", ".global", ".local"]);
            let ty = self.pick(&[".b32", ".u64", ".f32"]);
            let pointer = if right == ".param" && entry && ty == ".u64" && self.once_in(2) {
                self.pick(&[" .ptr", " .ptr .global", " .ptr .global .align 16", " .ptr .align 1"])
            } else {
                ""
            };
            let name = match self.or_slip("right", &["none", "value"]) {
                "none" => String::new(),
                "value" => format!("{name} = 4"),
                _ => name,
            };
            list.push(format!("{hidden}{space} {ty}{pointer} {name}"));
        }
        let between = self.or_slip(", ", &["; ", ",, "]);
        let (open, close) = (self.or_slip("(", &["", "(("]), self.or_slip(")", &["", ",)", "))"]));
        format!("{open}{}{close}", list.join(between))
    }

    fn signature(&mut self) -> String {
        let result = match self.random.below(3) {
            0 => format!("(.param .b32 {}) ", self.name()),
            1 => format!("(.reg .f32 {}) ", self.name()),
            _ => String::new(),
        };
        let (name, parameters) = (self.name(), self.parameters(false));
        format!("{result}{name} {parameters}")
    }

    fn external(&mut self) -> String {
        let signature = self.signature();
        let linkage = self.or_slip(".extern", &[".extern .visible", ".common", ".extern .extern"]);
        let end = self.prototype_end(&signature);
        format!("{linkage} .func {signature}{end}")
    }

    fn promise(&mut self) -> Promise {
        Promise { signature: self.signature(), body: self.body() }
    }

    fn function(&mut self) -> String {
        let linkage = self.pick(&["", ".visible ", ".weak "]);
        let linkage = self.or_slip(linkage, &[".visible .visible ", ".common ", ".hidden "]);
        let signature = self.signature();
        let tuning = self.or_slip("", &[".maxnreg 32", ".maxntid 32", ".pragma \"nounroll\";"]);
        format!("{linkage}.func {signature} {tuning}\n{}", self.body())
    }

    fn kernel(&mut self) -> String {
        let linkage = self.pick(&["", ".visible ", ".weak "]);
        let (name, parameters) = (self.name(), self.parameters(true));
        let mut tuning = String::new();
        for _ in 0..self.random.below(3) {
            tuning = self
                .pick(&[
                    ".maxntid 128, 1, 1",
                    ".minnctapersm 2 .maxntid 64",
                    ".reqntid 32",
                    ".maxnreg 64",
                    ".pragma \"nounroll\";",
                ])
                .to_owned();
        }
        let head = format!("{linkage}.entry {name} {parameters} {tuning}");
        // The prototype of a kernel needs a semicolon.
        match self.or_slip("body", &["prototype", "semicolon"]) {
            "prototype" => head,
            "semicolon" => format!("{head};;"),
            _ => format!("{head}\n{}", self.body()),
        }
    }

    fn body(&mut self) -> String {
        let mut text = "{\n.reg .b32 %r<9>; .reg .f32 %f<9>; .reg .b16 %h<9>; .reg .pred %p<3>;\n".to_owned();
        let mut open = 0;
        for _ in 0..self.random.below(8) {
            let end = self.or_slip(";", &["", ";;", ","]);
            let label = self.name();
            let line = match self.random.below(9) {
                0 => format!("cvt.rn.f16.f32 %h1, %f2{end}"),
                1 => format!("@%p1 cvt.rzi.s32.f32 %r1, %f2{end}"),
                2 => format!("add.u32 %r1, %r2, 7{end}"),
                3 => format!("{label}:"),
                4 => format!(".reg .v2 .f32 {label}{end}"),
                5 => format!(".local .align 4 .b8 {label}[16]{end}"),
                6 => {
                    open += 1;
                    "{ .reg .b32 %r<3>;".into()
                }
                7 if open > 0 => {
                    open -= 1;
                    "}".into()
                }
                _ => self.or_slip("", &[".visible .shared .b32 s;", ".entry", ".weak", "]", "@ ret;"]).into(),
            };
            text += &line;
            text += "\n";
        }
        text += &"}\n".repeat(open);
        text + "ret;\n" + self.or_slip("}\n", &["", "}}\n"])
    }
}
