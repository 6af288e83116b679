//! Texts that name targets for which nothing may be built: messages, comparisons, values that a program computes.

use std::path::Path;

use super::super::read;
use super::names;

/// Statements of setup.py in which `FLAG` and `ENV` are texts that name sm_70; none of them builds for it.
const SAYS: [&str; 41] = [
    "\"\"\"\nBuild with ENV pip install\n\"\"\"",
    "'FLAG'",
    "def f():\n  \"\"\"Use FLAG\"\"\"",
    "class C: 'FLAG'",
    "def f(a,\n      b):\n  '''Use\n  FLAG\n  '''\n  pass",
    "print('FLAG')",
    "print('a', 'FLAG',\n  'b')",
    "logger.info(\n 'use FLAG')",
    "logging.getLogger(__name__).warning('use FLAG')",
    "warnings.warn('FLAG', stacklevel=2)",
    "raise RuntimeError(\n 'ENV is too old')",
    "raise RuntimeError('FLAG').with_traceback(x)",
    "assert x, (\n 'FLAG')",
    "sys.exit('need FLAG')",
    "sys.exit(\n  f'need FLAG'\n)",
    "raise SystemExit('FLAG')",
    "e = ValueError('FLAG')",
    "parser.add_argument('--arch', help='e.g. FLAG')",
    "parser.add_argument('--arch',\n  help='e.g. '\n  'FLAG')",
    "argparse.ArgumentParser(description='FLAG', epilog='ENV')",
    "parser.error('FLAG')",
    "setup(name='x', long_description='FLAG')",
    "setup(name='x', description='for FLAG')",
    "HELP = 'FLAG'",
    "__doc__ = 'FLAG'",
    "click.echo('FLAG')",
    "self.fail('FLAG')",
    // Comparisons.
    "flags = [f for f in flags if not f.startswith('FLAG')]",
    "flags = [f for f in flags if 'FLAG' not in f]",
    "flags = [f for f in flags if f != 'FLAG']",
    "if 'FLAG' in flags: pass",
    "if flag in ['FLAG', 'ENV']:\n  pass",
    "while has('FLAG'): pass",
    "x = flag == 'FLAG'",
    "x = flag in ('FLAG',)",
    "x = 1 if flag == 'FLAG' else 2",
    "n = flags.count('FLAG')",
    "flags.remove('FLAG')",
    "ok = supports_flag('FLAG')",
    "x = cache['FLAG']",
    "if x and (y or flag ==\n    'FLAG'): pass",
];

/// Statements that may or may not build for the target.
const UNKNOWN: [&str; 27] = [
    "cmake_args = [f'-DCMAKE_CUDA_ARCHITECTURES={archs}']",
    "cmake_args = ['-DCMAKE_CUDA_ARCHITECTURES=' + archs]",
    "cmake_args = ['-DCMAKE_CUDA_ARCHITECTURES={}'.format(archs)]",
    "cmake_args = ['-DCMAKE_CUDA_ARCHITECTURES=%s' % archs]",
    "cmake_args = ['-DCMAKE_CUDA_ARCHITECTURES={0};{1}'\n.format(a, b)]",
    "cmake_args = ['-DCMAKE_CUDA_ARCHITECTURES=' + ';'.join(archs)]",
    "os.environ['TORCH_CUDA_ARCH_LIST'] = '7.0' if x else '7.5'",
    "os.environ['TORCH_CUDA_ARCH_LIST'] = x or '7.0'",
    "os.environ['TORCH_CUDA_ARCH_LIST'] = '7' + minor",
    "os.environ['TORCH_CUDA_ARCH_LIST'] = '7.0' + more",
    "os.environ['TORCH_CUDA_ARCH_LIST'] = f'{major}.0'",
    "os.environ['TORCH_CUDA_ARCH_LIST'] = '%d.%d' % x",
    "os.environ['TORCH_CUDA_ARCH_LIST'] = '{}.0'.format(x)",
    "os.environ['TORCH_CUDA_ARCH_LIST'] = [f'{a}.0' for a in x]",
    "os.environ.setdefault('TORCH_CUDA_ARCH_LIST', archs)",
    "env = dict(os.environ, TORCH_CUDA_ARCH_LIST=archs)",
    "flags = ['-arch=sm_70' if x else '-arch=sm_75']",
    "flags = '-arch=sm_70' if x else '-arch=sm_75'",
    "flags = x or '-arch=sm_70'",
    "flags = ['-arch=sm_' + '7' + n]",
    "flags = ['-arch=sm_7' + n]",
    "flags = ['-arch=sm_70'.replace('70', n)]",
    "flags.append(best('-arch=sm_70'))",
    "for f in ['-arch=sm_70', '-arch=sm_75']:\n  pass",
    "flags = {'-arch=sm_70': 1}",
    "NOTE = 'set -arch=sm_70 if it is old'",
    "parser.add_argument('--flags', default='-arch=sm_70')",
];

/// Statements that build for sm_90a.
const SETS: [&str; 19] = [
    "extra = ['-arch=sm_90a']",
    "extra = [\n  '-arch',  # '-arch=sm_70'\n  'sm_90a',\n]",
    "extra = ('-O3 ' '-gencode arch=compute_90a,'\n 'code=sm_90a')",
    "extra = ['-gencode', 'arch=compute_' + '90a' + ',code=sm_90a']",
    "extra += ['-arch=sm_90a'] + other",
    "flags.append('-arch=sm_90a')",
    "flags.extend(['-O3', '-arch=sm_90a'])",
    "flags = '-O3 -arch=sm_90a'.split()",
    "return ['-arch=sm_90a']",
    "x = CUDAExtension('x', ['a.cu'], extra_compile_args={'cxx': [], 'nvcc': ['-arch=sm_90a']})",
    "make(nvcc_flags=['-arch=sm_90a'])",
    "subprocess.check_call('nvcc -arch=sm_90a k.cu', shell=True)",
    "subprocess.run(['nvcc', '-arch', 'sm_90a'])",
    "if x: flags = ['-arch=sm_90a']",
    "os.environ['TORCH_CUDA_ARCH_LIST'] = '9.0a'",
    "os.environ['TORCH_CUDA_ARCH_LIST'] = ['9.0a']",
    "env = {'TORCH_CUDA_ARCH_LIST': '9.0a', 'JOBS': '70'}",
    "TORCH_CUDA_ARCH_LIST: str = '9.0a'",
    "run(['cmake', '-DCMAKE_CUDA_ARCHITECTURES=90a', '-DX=70'])",
];

fn text(statement: &str) -> String {
    statement.replace("FLAG", "-arch=sm_70").replace("ENV", "TORCH_CUDA_ARCH_LIST=7.0")
}

#[test]
fn what_python_does_with_its_strings() {
    let says = SAYS.map(|statement| (text(statement), "", false));
    let unknown = UNKNOWN.map(|statement| (statement.to_owned(), "", true));
    let sets = SETS.map(|statement| (statement.to_owned(), "sm_90a", false));
    for (statement, targets, open) in says.into_iter().chain(unknown).chain(sets) {
        let found = (&names("setup.py", &statement)[..], read(Path::new("setup.py"), &statement).open);
        assert_eq!(found, (targets, open), "{statement}");
    }
}

/// In random programs each statement is read separately: no target is lost, and none is found that is not built.
#[test]
fn random_programs() {
    let mut random = ptxcvt::inputs::SplitMix64::new(5);
    for _ in 0..3_000 {
        let (mut program, mut sets, mut unknown) = (String::new(), false, false);
        for _ in 0..1 + random.below(5) {
            let statement = match random.below(3) {
                0 => text(SAYS[random.below(SAYS.len())]),
                1 => {
                    unknown = true;
                    UNKNOWN[random.below(UNKNOWN.len())].to_owned()
                }
                _ => {
                    sets = true;
                    SETS[random.below(SETS.len())].to_owned()
                }
            };
            let statement = match random.below(4) {
                0 => format!("if a:\n  {}", statement.replace('\n', "\n  ")),
                1 => format!("{statement}  # '-arch=sm_70', don't"),
                _ => statement,
            };
            program += &statement;
            program += ["\n", "\n\n", "\r\n", "\nx = 'it\\'s'\n"][random.below(4)];
            // So that no statement replaces what another one assigns.
            program += "step()\n";
        }
        let found = read(Path::new("setup.py"), &program);
        assert_eq!(names("setup.py", &program), if sets { "sm_90a" } else { "" }, "{program}");
        assert_eq!(found.open, unknown, "{program}");
    }
}

#[test]
fn texts_of_other_build_files() {
    for (file, text, targets, open) in [
        (
            "CMakeLists.txt",
            "add_custom_command(OUTPUT x COMMAND nvcc -arch=sm_90a -o x COMMENT \"for -arch=sm_70\")",
            "sm_90a",
            false,
        ),
        (
            "CMakeLists.txt",
            "add_custom_target(x COMMAND ${CMAKE_COMMAND} -E echo \"-arch=sm_70\" -arch=sm_75 DEPENDS y)",
            "",
            false,
        ),
        (
            "CMakeLists.txt",
            "add_custom_target(x COMMAND echo -arch=sm_70 COMMAND nvcc -arch=sm_90a)",
            "sm_90a",
            false,
        ),
        ("CMakeLists.txt", "check_compiler_flag(CUDA \"-arch=sm_70\" OK)", "", false),
        ("CMakeLists.txt", "set(NOTE \"set -arch=sm_70 if it is old\")", "", true),
        ("CMakeLists.txt", "set(FLAGS \"-O3 -arch=sm_90a\")", "sm_90a", false),
        // A default, which the user may override.
        (
            "CMakeLists.txt",
            "if(NOT CMAKE_CUDA_ARCHITECTURES)\n set(CMAKE_CUDA_ARCHITECTURES 80)\nendif()",
            "sm_80",
            true,
        ),
        (
            "CMakeLists.txt",
            "if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES) if(X)\nset(CMAKE_CUDA_ARCHITECTURES 80) endif() endif()",
            "sm_80",
            true,
        ),
        (
            "CMakeLists.txt",
            "if(\"${CMAKE_CUDA_ARCHITECTURES}\" STREQUAL \"\")\nset(CMAKE_CUDA_ARCHITECTURES 80)\nendif()",
            "sm_80",
            true,
        ),
        (
            "CMakeLists.txt",
            "if(DEFINED ENV{TORCH_CUDA_ARCH_LIST})\nelse()\nset(ENV{TORCH_CUDA_ARCH_LIST} 8.0)\nendif()",
            "sm_80",
            true,
        ),
        (
            "CMakeLists.txt",
            "if(NOT CMAKE_CUDA_ARCHITECTURES)\nendif()\nset(CMAKE_CUDA_ARCHITECTURES 80)",
            "sm_80",
            false,
        ),
        ("CMakeLists.txt", "find_path(X y DOC \"for -arch=sm_70\")", "", false),
        ("CMakeLists.txt", "define_property(TARGET PROPERTY X BRIEF_DOCS \"-arch=sm_70\")", "", false),
        ("Makefile", "define HELP\nuse -arch=sm_70\nendef\nF = -arch=sm_90a", "sm_90a", true),
        ("Makefile", "override define HELP\nwelcome\nendef\nF = -arch=sm_90a", "sm_90a", false),
        ("Makefile", "HELP = use -arch=sm_70 if it is old", "", true),
        ("Makefile", "NVCC = /usr/local/cuda/bin/nvcc -arch=sm_90a", "sm_90a", false),
        (
            "Makefile",
            "F = $(filter-out -arch=sm_70,$(G))\nifneq ($(findstring -arch=sm_70,$(F)),)\nendif",
            "",
            false,
        ),
        ("Makefile", "F := $(if $(findstring -arch=sm_70,$(G)),-arch=sm_90a)", "sm_90a", false),
        (
            "build.sh",
            "usage() { cat <<EOF\n  -arch=sm_70 for Volta\nEOF\n}\nnvcc -arch=sm_90a",
            "sm_90a",
            true,
        ),
        ("build.sh", "cat <<'END' > x\nwelcome\nEND\nnvcc -arch=sm_90a", "sm_90a", false),
        ("build.sh", "bash <<EOF\nnvcc -arch=sm_90a\nEOF", "sm_90a", false),
        (
            "build.sh",
            "case $F in\n  -arch=sm_70) echo old;;\n  *) nvcc -arch=sm_90a;;\nesac",
            "sm_90a",
            false,
        ),
        ("build.sh", "(cd x && nvcc -arch=sm_90a)", "sm_90a", false),
        ("Dockerfile", "RUN [\"nvcc\", \"-arch\", \"sm_90a\"]", "sm_90a", false),
        ("Dockerfile", "RUN [\"nvcc\",\"-gencode\",\"arch=compute_80,code=sm_80\"]", "sm_80", false),
        ("build.sh", "grep -q -- -arch=sm_70 flags || die \"no -arch=sm_70\"", "", false),
        ("build.sh", "sed -i 's/-arch=sm_70//' x", "", true),
        ("build.sh", "MESSAGE=\"build with -arch=sm_70 please\"", "", true),
        ("Dockerfile", "LABEL description=\"-arch=sm_70\"\nENV TORCH_CUDA_ARCH_LIST=9.0a", "sm_90a", false),
        ("setup.py", "f = ['-arch=sm_70', '-arch=sm_90a']\nf.remove('-arch=sm_70')", "sm_90a", true),
        (
            "setup.py",
            "def f():\n  f = ['-arch=sm_70', '-arch=sm_90a']\n  f.remove('-arch=sm_70')",
            "sm_90a",
            true,
        ),
        (
            "setup.py",
            "f = ['-arch=sm_70', '-arch=sm_90a']\nif x: f.remove('-arch=sm_70')",
            "sm_70 sm_90a",
            true,
        ),
        (
            "setup.py",
            "f = ['-arch=sm_70', '-arch=sm_90a']\nif x:\n  y()\n\n  f.remove('-arch=sm_70')",
            "sm_70 sm_90a",
            true,
        ),
        (
            "setup.py",
            "f = ['-arch=sm_70', '-arch=sm_90a']\nfor g in x:\n  with y:\n    f.remove('-arch=sm_70')",
            "sm_70 sm_90a",
            true,
        ),
        (
            "setup.py",
            "f = ['-arch=sm_70', '-arch=sm_90a']\nx and f.remove('-arch=sm_70')",
            "sm_70 sm_90a",
            true,
        ),
        ("pyproject.toml", "description = \"for -arch=sm_70\"\nargs = [\"-arch=sm_90a\"]", "sm_90a", false),
        (
            "CMakePresets.json",
            "{\"description\": \"-arch=sm_70\", \"v\": {\"CMAKE_CUDA_FLAGS\": \"-arch=sm_90a\"}}",
            "sm_90a",
            false,
        ),
        (
            "meson.build",
            "message('-arch=sm_70')\nexecutable('x', 'k.cu', cuda_args: ['-arch=sm_90a'])",
            "sm_90a",
            false,
        ),
        (
            "meson.build",
            "cuda = import('cuda')\nf = cuda.nvcc_arch_flags('13.0', '7.5', ['8.9', '9.0a+PTX'])",
            "sm_75 sm_89 sm_90a",
            false,
        ),
        ("meson.build", "f = cuda.nvcc_arch_flags(nvcc, '7.5', archs, detected: found)", "sm_75", true),
        ("meson.build", "f = cuda.nvcc_arch_flags(nvcc.version(), 'Auto')", "", true),
        ("meson.build", "flag = x ? '-arch=sm_70' : '-arch=sm_75'", "", true),
        ("xmake.lua", "set_description(\"-arch=sm_70\")\nadd_cuflags(\"-arch=sm_90a\")", "sm_90a", false),
        ("xmake.lua", "add_cuflags(\"-arch=sm_\" .. arch)", "", true),
        ("xmake.lua", "add_cugencodes(\"native\", \"sm_90a\")", "sm_90a", true),
        (
            "xmake.lua",
            "add_cugencodes(\"compute_80\", \"compute_100a,sm_103a\")\nadd_cugencodes 'sm_75,sm_86'",
            "sm_75 sm_80 sm_100a",
            false,
        ),
        ("xmake.lua", "add_cugencodes(\"sm_\" .. arch)\nadd_cugencodes(arch)", "", true),
        ("xmake.lua", "add_cugencodes(unpack(archs))", "", true),
        ("xmake.lua", "target:add(\"cugencodes\", \"native\", \"sm_90a\")", "sm_90a", true),
        (
            "xmake.lua",
            "on_load(function (target)\n  target:add('cugencodes', {'compute_80', 'compute_100a,sm_103a'})\nend)",
            "sm_80 sm_100a",
            false,
        ),
        ("xmake.lua", "target:set(\"cugencodes\", \"sm_75\")", "sm_75", false),
        ("xmake.lua", "target:add(\"cugencodes\", arch)", "", true),
        ("xmake.lua", "target:add(\"cuflags\", \"-arch=sm_75\")", "sm_75", false),
        ("xmake.lua", "target:add(\"defines\", \"sm_75\")", "", false),
        // Escapes of JSON.
        (
            "CMakePresets.json",
            r#"{"CMAKE_CUDA_\u0046LAGS": "\u002darch=sm_90\u0061", "CMAKE_CUDA_ARCHITECTURES\u0020": "70"}"#,
            "sm_90a",
            false,
        ),
        (
            "CMakePresets.json",
            r#"{"CMAKE_CUDA_\u0041RCHITECTURES": "90a;1\u00300", "X": "\"-arch=sm_70"}"#,
            "sm_70 sm_90a sm_100",
            false,
        ),
        (
            "CMakePresets.json",
            r#"{"CMAKE_CUDA_FLAGS": "-I\/x\/y\t-arch=sm_90a \ud83d\ude00 \ud83d"}"#,
            "sm_90a",
            false,
        ),
        // Names of options.
        (
            "setup.py",
            "parser.add_argument('-arch', '--gpu-architecture', default='')\nf = ['-arch=sm_90a']",
            "sm_90a",
            false,
        ),
        ("setup.py", "parser.add_argument('-arch', default='-arch=sm_70')", "", true),
        ("setup.py", "parser.add_argument(\n  '-gencode', help='x')", "", false),
        ("setup.py", "@click.option('-arch', '--generate-code')\ndef f(): pass", "", false),
    ] {
        let found = read(Path::new(file), text);
        assert_eq!((&names(file, text)[..], found.open || found.default), (targets, open), "{text}");
    }
}
