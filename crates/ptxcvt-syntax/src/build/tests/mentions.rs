//! Targets that build files compare, remove or report, or that are in lines which are never executed.

use std::path::Path;

use super::super::read;
use super::names;

/// Texts that name sm_70, which does not count as built, and if something may still be built for it.
const MAKE: [(&str, bool); 22] = [
    ("ifneq (,$(findstring -arch=sm_70,$(F)))\nX=1\nendif", false),
    ("ifeq ($(F), -arch=sm_70)\nX=1\nendif", false),
    ("G=$(findstring -arch=sm_70,$(F))", false),
    ("G=$(filter -arch=sm_70,$(F))", false),
    ("G := $(filter-out -arch=sm_70,$(F))", false),
    ("G=$(filter-out -arch=sm_70,-arch=sm_70 -O2)", false),
    ("G=$(filter -O%,-arch=sm_70)", true),
    ("G=$(subst -arch=sm_70,,$(F))", false),
    ("G=$(subst -O2,-arch=sm_70,$(F))", true),
    ("G=$(patsubst -arch=sm_70,-O2,$(F))", false),
    ("F:=$(F:-arch=sm_70=-O2)", false),
    ("F:=${F:-O2=-arch=sm_70}", true),
    ("F:=$(sort $(filter-out -arch=sm_70,$(F)))", false),
    ("ifeq (0,1)\nF=-arch=sm_70\nendif", false),
    ("ifneq \"a\" 'a'\nifdef X\nF=-arch=sm_70\nelse\nF=-arch=sm_70\nendif\nendif", false),
    ("ifeq (a, a)\nX=1\nelse ifdef X\nF=-arch=sm_70\nelse\nF=-arch=sm_70\nendif", false),
    ("all:\n\techo 1 && cuobjdump -arch sm_70 x.o", false),
    ("all:\n\t@$(CUOBJDUMP) -arch sm_70 x.o", false),
    ("DUMP = $(CUDA)/bin/cuobjdump -arch sm_70", false),
    ("all:\n\t>&2 echo -arch=sm_70", false),
    ("all:\n\tF=$${F//-arch=sm_70/} x", false),
    ("$(info use -arch=sm_70)", false),
];

const SHELL: [(&str, bool); 19] = [
    (">&2 echo -arch=sm_70", false),
    ("1>&2 echo -arch=sm_70", false),
    ("> log echo -arch=sm_70", false),
    ("&> log printf '%s' -arch=sm_70", false),
    ("LC_ALL=C echo -arch=sm_70 2>&1 | tee log", false),
    ("LC_ALL=C >&2 echo -arch=sm_70", false),
    ("A=${A//-arch=sm_70/}", false),
    ("A=\"${A/-arch=sm_70/-O2}\"", false),
    ("A=${A/-O2/-arch=sm_70}", true),
    ("A=${A%-arch=sm_70}", false),
    ("A=${A##-arch=sm_70}", false),
    ("A=(\"${A[@]/-arch=sm_70/}\")", false),
    ("cuobjdump -arch sm_70 x.o", false),
    ("/usr/local/cuda/bin/nvdisasm -arch=sm_70 x", false),
    ("\"$CUOBJDUMP\" -arch sm_70 x.o", false),
    ("export MSG=\"TORCH_CUDA_ARCH_LIST=7.0 is not supported\"", true),
    ("ptxas -arch=sm_70 x.ptx", false),
    ("log 2>&1 -arch=sm_70", false),
    ("read -r A <<< -arch=sm_70", false),
];

const CMAKE: [(&str, bool); 10] = [
    ("set(DOC [[ -arch=sm_70 ]])", false),
    ("set(DOC [=[\n nvcc -arch=sm_70\n]=])\nmessage(\"${DOC}\")", false),
    ("set(DOC [[-arch=sm_70]] CACHE STRING \"\")", true),
    ("include(x)\nset(DOC [[-arch=sm_70]])", true),
    ("f(DOC)\nset(DOC [[-arch=sm_70]])", true),
    ("set(DOC [[-arch=sm_70]] PARENT_SCOPE)", true),
    ("add_custom_command(OUTPUT x COMMAND cuobjdump -arch sm_70 x.o)", false),
    ("execute_process(COMMAND ${CUDA_CUOBJDUMP_EXECUTABLE} -arch sm_70 x.o)", false),
    ("execute_process(COMMAND ${X}/bin/nvdisasm -arch sm_70 x.o)", false),
    ("set(NOTE \"TORCH_CUDA_ARCH_LIST=7.0 is old\")", true),
];

const PYTHON: [(&str, bool); 9] = [
    ("if False:\n    a = ['-arch=sm_70']\n\n    if x:\n        a = ['-arch=sm_70']", false),
    ("if 0: a = ['-arch=sm_70']; b = ['-arch=sm_70']", false),
    ("def f():\n    while False:\n        os.environ['TORCH_CUDA_ARCH_LIST'] = '7.0'\n    g()", false),
    ("subprocess.check_output(['cuobjdump', '-arch', 'sm_70'])", false),
    ("run([f'{cuda}/bin/nvdisasm', '-arch', 'sm_70'])", false),
    ("setup(keywords=['-arch=sm_70'], classifiers=['-arch=sm_70'])", false),
    ("NOTE = 'TORCH_CUDA_ARCH_LIST=7.0 is old'", true),
    ("f.append('-gencode')\ng.append('arch=' + x)", true),
    ("f.append('-gencode')\nif x:\n    f.append('-O2')", true),
];

const TOML: [(&str, bool); 3] = [
    ("[project]\nkeywords = ['-arch=sm_70']", false),
    ("[project]\nreadme = { text = 'use -arch=sm_70' }", false),
    ("[project]\nclassifiers = [\n  '-arch=sm_70',\n]", false),
];

#[test]
fn what_is_compared_removed_or_reported_is_not_built() {
    let files = [
        ("Makefile", &MAKE[..], "F2 = -arch=sm_90a"),
        ("build.sh", &SHELL[..], "nvcc -arch=sm_90a"),
        ("CMakeLists.txt", &CMAKE[..], "set(CMAKE_CUDA_ARCHITECTURES 90a)"),
        ("setup.py", &PYTHON[..], "extra = ['-arch=sm_90a']"),
        ("pyproject.toml", &TOML[..], "args = ['-arch=sm_90a']"),
    ];
    for (file, texts, built) in files {
        for (text, open) in texts {
            for text in [format!("{built}\n{text}\n"), format!("{text}\n{built}\n")] {
                let found = (&names(file, &text)[..], read(Path::new(file), &text).open);
                assert_eq!(found, ("sm_90a", *open), "{file}: {text}");
            }
        }
    }
}

#[test]
fn nothing_after_the_end_of_a_script_is_built() {
    for before in
        ["", "if x; then y; fi\n", "f() {\n  y\n}\n", "for x in 1; do\n  y\ndone\n", "echo \"it's\"\n"]
    {
        for end in ["exit", "exit 0", "exit $?  # x", "exit 1;"] {
            let text = format!("{before}nvcc -arch=sm_90a\n{end}\nnvcc -arch=sm_70 k.cu\n");
            assert_eq!(names("build.sh", &text), "sm_90a", "{text}");
        }
    }
}

/// Texts that resemble those, and build for sm_90a.
#[test]
fn what_only_resembles_them_is_built() {
    for (file, text, open) in [
        ("Makefile", "G=$(filter -arch=sm_90a -arch=sm_70,-arch=sm_90a -O2)", false),
        ("Makefile", "G=$(filter-out -O2,-arch=sm_90a -O2)", false),
        ("Makefile", "F=-arch=sm_90a\nG=$(filter-out -arch=sm_90a,$(F))", true),
        ("Makefile", "F=-arch=sm_90a\nG=$(patsubst -arch=sm_90a,,$(F))", true),
        ("Makefile", "F=$(if $(findstring x,$(G)),-arch=sm_90a)", false),
        ("Makefile", "ifeq (1,1)\nF=-arch=sm_90a\nelse\nF=-arch=sm_70\nendif", false),
        ("Makefile", "ifeq (0,1)\nX=1\nelse\nF=-arch=sm_90a\nendif", false),
        ("Makefile", "ifeq (0,1)\nX=1\nelse ifdef X\nF=-arch=sm_90a\nendif", false),
        ("Makefile", "ifeq (0,1)\nendif\nF=-arch=sm_90a", false),
        ("Makefile", "ifeq ($(X),1)\nF=-arch=sm_90a\nendif", false),
        ("Makefile", "F=echo=1 -arch=sm_90a", false),
        ("Makefile", "all:\n\t$(PTXAS_FLAGS) -arch=sm_90a", false),
        ("build.sh", "nvcc -Xptxas -v -arch=sm_90a x.cu > log 2>&1", false),
        ("build.sh", "2>&1 nvcc -arch=sm_90a x.cu", false),
        ("build.sh", "nvcc -arch=sm_90a x.cu&>log", false),
        ("build.sh", "x & nvcc -arch=sm_90a x.cu", false),
        ("build.sh", "TORCH_CUDA_ARCH_LIST=9.0a python setup.py install", false),
        ("build.sh", "TORCH_CUDA_ARCH_LIST=9.0a sed -i s/-arch=sm_70// x", true),
        ("build.sh", "export F=\"${F} -arch=sm_90a\" G=${G//x/}", false),
        ("build.sh", "sh -c \"TORCH_CUDA_ARCH_LIST=9.0a make\"", false),
        ("build.sh", "docker build --build-arg \"TORCH_CUDA_ARCH_LIST=9.0a 9.0a+PTX\" .", false),
        ("build.sh", "if x; then\nexit 1\nfi\nnvcc -arch=sm_90a", false),
        ("build.sh", "f() {\nexit 1\n}\nnvcc -arch=sm_90a", false),
        ("build.sh", "(\nexit 1\n)\nnvcc -arch=sm_90a", false),
        ("build.sh", "for x in y; do\necho done\nexit 1\ndone\nnvcc -arch=sm_90a", false),
        ("build.sh", "sh -c '\nexit 0\n'\nnvcc -arch=sm_90a", false),
        ("build.sh", "bash <<EOF\nexit 0\nEOF\nnvcc -arch=sm_90a", false),
        ("build.sh", "x ||\n exit 1\nnvcc -arch=sm_90a", false),
        ("build.sh", "exit 0 | x\nnvcc -arch=sm_90a", false),
        ("CMakeLists.txt", "set(F [[-arch=sm_90a]])\nadd_compile_options(${F})", false),
        ("CMakeLists.txt", "set(CMAKE_CUDA_FLAGS [[-arch=sm_90a]])", false),
        ("CMakeLists.txt", "set(CMAKE_CUDA_ARCHITECTURES [[90a]])", false),
        ("CMakeLists.txt", "set(F [[-arch=sm_90a]])\nadd_compile_options(${${X}})", false),
        ("CMakeLists.txt", "add_custom_target(x COMMAND cuobjdump x COMMAND nvcc -arch=sm_90a)", false),
        ("setup.py", "if False:\n    x()\nelse:\n    a = ['-arch=sm_90a']", false),
        ("setup.py", "if False:\n    x()\n\na = ['-arch=sm_90a']", false),
        ("setup.py", "if False or x:\n    a = ['-arch=sm_90a']", false),
        ("setup.py", "a = ['-Xptxas', '-v', '-arch=sm_90a']", false),
        ("setup.py", "f.append('-gencode')\nf.append('arch=compute_90a,code=sm_90a')", false),
        ("setup.py", "def f():\n    f.append('-arch')  # x\n\n    f.append('sm_90a')", false),
    ] {
        assert_eq!((&names(file, text)[..], read(Path::new(file), text).open), ("sm_90a", open), "{text}");
    }
}

/// A value that a condition gives only if the user has given none.
#[test]
fn defaults_by_conditions_of_python() {
    let set = "os.environ['TORCH_CUDA_ARCH_LIST'] = '9.0a'";
    for (text, default) in [
        (format!("if 'TORCH_CUDA_ARCH_LIST' not in os.environ: {set}"), true),
        (format!("if \"TORCH_CUDA_ARCH_LIST\" not in os.environ:\n    {set}"), true),
        (format!("if not os.getenv('TORCH_CUDA_ARCH_LIST'):\n    x()\n    if y:\n\n        {set}"), true),
        (format!("if os.environ.get('TORCH_CUDA_ARCH_LIST'):\n    x()\nelse:\n    y()\n    {set}"), true),
        (format!("if 'TORCH_CUDA_ARCH_LIST' not in os.environ:\n    x()\n{set}"), false),
        (format!("if x:\n    {set}"), false),
        (set.to_owned(), false),
    ] {
        let found = read(Path::new("setup.py"), &text);
        let all = (&names("setup.py", &text)[..], found.open, found.default);
        assert_eq!(all, ("sm_90a", false, default), "{text}");
    }
}

/// Files that only `--targets-from` names.
#[test]
fn pipelines_and_files_of_options() {
    for (file, text, expected, open) in [
        ("ci.yml", "env:\n  TORCH_CUDA_ARCH_LIST: \"8.6;9.0\"  # 7.0", "sm_86 sm_90", false),
        ("ci.yaml", "  - TORCH_CUDA_ARCH_LIST: 8.6 9.0+PTX", "sm_86 sm_90", false),
        ("ci.yml", "  'CMAKE_CUDA_ARCHITECTURES': [\"86\", '90a']", "sm_86 sm_90a", false),
        ("ci.yml", "  TORCH_CUDA_ARCH_LIST: ${{ matrix.arch }}", "", true),
        ("ci.yml", "  TORCH_CUDA_ARCH_LIST: >-\n    9.0", "", true),
        ("ci.yml", "  TORCH_CUDA_ARCH_LIST:\n    - 9.0", "", true),
        ("ci.yml", "- name: with -arch=sm_70\n  run: nvcc -arch=sm_90a", "sm_90a", false),
        ("ci.yml", "- run: echo -arch=sm_70\n- run: exit 0\n- run: nvcc -arch=sm_90a", "sm_90a", false),
        ("ci.yml", "  run: |\n    CUDAARCHS=90 make\n    nvcc -arch=sm_86", "sm_86 sm_90", false),
        ("ci.yml", "environment:\n  - TORCH_CUDA_ARCH_LIST=9.0", "sm_90", false),
        ("flags.txt", "-gencode arch=compute_86,code=sm_86", "sm_86", false),
        ("flags.txt", "-O3\n-arch sm_90a\n", "sm_90a", false),
        ("archs.txt", "set(CMAKE_CUDA_ARCHITECTURES\n  90a)", "sm_90a", false),
    ] {
        assert_eq!((&names(file, text)[..], read(Path::new(file), text).open), (expected, open), "{text}");
    }
}
