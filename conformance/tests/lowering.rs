//! The committed records match today's lowerings and header.

use std::collections::BTreeSet;

use ptxcvt::{Form, Format, IsaVersion, Target};
use ptxcvt_conformance::cost::{codecs, headers};
use ptxcvt_conformance::lowering::{Line, RECORD, all, line};
use ptxcvt_conformance::page;
use ptxcvt_conformance::record::{self, Digest};
use ptxcvt_conformance::{cost, cuda, words};
use ptxcvt_lower::lower;
use ptxcvt_lower::render::{AdapterError, cuda_adapter, cutlass, triton};
use ptxcvt_lower::word::{Order, Shape, Variant};

#[test]
fn every_lowering_of_today_has_been_assembled() {
    let recorded = Line::parse(&record::read(RECORD).unwrap()).unwrap();
    let stale: Vec<String> = recorded
        .iter()
        .filter(|(known, _)| line(&all(known.target, known.isa).unwrap(), known.target, known.isa) != *known)
        .map(|(known, _)| known.target.to_string())
        .collect();
    assert!(
        stale.is_empty(),
        "changed since ptxas saw it: {stale:?}; run `ptxcvt-conformance -- lowering DIR`"
    );
}

/// The record lacks only targets that no assembler supports.
#[test]
fn every_target_is_recorded() {
    let recorded = Line::parse(&record::read(RECORD).unwrap()).unwrap();
    let missing =
        Target::all().filter(|t| t.sm() >= 50 && recorded.iter().all(|(line, _)| line.target != *t));
    assert_eq!(missing.map(|t| t.to_string()).collect::<Vec<_>>(), [""; 0]);
}

/// nvcc and clang compiled today's header.
#[test]
fn the_header_of_today_has_been_compiled() {
    let digest = Digest::of_text(&cuda::source().unwrap().1);
    let forms = ptxcvt_lower::render::default_forms().count().to_string();
    // The second column of one record and the third of the other have the number of forms.
    for (name, command, column) in [(cuda::HEADER, "cuda", 1), (cuda::clang::RECORD, "clang", 2)] {
        let recorded = record::read(name).unwrap();
        let expected = format!("# digest of the text: {digest}");
        let advice = format!("{expected}: run `ptxcvt-conformance -- {command}`");
        assert!(recorded.lines().any(|line| line == expected), "{advice}");
        assert!(record::rows(&recorded).count() > 0, "{advice}");
        for row in record::rows(&recorded) {
            assert_eq!(row[column], forms, "{name}: {row:?}");
        }
    }
}

/// Triton compiled today's modules of `--adapter triton`, and the record has every form of words.
#[test]
fn the_modules_of_today_have_been_compiled_by_triton() {
    let recorded = record::read("triton.tsv").unwrap();
    let head = recorded.lines().next().unwrap();
    let (_, isa) = head.split_once("--isa ").unwrap_or_else(|| panic!("{head}: no version of PTX ISA"));
    let isa: IsaVersion = isa.split('`').next().unwrap().parse().unwrap();
    let targets =
        recorded.lines().find_map(|line| line.strip_prefix("#\t\t")).expect("a line with the targets");
    let targets: Vec<Target> = targets.split('\t').map(|target| target.parse().unwrap()).collect();
    let (mut forms, mut texts) = (BTreeSet::new(), String::new());
    for fields in record::rows(&recorded) {
        let [opcode, options, counts @ ..] = &fields[..] else { panic!("{fields:?}") };
        let form: Form = opcode.parse().unwrap();
        forms.insert(form.to_string());
        let (order, elements) = match *options {
            "" => (Order::Memory, None),
            "--order interleaved" => (Order::Interleaved, Some(Shape::register(form).unwrap().elements())),
            other => panic!("{other}"),
        };
        assert_eq!(counts.len(), targets.len(), "{fields:?}");
        for (target, count) in targets.iter().zip(counts) {
            let variant = Variant { order, ..Variant::default() };
            match triton(form, elements, variant, *target, isa) {
                Ok(text) => {
                    assert_ne!(*count, "-", "{opcode} {options} on {target}");
                    // The first line names the version of ptxcvt.
                    texts += text.split_once('\n').expect("a module has lines").1;
                }
                Err(error) => assert_eq!(*count, "-", "{opcode} {options} on {target}: {error}"),
            }
        }
    }
    let wanted: BTreeSet<String> =
        words::shapes().unwrap().iter().map(|shape| shape.form().to_string()).collect();
    assert_eq!(forms, wanted);
    let digest = format!("# digest of the text: {}", Digest::of_text(&texts));
    let advice = "run `python3 conformance/header/triton_adapter.py PTXCVT`";
    assert!(recorded.lines().any(|line| line == digest), "{digest}: {advice}");
}

/// Compilers accepted today's headers of the adapters, with every form that they have.
#[test]
fn the_adapters_of_today_have_been_compiled() {
    let recorded = record::read("adapters.tsv").unwrap();
    let advice = "run `python3 conformance/header/adapters.py PTXCVT CUTLASS NVCC`";
    type Render = fn(&[Form]) -> Result<String, AdapterError>;
    let renders: [(&str, Render); 2] = [("cutlass", cutlass), ("cuda", cuda_adapter)];
    for (adapter, render) in renders {
        let head = format!("# digest of the text for {adapter}: ");
        let line = recorded.lines().find_map(|line| line.strip_prefix(&head)).expect(advice);
        let (digest, forms) = line.split_once("; forms: ").expect(advice);
        let forms: Vec<Form> = forms.split(' ').map(|opcode| opcode.parse().unwrap()).collect();
        let text = render(&forms).unwrap();
        // The first line names the version of ptxcvt.
        let current = Digest::of_text(text.split_once('\n').expect("a header has lines").1);
        assert_eq!(digest, current.to_string(), "{adapter}: {advice}");
        // CUDA's headers for clang have no ue5m3 yet.
        let is_new =
            |form: &Form| [form.source(), form.destination()].iter().any(|ty| ty.format() == Format::Ue5m3);
        for form in Form::all().filter(|form| !is_new(form) && !forms.contains(form)) {
            assert!(render(&[form]).is_err(), "{adapter} has {form}: {advice}");
        }
        let compiled = record::rows(&recorded).filter(|row| row[0] == adapter).count();
        assert_eq!(compiled, 5, "{adapter}");
    }
}

/// `--adapter cuda` has every function of CUDA's headers that is one form, with the values of its parameters.
#[test]
fn the_adapter_for_cuda_has_every_function() {
    let mut count = 0;
    for (form, call) in cuda::names::known().unwrap() {
        let Some((name, arguments)) = call.split_once('(').filter(|(name, _)| name.starts_with("__nv_cvt_"))
        else {
            continue;
        };
        let text = cuda_adapter(&[form]).unwrap_or_else(|e| panic!("{form}: {e}"));
        let (_, function) =
            text.split_once(&format!(" {name}(const ")).unwrap_or_else(|| panic!("{form} is not in {name}"));
        for value in arguments.trim_end_matches(')').split(", ").skip(1) {
            assert!(function.contains(&format!(" == {value}")), "{form}: {call}\n{function}");
        }
        count += 1;
    }
    assert!(count >= 34, "{count} functions");
}

/// The cost table in the docs matches the record, and the record's variants and kernels are today's.
#[test]
fn the_page_has_the_costs_of_the_record() {
    let recorded = record::read(headers::RECORD).unwrap();
    let kernels = format!("# digest of the kernels: {}", headers::kernels().unwrap());
    assert!(recorded.lines().any(|line| line == kernels), "{kernels}: run `ptxcvt-conformance -- cost DIR`");
    let costs = headers::Cost::parse(&recorded).unwrap();
    assert!(
        page::COSTS.read().unwrap().contains(&headers::table(&costs, &cost::of_projects("sm_80").unwrap())),
        "docs/generated/costs.md is old: run `ptxcvt-conformance -- cost DIR`"
    );
    for cost in &costs {
        let names = [cost.target.introduced(), cost.target.newest()]
            .map(|isa| lower(cost.form, cost.target, isa).unwrap().name().to_owned());
        assert!(names.contains(&cost.variant), "{cost:?}: {names:?}");
        // A sequence must not cost more than any path through NVIDIA's code.
        assert!(cost.cuda.is_none_or(|cuda| cost.ours <= cuda.shortest), "{cost:?}");
    }
}

/// The counts of public codecs are of the committed functions. The docs have them, and a verdict on every codec.
#[test]
fn the_page_has_the_counts_of_the_codecs() {
    let lines = codecs::Line::parse(&record::read(codecs::RECORD).unwrap()).unwrap();
    let page = page::COMPILED.read().unwrap();
    assert!(
        page::COSTS.read().unwrap().contains(&codecs::table(&lines).unwrap()),
        "docs/generated/costs.md is old: run `ptxcvt-conformance -- cost DIR`"
    );
    let found: Vec<&str> = lines.iter().map(|line| line.file.as_str()).collect();
    assert_eq!(found, codecs::CODECS.map(|(file, _)| file));
    for (line, (file, title)) in lines.iter().zip(codecs::CODECS) {
        assert_eq!(line.text, Digest::of_text(&codecs::text(file).unwrap()), "{file} has changed");
        assert!(page.contains(&format!("| {title} | ")), "no verdict on {title}");
        assert!(line.counts.shortest <= line.counts.longest && line.counts.longest <= line.counts.all);
    }
}
