//! The kernel printer: one PTX entry per form that converts whole columns of operands.
//!
//! PTX ISA sections 5.4 (`.entry` and its parameters), 9.7.9.9 `ld`, 9.7.9.12 `st`, and for the
//! conversion's own operands 9.7.9.21 and 9.7.9.22. Every operand has a column of its own width; each thread
//! processes one row after another, so a grid of any size covers every row.
//!
//! Only `cvt` and `cvt.pack` convert: the surrounding address arithmetic uses none of them, so that a
//! mistake of the hardware under test cannot hide in it.

use std::collections::BTreeMap;
use std::fmt::Write;

use ptxcvt::forms::{Operand, Role};
use ptxcvt::{Form, IsaVersion, Target};

/// The size in bytes of one row of an operand's column.
pub fn column_bytes(operand: &Operand) -> usize {
    operand.width as usize / 8
}

/// A module with one entry per form.
///
/// The parameters of each entry are the address of the destination column, the addresses of the source columns in PTX
/// order, and the number of rows, all `.u64`.
///
/// ```
/// use ptxcvt_conform::kernel;
/// let form = "cvt.rn.f16x2.f32".parse()?;
/// let text = kernel::module(&[form], "sm_80".parse()?, "7.0".parse()?);
/// assert!(text.contains("cvt.rn.f16x2.f32 %d, %a, %b;"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn module(forms: &[Form], target: Target, isa: IsaVersion) -> String {
    let mut text = format!(
        "// Written by ptxcvt: columns of operands in, a column of results out.\n\
         .version {isa}\n.target {target}\n.address_size 64\n"
    );
    for form in forms {
        entry(&mut text, form);
    }
    text
}

/// One entry.
fn entry(text: &mut String, form: &Form) {
    let operands: Vec<Operand> = form.operands().collect();
    // Writing to a `String` cannot fail.
    let mut line = |arguments: std::fmt::Arguments| {
        let _ = text.write_fmt(arguments);
        text.push('\n');
    };
    line(format_args!("\n// {form}\n.visible .entry {}(", form.identifier()));
    for operand in &operands {
        line(format_args!("    .param .u64 column_{},", letter(operand.role)));
    }
    line(format_args!("    .param .u64 rows)\n{{"));
    line(format_args!("    .reg .pred %done;\n    .reg .u32 %block, %threads, %thread, %blocks;"));
    line(format_args!("    .reg .u64 %row, %rows, %stride, %at;"));
    for operand in &operands {
        let letter = letter(operand.role);
        line(format_args!("    .reg .u64 %column_{letter};\n    .reg {} %{letter};", operand.register()));
    }
    for operand in &operands {
        let letter = letter(operand.role);
        line(format_args!("    ld.param.u64 %column_{letter}, [column_{letter}];"));
        line(format_args!("    cvta.to.global.u64 %column_{letter}, %column_{letter};"));
    }
    line(format_args!("    ld.param.u64 %rows, [rows];"));
    line(format_args!("    mov.u32 %block, %ctaid.x;\n    mov.u32 %threads, %ntid.x;"));
    line(format_args!("    mov.u32 %thread, %tid.x;\n    mov.u32 %blocks, %nctaid.x;"));
    // row = block * threads + thread; stride = blocks * threads.
    line(format_args!("    mul.wide.u32 %row, %thread, 1;\n    mad.wide.u32 %row, %block, %threads, %row;"));
    line(format_args!("    mul.wide.u32 %stride, %blocks, %threads;"));
    line(format_args!("next:\n    setp.ge.u64 %done, %row, %rows;\n    @%done bra finished;"));
    for operand in &operands[1..] {
        let letter = letter(operand.role);
        address(&mut line, operand);
        line(format_args!("    ld.global.{} %{letter}, [%at];", memory_type(operand)));
    }
    line(format_args!("    {form} {};", form.syntax_with(|_, operand| format!("%{}", letter(operand.role)))));
    address(&mut line, &operands[0]);
    line(format_args!("    st.global.{} [%at], %d;", memory_type(&operands[0])));
    line(format_args!("    add.u64 %row, %row, %stride;\n    bra next;\nfinished:\n    ret;\n}}"));
}

/// `%at` becomes the address of the row in the operand's column.
fn address(line: &mut impl FnMut(std::fmt::Arguments), operand: &Operand) {
    line(format_args!(
        "    mad.lo.u64 %at, %row, {}, %column_{};",
        column_bytes(operand),
        letter(operand.role)
    ));
}

/// The type of the load or store: `.b` of the operand's width.
fn memory_type(operand: &Operand) -> String {
    format!("b{}", operand.width)
}

/// The operand's name in the kernel: the manual's, with identifier characters only.
fn letter(role: Role) -> &'static str {
    match role {
        Role::ScaleFactor => "scale",
        other => other.name(),
    }
}

/// Every kernel of a target up to an ISA version: one module for each version that added forms, with its file
/// name and number of kernels. An older driver accepts the modules of its own versions.
pub fn modules(target: Target, newest: IsaVersion) -> Vec<Module> {
    modules_of(target, newest, |_| true)
}

/// Like [`modules`], but only with the forms that `wanted` selects.
pub fn modules_of(target: Target, newest: IsaVersion, wanted: impl Fn(&Form) -> bool) -> Vec<Module> {
    let mut groups: BTreeMap<IsaVersion, Vec<Form>> = BTreeMap::new();
    for form in forms(target, newest).into_iter().filter(wanted) {
        if let Some(since) = form.since(target) {
            groups.entry(since).or_default().push(form);
        }
    }
    let write = |(isa, forms): (IsaVersion, Vec<Form>)| Module {
        name: format!("{target}-isa-{isa}.ptx"),
        kernels: forms.len(),
        text: module(&forms, target, isa),
    };
    groups.into_iter().map(write).collect()
}

/// A file of kernels.
#[derive(Clone, Debug)]
pub struct Module {
    /// The file's name.
    pub name: String,
    /// The number of kernels.
    pub kernels: usize,
    /// Its PTX text.
    pub text: String,
}

/// The forms that a module of that target and version may use, in the order of the table, without those that
/// no assembler accepts yet: one of them would invalidate the module.
pub fn forms(target: Target, isa: IsaVersion) -> Vec<Form> {
    Form::all().filter(|form| form.is_legal(target, isa) && !form.is_announced()).collect()
}
