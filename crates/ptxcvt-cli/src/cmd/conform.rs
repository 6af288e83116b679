//! `ptxcvt conform`: compares the table and the reference with a GPU, a codec, recorded vectors or an assembler.

use std::fmt::Display;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use ptxcvt::{Form, Target};
use ptxcvt_conform::assembler::Assembler;
use ptxcvt_conform::cases::Effort;
use ptxcvt_conform::driver::Driver;
use ptxcvt_conform::judge::{Judge, program};
use ptxcvt_conform::report::Comparison;
use ptxcvt_conform::vectors::File;
use ptxcvt_conform::{hardware, kernel, legality, replay};
use ptxcvt_files::whole;
use serde::Serialize;

use crate::args::{MachineArgs, NEWEST, isa_default, whole};
use crate::failure::{FINDINGS, Failure};
use crate::output;
use crate::progress::Progress;
use crate::walk;

#[derive(clap::Args)]
#[command(mut_arg("isa", isa_default(&format!("{NEWEST}; with --ptxas, every version"))))]
#[command(after_help = "\
Examples:
  ptxcvt conform --device --quick
  ptxcvt conform --program 'sh codec.sh' --conversion 'bf16->e4m3'
  ptxcvt conform recordings/
  ptxcvt conform --ptx kernels/ --target sm_90 --form e4m3
  ptxcvt conform --ptxas /usr/local/cuda/bin/ptxas --quick")]
#[command(group = clap::ArgGroup::new("what").required(true).args(["vectors", "device", "ptx", "ptxas", "program"]))]
pub struct Args {
    /// Files of recorded vectors, or folders of such files, to compare without a GPU
    #[arg(value_name = "PATH")]
    vectors: Vec<PathBuf>,
    /// Run every form on GPU number N (from 0) and compare every bit
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "0", value_parser = whole::<u32>(0..=1024))]
    device: Option<u32>,
    /// Write the kernels to this folder so that they can run elsewhere
    #[arg(long, value_name = "DIR")]
    ptx: Option<PathBuf>,
    /// Compare the legality of every form with this assembler
    #[arg(long, value_name = "PATH")]
    ptxas: Option<PathBuf>,
    /// Judge this program, a command line of `sh`: it reads numbers from standard input and writes a code for each
    #[arg(long, value_name = "CMD")]
    program: Option<String>,
    /// What the program converts, such as 'f32->e4m3'
    #[arg(long, value_name = "FROM->TO", requires = "program")]
    conversion: Option<String>,
    /// The longest time in which the program may neither read nor write
    #[arg(long, value_name = "SECONDS", default_value_t = 30, requires = "program")]
    #[arg(value_parser = whole(1..=u64::MAX))]
    timeout: u64,
    #[command(flatten)]
    machine: MachineArgs,
    /// Record the results of the GPU in this folder, one vector file per form
    #[arg(long, value_name = "DIR", requires = "device", conflicts_with_all = ["vectors", "ptx", "ptxas", "program"])]
    record: Option<PathBuf>,
    /// Only forms whose spelling contains this text; with --program, compare only with this form
    #[arg(long, value_name = "TEXT", conflicts_with = "ptxas")]
    form: Option<String>,
    /// Try all 2^32 inputs of forms with one 32-bit source
    #[arg(long, requires = "device", conflicts_with_all = ["quick", "vectors", "ptx", "ptxas"])]
    exhaustive: bool,
    /// Try a small selection of inputs
    #[arg(long, conflicts_with_all = ["vectors", "ptx"])]
    quick: bool,
    /// The library of the GPU driver, instead of the system's; also the variable PTXCVT_LIBCUDA
    #[arg(long, value_name = "PATH", requires = "device", conflicts_with_all = ["vectors", "ptx", "ptxas"])]
    driver: Option<PathBuf>,
    /// Print the report as JSON
    #[arg(long, conflicts_with = "ptx")]
    json: bool,
}

pub fn run(args: &Args) -> Result<ExitCode, Failure> {
    if let Some(ordinal) = args.device {
        args.refuse_machine("--device")?;
        args.hardware(ordinal)
    } else if let Some(folder) = &args.ptx {
        args.kernels(folder)
    } else if let Some(path) = &args.ptxas {
        args.legality(path)
    } else if let Some(command) = &args.program {
        args.refuse_machine("--program")?;
        args.codec(command)
    } else {
        args.refuse_machine("a replay")?;
        args.replay()
    }
}

impl Args {
    /// Refuses `--target` and `--isa`: a GPU or a recording determines them.
    fn refuse_machine(&self, what: &str) -> Result<(), Failure> {
        match (self.machine.target, self.machine.isa) {
            (None, None) => Ok(()),
            _ => Err(Failure::new(format!("--target and --isa cannot be used with {what}"))),
        }
    }

    fn hardware(&self, ordinal: u32) -> Result<ExitCode, Failure> {
        let environment = std::env::var_os("PTXCVT_LIBCUDA").map(PathBuf::from);
        let library = self.driver.clone().or(environment);
        let effort = match (self.quick, self.exhaustive) {
            (true, _) => Effort::Quick,
            (_, true) => Effort::Exhaustive,
            _ => Effort::Ordinary,
        };
        let options = hardware::Options {
            effort,
            filter: self.form.clone(),
            record: self.record.clone().map(|folder| hardware::Recorder {
                folder,
                create: |path| Ok(Box::new(output::create_folder(path)?)),
                write: |path, bytes| Ok(output::file(path, bytes)?),
            }),
            date: today(),
        };
        let device = Driver::open(library.as_deref()).and_then(|driver| driver.device(ordinal));
        let device = device.map_err(failed)?;
        let bar = Progress::counting(0, "launches");
        let report =
            hardware::run(&device, &options, &mut |step| bar.set(step.done, step.total)).map_err(failed)?;
        drop(bar);
        self.print(&report)
    }

    fn codec(&self, command: &str) -> Result<ExitCode, Failure> {
        let judge = if self.quick { self.judge()?.quick() } else { self.judge()? };
        let bar = Progress::counting(0, "inputs");
        let patience = Duration::from_secs(self.timeout);
        let verdict = program::judge(&judge, command, patience, &mut |done, total| bar.set(done, total));
        drop(bar);
        let verdict = verdict.map_err(failed)?;
        if self.json {
            output::json(&verdict)?;
        } else {
            writeln!(output::stdout(), "{verdict}")?;
        }
        Ok(if verdict.is_equal() { ExitCode::SUCCESS } else { FINDINGS })
    }

    /// The conversion with which a program is compared.
    fn judge(&self) -> Result<Judge, Failure> {
        let form = self.form.as_deref().map(crate::failure::form).transpose()?;
        let judge = Judge::named(self.conversion.as_deref(), form.as_ref()).map_err(failed)?;
        judge.ok_or_else(|| Failure::new("--program needs --conversion, such as --conversion 'f32->e4m3'"))
    }

    fn replay(&self) -> Result<ExitCode, Failure> {
        let mut files = Vec::new();
        for path in &self.vectors {
            let (mut found, unreadable) = walk::files(path, &["tsv"]);
            if let Some((path, error)) = unreadable.first() {
                return Err(at(path, error));
            }
            files.append(&mut found);
        }
        let mut report = Comparison { subject: None, forms: Vec::new() };
        let wanted = |form: &Form| self.form.as_ref().is_none_or(|part| form.to_string().contains(part));
        for path in &files {
            let name = path.display().to_string();
            let text = whole::list_file(path).map_err(|e| Failure::cannot_read(&name, output::reason(&e)))?;
            let mut file = File::parse(&name, &text).map_err(failed)?;
            file.entries.retain(|entry| wanted(&entry.form));
            let bar = Progress::counting(0, "digests");
            report.add(replay::run(&file, &mut |step| bar.set(step.done, step.total)));
            drop(bar);
        }
        self.print(&report)
    }

    fn print(&self, report: &Comparison) -> Result<ExitCode, Failure> {
        if report.forms.is_empty() {
            let with =
                self.form.as_ref().map_or(String::new(), |part| format!(" of a form with `{part}` in it"));
            return Err(Failure::new(format!("nothing was compared: no vector or kernel{with} was found")));
        }
        if self.json {
            let (inputs, differences) = (report.inputs(), report.differences());
            let deviations = report.deviations();
            output::json(&Totals { report, inputs, differences, deviations })?;
        } else {
            writeln!(output::stdout(), "{report}")?;
        }
        Ok(if report.differences() == 0 { ExitCode::SUCCESS } else { FINDINGS })
    }

    fn kernels(&self, folder: &Path) -> Result<ExitCode, Failure> {
        let isa = |target: Target| self.machine.isa.unwrap_or_else(|| target.newest());
        let targets: Vec<Target> = match self.machine.machine((None, None))?.target() {
            Some(target) => vec![target],
            None => Target::all().filter(|target| target.exists_in(isa(*target))).collect(),
        };
        let wanted = |form: &Form| self.form.as_ref().is_none_or(|part| form.to_string().contains(part));
        let modules = targets.iter().flat_map(|target| kernel::modules_of(*target, isa(*target), wanted));
        let modules: Vec<kernel::Module> = modules.collect();
        if modules.is_empty() {
            return Err(Failure::new(
                "no form with that text is legal there, so there is no kernel to write",
            ));
        }
        let _created = output::create_folder(folder)?;
        let (mut files, mut kernels) = (0, 0);
        for module in modules {
            let path = folder.join(&module.name);
            output::file(&path, module.text.as_bytes())?;
            files += 1;
            kernels += module.kernels;
        }
        let (kernels, files) = (ptxcvt::counted(kernels, "kernel"), ptxcvt::counted(files, "file"));
        writeln!(output::stdout(), "{kernels} in {files}")?;
        Ok(ExitCode::SUCCESS)
    }

    fn legality(&self, path: &Path) -> Result<ExitCode, Failure> {
        let assembler = Assembler::open(path).map_err(failed)?;
        if let Some(target) = self.machine.target.filter(|t| !assembler.targets.contains(t)) {
            let known: Vec<String> = assembler.targets.iter().map(Target::to_string).collect();
            let message = format!("{}: this assembler does not build for {target}", path.display());
            return Err(Failure::new(message).with_help(format!("it builds for {}", known.join(" "))));
        }
        if let Some(isa) = self.machine.isa.filter(|isa| *isa > assembler.newest) {
            let message =
                format!("{}: this assembler takes ISA {} at most", path.display(), assembler.newest);
            return Err(Failure::new(message).with_help(format!("ISA {isa} needs a newer one")));
        }
        let options =
            legality::Options { target: self.machine.target, isa: self.machine.isa, quick: self.quick };
        let bar = Progress::counting(0, "comparisons");
        let result = legality::run(&assembler, &options, &mut |step| bar.set(step.done, step.total))
            .map_err(failed)?;
        drop(bar);
        if self.json {
            output::json(&result)?;
        } else {
            writeln!(output::stdout(), "{result}")?;
        }
        Ok(if result.differences() == 0 { ExitCode::SUCCESS } else { FINDINGS })
    }
}

/// The report with its totals.
#[derive(Serialize)]
struct Totals<'r> {
    #[serde(flatten)]
    report: &'r Comparison,
    inputs: u64,
    differences: u64,
    deviations: u64,
}

fn failed(error: impl Display) -> Failure {
    Failure::new(error.to_string())
}

fn at(path: &Path, error: &io::Error) -> Failure {
    Failure::new(format!("{}: {}", path.display(), output::reason(error)))
}

/// Today's date in UTC, such as `2001-12-31`; `None` if the clock is set to a time before 1970.
fn today() -> Option<String> {
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).ok()?;
    Some(date(since_1970.as_secs() / 86_400))
}

/// The date `days` days after 1 January 1970. An era has 400 years, and each year begins in March.
fn date(days: u64) -> String {
    let days = days + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let shifted = (5 * day + 2) / 153;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = era * 400 + year + u64::from(month <= 2);
    format!("{year:04}-{month:02}-{:02}", day - (153 * shifted + 2) / 5 + 1)
}

#[cfg(test)]
mod tests {
    #[test]
    fn dates() {
        for (days, text) in [
            (0, "1970-01-01"),
            (59, "1970-03-01"),
            (11_016, "2000-02-29"),
            (19_782, "2024-02-29"),
            (24_837, "2038-01-01"),
        ] {
            assert_eq!(super::date(days), text);
        }
    }
}
