//! The tables as one file, with its schema and licence.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::archive::{pack, unpack};
use super::check::place;
use super::folder::{copy, empty, files};
use crate::data;
use crate::run::{output, succeed};

/// Builds the archive.
pub fn build(root: &Path, out: &Path) -> Result<PathBuf, String> {
    let built = data::run(root)?;
    let folder = empty(&root.join("target/dist-build").join(name()))?;
    for file in files(&built)? {
        let name = file.file_name().ok_or_else(|| format!("{}: no name", file.display()))?;
        copy(&file, &folder.join(name))?;
    }
    let archive = pack(&folder)?;
    let name = archive.file_name().ok_or_else(|| format!("{}: no name", archive.display()))?;
    let to = out.join(name);
    copy(&archive, &to)?;
    Ok(to)
}

/// Unpacks the archive, compares the tables with their schema, which must refuse damaged ones, and runs the program of
/// their description.
pub fn check(out: &Path) -> Result<(), String> {
    let folder = place(out, "data")?;
    unpack(&out.join(format!("{}.tar.gz", name())), &folder)?;
    let folder = folder.join(name());
    let venv = folder.join("venv");
    output(Command::new("python3").args(["-m", "venv"]).arg(&venv))?;
    let python = || {
        let mut python = Command::new(venv.join("bin/python"));
        python.current_dir(&folder);
        python
    };
    let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "jsonschema"];
    succeed(python().args(pip))?;
    let validate = "import json, jsonschema
with open('ptxcvt.json') as data, open('ptxcvt.schema.json') as schema:
    data, schema = json.load(data), jsonschema.Draft202012Validator(json.load(schema))
schema.validate(data)
form, target, e4m3 = data['forms'][0], data['targets'][0], data['formats'][0]
form['since']['sm_999z'], form['new'] = '99.10', True
schema.validate(data)
for fields, key, wrong in [
    (form['since'], 'sm_90', '8'), (form['since'], 'sm89', '8.1'), (form['gates'][0], 'isa', 'v8.1'),
    (form, 'opcode', 'cvt rn'), (form['operands'], 0, 'f32'), (target, 'introduced', 'soon'),
    (target, 'withdrawn', '8'), (e4m3, 'max_finite', 'many'), (data['recipes'][0], 'scale', ''),
]:
    before = fields.copy()
    fields[key] = wrong
    assert not schema.is_valid(data), (key, wrong)
    fields.clear()
    fields.extend(before) if isinstance(fields, list) else fields.update(before)
schema.validate(data)";
    succeed(python().args(["-c", validate]))?;
    let readme = fs::read_to_string(folder.join("README.md")).map_err(|e| format!("README.md: {e}"))?;
    let program = readme.split_once("```python\n").and_then(|(_, rest)| rest.split_once("```"));
    let (program, _) = program.ok_or("README.md of the data: no program")?;
    succeed(python().args(["-c", program]))?;
    println!("tested: the data is as its schema says, and answers as its description says");
    Ok(())
}

/// The archive's folder, which is also its name.
fn name() -> String {
    format!("ptxcvt-data-{}", env!("CARGO_PKG_VERSION"))
}
