//! Targets in lines of build files of every kind.

mod uses;

use super::*;

#[test]
fn the_docs_list_the_build_files() {
    let docs = include_str!("../../../../../docs/sources.md");
    let begin = docs.find("- Without either, the targets are those of").expect("a sentence");
    let sentence = &docs[begin..][..docs[begin..].find(" in the folder of").expect("its end")];
    let named: Vec<&str> = sentence.split('`').skip(1).step_by(2).collect();
    assert_eq!(named, FILES);
}

fn names(file: &str, text: &str) -> String {
    let mut targets = read(Path::new(file), text).targets;
    targets.sort();
    targets.dedup();
    targets.iter().map(|target| target.to_string()).collect::<Vec<_>>().join(" ")
}

/// A list that always gets a new value has no other, unless something was built with the old one.
#[test]
fn the_last_value_of_a_list_counts() {
    for (text, expected) in [
        ("set(ARCHS 80)\nset(ARCHS 90)", "sm_90"),
        ("set(ARCHS 80)\nset(X 1)\nproject(p CUDA)\nlist(APPEND ARCHS 86)\nset(ARCHS 90)", "sm_90"),
        ("if(X)\nset(ARCHS 80)\nendif()\nset(ARCHS 90)", "sm_90"),
        ("set(ARCHS 90)\nlist(APPEND ARCHS 80)", "sm_80 sm_90"),
        ("set(ARCHS 80)\nif(X)\nset(ARCHS 90)\nendif()", "sm_80 sm_90"),
        ("set(ARCHS 80)\nadd_library(a a.cu)\nset(ARCHS 90)", "sm_80 sm_90"),
        ("set(ARCHS 80)\nset(ARCHS 90 CACHE STRING \"\")", "sm_80 sm_90"),
        ("set(TORCH_CUDA_ARCH_LIST 8.0)\nset(ARCHS 90)", "sm_80 sm_90"),
        ("set(ARCHS 80)\nunset(ARCHS)\nset(ARCHS 90)", "sm_90"),
        ("set(ARCHS 80)\nunset(X)\nset(ARCHS 90)", "sm_90"),
        ("set(ARCHS 80)\nif(X)\nunset(ARCHS)\nendif()", "sm_80"),
        ("set(ARCHS 90)\nstring(APPEND ARCHS \";80\")", "sm_80 sm_90"),
        ("set(ARCHS 90)\nstring(PREPEND ARCHS 80 \";\")", "sm_80 sm_90"),
        ("set(ARCHS 90)\nstring(JOIN \";\" ARCHS 80 86)", "sm_80 sm_86"),
        ("set(ARCHS 90)\nstring(CONCAT ARCHS 8 0 \";86\")", "sm_80 sm_86"),
        ("set(ARCHS 90)\nset(ARCHS \"${ARCHS};80\")", "sm_80 sm_90"),
        ("set(ARCHS 90)\nset(ARCHS ${ARCHS} 80)", "sm_80 sm_90"),
        ("set(ARCHS 90)\nset(ARCHS ${ARCHS} PARENT_SCOPE)", "sm_90"),
        ("set(ARCHS 80)\nfunction(f)\nset(ARCHS 90)\nendfunction()", "sm_80 sm_90"),
        ("macro(f)\nset(ARCHS 80)\nendmacro()\nset(ARCHS 90)\nf()", "sm_80 sm_90"),
        ("function(f)\nset(ARCHS 80 PARENT_SCOPE)\nendfunction()\nset(ARCHS 90)\nf()", "sm_80 sm_90"),
        ("set(ARCHS 75 80 90)\nlist(REMOVE_ITEM ARCHS 75 80)", "sm_90"),
        ("set(ARCHS 75 90)\nif(X)\nlist(REMOVE_ITEM ARCHS 75)\nendif()", "sm_75 sm_90"),
        ("set(ARCHS 75 90)\nadd_library(a a.cu)\nlist(REMOVE_ITEM ARCHS 75)", "sm_75 sm_90"),
        ("set(TORCH_CUDA_ARCH_LIST 7.5)\nset(ARCHS 75 90)\nlist(REMOVE_ITEM ARCHS 75)", "sm_75 sm_90"),
        ("set(ARCHS 75)\nlist(REMOVE_ITEM ARCHS 75)\nlist(APPEND ARCHS 75 90)", "sm_75 sm_90"),
    ] {
        let text = text.replace("ARCHS", "CMAKE_CUDA_ARCHITECTURES");
        assert_eq!(names("CMakeLists.txt", &text), expected, "{text}");
        let found = read(Path::new("CMakeLists.txt"), &text);
        assert_eq!((found.open, found.default), (false, text.contains("CACHE")), "{text}");
    }
}

/// The effect of a command on a list is followed or noted.
#[test]
fn commands_that_change_a_list() {
    for (command, changes) in [
        ("string(APPEND ARCHS 0)", true),
        ("string(PREPEND ARCHS 7)", true),
        ("string(JOIN , ARCHS 80 86)", true),
        ("string(REPLACE \"9\" \"8\" ARCHS \"${ARCHS}\")", true),
        ("string(REGEX REPLACE \"9\" \"8\" ARCHS \"${ARCHS}\")", true),
        ("set(ARCHS \"${ARCHS}0\")", true),
        ("unset(ARCHS CACHE)", true),
        ("list(GET X 0 ARCHS)", true),
        ("list(JOIN X \";\" ARCHS)", true),
        ("list(TRANSFORM X APPEND a OUTPUT_VARIABLE ARCHS)", true),
        ("math(EXPR ARCHS \"8 * 10\")", true),
        ("foreach(ARCHS 80)\nendforeach()", true),
        ("file(STRINGS f ARCHS)", true),
        ("choose(ARCHS)", true),
        ("list(LENGTH ARCHS n)", false),
        ("list(APPEND NAMES ARCHS)", false),
        ("list(REMOVE_DUPLICATES ARCHS)", false),
        ("foreach(x IN LISTS ARCHS)\nendforeach(ARCHS)", false),
        ("string(REPLACE \"9\" \"8\" x \"${ARCHS}\")", false),
        ("mark_as_advanced(ARCHS)", false),
        ("message(ARCHS)", false),
        ("get_target_property(x t CUDA_ARCHITECTURES)", false),
    ] {
        let text = format!("set(ARCHS 90)\n{command}").replace("ARCHS", "CMAKE_CUDA_ARCHITECTURES");
        assert_eq!(read(Path::new("CMakeLists.txt"), &text).open, changes, "{text}");
    }
}

/// The values of a default are known, and a build may override them.
#[test]
fn defaults_of_shells() {
    for (text, expected) in [
        ("export TORCH_CUDA_ARCH_LIST=\"${TORCH_CUDA_ARCH_LIST:-7.5 8.0 9.0}\"", "sm_75 sm_80 sm_90"),
        ("export TORCH_CUDA_ARCH_LIST=\"${TORCH_CUDA_ARCH_LIST:=7.5 8.0}\"", "sm_75 sm_80"),
        ("cmake -DCMAKE_CUDA_ARCHITECTURES=\"${ARCHS:-75;80}\"", "sm_75 sm_80"),
    ] {
        let found = read(Path::new("build.sh"), text);
        let all = (&names("build.sh", text)[..], found.open, found.default);
        assert_eq!(all, (expected, false, true), "{text}");
    }
}

#[test]
fn targets_of_build_files() {
    for (file, text, expected) in [
        ("Makefile", "nvcc -arch=sm_90a x.cu", "sm_90a"),
        (
            "Makefile",
            "nvcc -gencode arch=compute_100a,code=sm_100a -gencode=arch=compute_80,code=[sm_80,compute_80]",
            "sm_80 sm_100a",
        ),
        (
            "CMakeLists.txt",
            "set(CMAKE_CUDA_ARCHITECTURES\n  80\n  \"90a-real;120f-virtual\")\n",
            "sm_80 sm_90a sm_120f",
        ),
        ("build.sh", "cmake -DCMAKE_CUDA_ARCHITECTURES=\"90a;100a\" -B build", "sm_90a sm_100a"),
        ("CMakeLists.txt", "set_target_properties(x PROPERTIES CUDA_ARCHITECTURES \"86;89\")", "sm_86 sm_89"),
        ("setup.py", "os.environ['TORCH_CUDA_ARCH_LIST'] = '8.0;9.0a 10.0a+PTX'", "sm_80 sm_90a sm_100a"),
        ("Dockerfile", "ENV TORCH_CUDA_ARCH_LIST=\"12.0\"\n# TORCH_CUDA_ARCH_LIST=8.0", "sm_120"),
        ("setup.py", "def sm_90(): pass", ""),
        ("Makefile", "nvcc -gencode arch=compute_100f,code=sm_103", "sm_100f"),
        (
            "Makefile",
            "F=-gencode arch=compute_80,code=[sm_86,sm_89] -gencode arch=compute_90a,code=sm_90a",
            "sm_80 sm_90a",
        ),
        ("Makefile", "F=-gencode arch=compute_80,code=\\\"sm_86,compute_86\\\" -arch=sm_75", "sm_75 sm_80"),
        ("Makefile", "nvcc -arch=compute_80 -code=sm_86,sm_89", "sm_80"),
        ("Makefile", "nvcc --gpu-architecture=compute_80 --gpu-code sm_86", "sm_80"),
        ("setup.py", "flags = ['-gencode', 'arch=compute_90,code=sm_90a']", "sm_90"),
        ("Makefile", "cc -march=sm_100 -O2", ""),
        (
            "CMakeCache.txt",
            "# 90\n//Targets\nCMAKE_CUDA_ARCHITECTURES:STRING=75;80\nX:STRING=90\n",
            "sm_75 sm_80",
        ),
        ("build.sh", "export CUDAARCHS=\"75;90a\"", "sm_75 sm_90a"),
        ("Makefile", "clang --cuda-gpu-arch=sm_75 --offload-arch=sm_80 --offload-arch=gfx90a", "sm_75 sm_80"),
        // Lists of PyTorch.
        ("setup.py", "os.environ['TORCH_CUDA_ARCH_LIST'] = 'Hopper'", "sm_90"),
        ("build.sh", "export TORCH_CUDA_ARCH_LIST='Ampere+Tegra Volta+Tegra'", "sm_72 sm_87"),
        ("build.sh", "TORCH_CUDA_ARCH_LIST=Blackwell make", "sm_100 sm_103 sm_120 sm_121"),
        ("build.sh", "TORCH_CUDA_ARCH_LIST=8.9-real;9.0a+PTX make", "sm_89 sm_90a"),
        ("CMakeLists.txt", "set(TORCH_CUDA_ARCH_LIST\n  8.9(8.0)\n  Hopper)\nset(X 10.0)", "sm_80 sm_90"),
        ("CMakeLists.txt", "set(ENV{TORCH_CUDA_ARCH_LIST} \"Turing\")", "sm_75"),
        ("CMakeLists.txt", "set(CMAKE_CUDA_ARCHITECTURES Hopper 8.9-real 9.0a+PTX)", "sm_89 sm_90 sm_90a"),
        ("pyproject.toml", "TORCH_CUDA_ARCH_LIST = \"9.0a\" # and 10.0a", "sm_90a"),
        ("CMakePresets.json", "\"CMAKE_CUDA_ARCHITECTURES\": \"90a;100a\"", "sm_90a sm_100a"),
        // The module FindCUDA.
        (
            "CMakeLists.txt",
            "cuda_select_nvcc_arch_flags(ARCH_FLAGS 9.0a \"7.5+PTX 8.9(8.0)\")\nlist(APPEND CUDA_NVCC_FLAGS ${ARCH_FLAGS})",
            "sm_75 sm_80 sm_90a",
        ),
        ("CMakeLists.txt", "CUDA_SELECT_NVCC_ARCH_FLAGS(F Hopper;Turing)", "sm_75 sm_90"),
        // Settings for the backend of a build.
        ("build.sh", "pip install . -C cmake.args=-DCMAKE_CUDA_ARCHITECTURES=90a", "sm_90a"),
        ("build.sh", "pip install . -Ccmake.args='-DCMAKE_CUDA_ARCHITECTURES=90a;-DJOBS=80'", "sm_90a"),
        (
            "build.sh",
            "pip install --config-settings=cmake.args=\"-DX=80 -DCMAKE_CUDA_ARCHITECTURES=90a\" .",
            "sm_90a",
        ),
        (
            "Dockerfile",
            "RUN pip install . --config-settings cmake.define.CMAKE_CUDA_ARCHITECTURES=90a",
            "sm_90a",
        ),
        ("build.sh", "CMAKE_ARGS=\"-DCMAKE_CUDA_ARCHITECTURES=89 -DGGML_CUDA=80\" pip install x", "sm_89"),
        (
            "setup.py",
            "subprocess.run(['pip', 'install', '.', '-C', 'cmake.args=-DCMAKE_CUDA_ARCHITECTURES=90a'])",
            "sm_90a",
        ),
        // Nothing is compiled for them any more.
        ("setup.py", "os.environ['TORCH_CUDA_ARCH_LIST'] = 'Kepler;3.5'", ""),
        // Comments.
        ("Makefile", "F=-arch=sm_80 # it was -arch=sm_90", "sm_80"),
        ("Makefile", "X=don't\nF=\"-DX=it's -arch=sm_80\" # -arch=sm_90", "sm_80"),
        ("CMakeLists.txt", "set(CMAKE_CUDA_ARCHITECTURES 80 # 90\n  86) # 89", "sm_80 sm_86"),
        (
            "CMakeLists.txt",
            "#[[\nset(CMAKE_CUDA_ARCHITECTURES 90)\n]] set(CMAKE_CUDA_ARCHITECTURES 80)",
            "sm_80",
        ),
        ("CMakeLists.txt", "set(CMAKE_CUDA_ARCHITECTURES 80 #[=[ 90 ]] 89 ]=] 86)", "sm_80 sm_86"),
        ("setup.py", "f = ['-arch=sm_80', '#', '-arch=sm_86']  # '-arch=sm_90'", "sm_80 sm_86"),
        ("build.sh", "nvcc -DX=${a#b} -DN=$# -arch=sm_80 a#b -arch=sm_86 # -arch=sm_90", "sm_80 sm_86"),
        ("xmake.lua", "add_cuflags(\"-arch=sm_80\", \"--x\") -- \"-arch=sm_90\"", "sm_80"),
        ("xmake.lua", "--[[ \"-arch=sm_90\"\n]] add_cuflags(\"-arch=sm_80\")", "sm_80"),
        // Commands that print or compare set nothing.
        (
            "CMakeLists.txt",
            "if(CMAKE_CUDA_ARCHITECTURES STREQUAL \"80\")\nmessage(\"CUDA_ARCHITECTURES 90\")",
            "",
        ),
        ("setup.py", "ok = os.environ['TORCH_CUDA_ARCH_LIST'] == '9.0'", ""),
        (
            "setup.py",
            "f = ['-arch=sm_90a']\nif arch == \"sm_75\":\n  raise E('arch sm_75, not -arch=sm_75')",
            "sm_90a",
        ),
        ("setup.py", "f = '-arch=sm_90a'\nif '-arch=sm_75' in x or x == '-arch=sm_70': pass", "sm_90a"),
        (
            "Makefile",
            "F = -arch=sm_90a\nhelp:\n\t@echo \"set arch=sm_80 -arch=sm_80\"\n$(info -arch=sm_70)",
            "sm_90a",
        ),
        (
            "CMakeLists.txt",
            "set(CMAKE_CUDA_ARCHITECTURES 90a)\nmessage(STATUS\n \"for -arch=sm_80, CUDA_ARCHITECTURES 80\")\n\
             if(B AND\n CMAKE_CUDA_ARCHITECTURES MATCHES \"50\")\nendif()\noption(X \"for CUDA_ARCHITECTURES 80\" ON)",
            "sm_90a",
        ),
        ("build.sh", "if [ $X = -arch=sm_80 ]; then echo -arch=sm_75; else nvcc -arch=sm_90; fi", "sm_90"),
        // A value ends with its quote, its word or its command.
        ("Dockerfile", "RUN TORCH_CUDA_ARCH_LIST=\"9.0a\" MAX_JOBS=80 pip install .", "sm_90a"),
        ("Dockerfile", "ENV TORCH_CUDA_ARCH_LIST=\"9.0a\" \\\n  CUDA=/cuda-12.1 JOBS=75", "sm_90a"),
        ("Dockerfile", "ENV TORCH_CUDA_ARCH_LIST 9.0a 10.0a", "sm_90a sm_100a"),
        ("Dockerfile", "ENV TORCH_CUDA_ARCH_LIST=8.0;9.0a X=12.0", "sm_80 sm_90a"),
        ("build.sh", "docker build --build-arg TORCH_CUDA_ARCH_LIST=9.0a --build-arg CUDA=12.1 .", "sm_90a"),
        ("build.sh", "cmake -DCMAKE_CUDA_ARCHITECTURES=90a -B build && cmake --build build -j 80", "sm_90a"),
        ("build.sh", "cmake -DCMAKE_CUDA_ARCHITECTURES:STRING='90a;80' -DX=75", "sm_80 sm_90a"),
        (
            "build.sh",
            "export TORCH_CUDA_ARCH_LIST=\"9.0a\" && pip install flash-attn==12.0 torch==8.0",
            "sm_90a",
        ),
        ("build.sh", "sh -c \"TORCH_CUDA_ARCH_LIST='8.0 9.0' make -j 80\" 75", "sm_80 sm_90"),
        ("build.sh", "nvcc -arch sm_89 -DFOO=sm_50 --x=compute_50", "sm_89"),
        ("build.sh", "nvcc -arch=sm_90,sm_100 x.cu", "sm_90 sm_100"),
        ("Makefile", "TORCH_CUDA_ARCH_LIST := 8.0 9.0a", "sm_80 sm_90a"),
        (
            "Makefile",
            "TORCH_CUDA_ARCH_LIST=8.0 9.0a\nx:\n\tTORCH_CUDA_ARCH_LIST=7.5 make -j 80",
            "sm_75 sm_80 sm_90a",
        ),
        (
            "setup.py",
            "os.environ[\"TORCH_CUDA_ARCH_LIST\"] = \"9.0a\"; os.environ[\"JOBS\"] = \"80\"",
            "sm_90a",
        ),
        ("setup.py", "run([\"cmake\", \"-DCMAKE_CUDA_ARCHITECTURES=90a\", \"-DVERSION=80\"])", "sm_90a"),
        ("setup.py", "args = ['-arch', 'sm_90', 'sm_80']", "sm_90"),
        ("pyproject.toml", "TORCH_CUDA_ARCH_LIST = \"9.0a\"\nversion = \"8.0\"", "sm_90a"),
        (
            "CMakePresets.json",
            "\"CMAKE_CUDA_ARCHITECTURES\": {\n\"type\": \"STRING\", \"value\": \"90a\"}, \"X\": \"80\"",
            "sm_90a",
        ),
        // Commands of CMake.
        ("CMakeLists.txt", "set(X [[ it\"s ( ]])\nset(CMAKE_CUDA_ARCHITECTURES 90a)", "sm_90a"),
        ("CMakeLists.txt", "set(X [=[ \" ]] ]=] 80)\nset(CMAKE_CUDA_ARCHITECTURES 90a)", "sm_90a"),
        (
            "CMakeLists.txt",
            "string(REGEX MATCH x[[:digit:]]+\\) Y Z)\nset(CMAKE_CUDA_ARCHITECTURES 90a)",
            "sm_90a",
        ),
        (
            "CMakeLists.txt",
            "set(CMAKE_CUDA_ARCHITECTURES 90a CACHE STRING \"e.g. 80 or 90a\" FORCE)",
            "sm_90a",
        ),
        (
            "CMakeLists.txt",
            "set(CMAKE_CUDA_ARCHITECTURES 90)\nlist(APPEND CMAKE_CUDA_ARCHITECTURES\n  100)",
            "sm_90 sm_100",
        ),
        (
            "CMakeLists.txt",
            "set(CMAKE_CUDA_ARCHITECTURES 50 90)\nlist(REMOVE_ITEM CMAKE_CUDA_ARCHITECTURES 50 60)",
            "sm_90",
        ),
        (
            "CMakeLists.txt",
            "set_target_properties(x PROPERTIES A 80 CUDA_ARCHITECTURES\n \"90a;100\" B 75)",
            "sm_90a sm_100",
        ),
        (
            "CMakeLists.txt",
            "set_property(TARGET x PROPERTY\n CUDA_ARCHITECTURES 100a-real 90)",
            "sm_90 sm_100a",
        ),
        (
            "CMakeLists.txt",
            "target_compile_options(x PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:-arch=sm_90a>)",
            "sm_90a",
        ),
        (
            "CMakeLists.txt",
            "set(CMAKE_CUDA_FLAGS \"${CMAKE_CUDA_FLAGS} -gencode arch=compute_80,code=sm_80\")\n\
             string(APPEND CMAKE_CUDA_FLAGS \" -gencode=arch=compute_90a,code=sm_90a\")",
            "sm_80 sm_90a",
        ),
        (
            "CMakeLists.txt",
            "ExternalProject_Add(x CMAKE_ARGS -DCMAKE_CUDA_ARCHITECTURES=90a -DX=80)",
            "sm_90a",
        ),
    ] {
        assert_eq!(names(file, text), expected, "{file}: {text}");
        assert!(!read(Path::new(file), text).open, "{file}: {text}");
    }
}

/// The user may name others.
#[test]
fn defaults() {
    for (file, text, expected) in [
        ("CMakeLists.txt", "set(CMAKE_CUDA_ARCHITECTURES 90a CACHE STRING \"e.g. 80 or 90a\")", "sm_90a"),
        (
            "CMakeLists.txt",
            "set(CMAKE_CUDA_ARCHITECTURES\n  80 \"90a\"\n  CACHE STRING \"\")",
            "sm_80 sm_90a",
        ),
        (
            "setup.py",
            "os.environ.setdefault(\"TORCH_CUDA_ARCH_LIST\", \"Ampere;Ada+PTX\")",
            "sm_80 sm_86 sm_89",
        ),
        ("setup.py", "archs = os.environ.get('TORCH_CUDA_ARCH_LIST', '9.0a')", "sm_90a"),
        ("setup.py", "archs = os.getenv('TORCH_CUDA_ARCH_LIST', '9.0a')", "sm_90a"),
        ("CMakeLists.txt", "if(NOT CUDA_ARCHITECTURES)\nset(CUDA_ARCHITECTURES 90)\nendif()", "sm_90"),
        ("Makefile", "TORCH_CUDA_ARCH_LIST ?= 8.0", "sm_80"),
        ("Makefile", "NVCCFLAGS ?= -arch=sm_80", "sm_80"),
        ("Dockerfile", "ARG TORCH_CUDA_ARCH_LIST=\"8.0 9.0a\"", "sm_80 sm_90a"),
    ] {
        let read = read(Path::new(file), text);
        let found = (&names(file, text)[..], read.open, read.default);
        assert_eq!(found, (expected, false, true), "{file}: {text}");
    }
}

#[test]
fn any_text_is_read() {
    let mut random = ptxcvt::inputs::SplitMix64::new(3);
    let parts = [
        "(",
        ")",
        "\"",
        "'",
        "é",
        "$(",
        "${",
        "\\",
        "\n",
        "set",
        " ",
        ";",
        "=",
        "[",
        "]",
        "arch=",
        "-arch",
        "sm_90",
        "\"\"\"",
        "TORCH_CUDA_ARCH_LIST",
        "CUDA_ARCHITECTURES",
        "{",
        "\"value\"",
        ":",
        "ENV ",
        "list(REMOVE_ITEM",
        ",",
        "#",
        "PROPERTIES",
        "%",
    ];
    for _ in 0..2_000 {
        let text: String = (0..random.below(24)).map(|_| parts[random.below(parts.len())]).collect();
        for file in ["CMakeLists.txt", "Makefile", "build.sh", "Dockerfile", "setup.py", "CMakePresets.json"]
        {
            read(Path::new(file), &text);
        }
    }
}

#[test]
fn every_target() {
    for (file, text) in [
        ("CMakeLists.txt", "set(CMAKE_CUDA_ARCHITECTURES all-major)"),
        ("CMakeLists.txt", "set(CMAKE_CUDA_ARCHITECTURES \"all\")"),
        ("Makefile", "nvcc -arch=all"),
        ("Makefile", "nvcc --gpu-architecture all-major"),
        ("CMakeLists.txt", "set(TORCH_CUDA_ARCH_LIST \"All\")"),
    ] {
        let found = read(Path::new(file), text);
        assert!(found.all && !found.open && found.targets.is_empty(), "{text}");
    }
}

#[test]
fn variables_and_the_building_machine_are_not_followed() {
    for (file, text) in [
        ("Makefile", "ARCH ?= sm_90\nall:\n\tnvcc -arch=$(ARCH) k.cu"),
        ("Makefile", "F = $(foreach sm,$(SMS),-gencode arch=compute_$(sm),code=sm_$(sm))"),
        ("build.sh", "nvcc -arch $ARCH"),
        ("build.sh", "for sm in 80 90; do F=\"$F -gencode arch=compute_${sm},code=sm_${sm}\"; done"),
        ("CMakeLists.txt", "list(FILTER CMAKE_CUDA_ARCHITECTURES EXCLUDE REGEX 50)"),
        ("setup.py", "os.environ['TORCH_CUDA_ARCH_LIST'] = ';'.join(archs)"),
        ("setup.py", "f = ['-gencode', 'arch=compute_' + cc + ',code=sm_90']"),
        ("Makefile", "SM=100a\nF=-gencode arch=compute_$(SM),code=sm_$(SM)"),
        ("CMakeLists.txt", "set(ARCHS 100a)\nset(CMAKE_CUDA_ARCHITECTURES ${ARCHS})"),
        ("CMakeLists.txt", "set(CMAKE_CUDA_ARCHITECTURES\n  \"${ARCHS}\")"),
        ("setup.py", "args = [f'-gencode=arch=compute_{sm},code=sm_{sm}' for sm in archs]"),
        ("setup.py", "'-arch=sm_%s' % sm"),
        ("setup.py", "flags = '-arch=sm_' + sm"),
        ("setup.py", "os.environ['TORCH_CUDA_ARCH_LIST'] = archs"),
        ("Dockerfile", "ENV TORCH_CUDA_ARCH_LIST=${ARCHS}"),
        ("CMakeLists.txt", "set(TORCH_CUDA_ARCH_LIST ${ARCHS})"),
        ("CMakeLists.txt", "set(CMAKE_CUDA_ARCHITECTURES native)"),
        ("build.sh", "nvcc -arch=native"),
        ("CMakeLists.txt", "cuda_select_nvcc_arch_flags(ARCH_FLAGS)"),
        ("CMakeLists.txt", "cuda_select_nvcc_arch_flags(ARCH_FLAGS Auto)"),
        (
            "CMakeLists.txt",
            "set(CUDA_ARCH_LIST 9.0)\ncuda_select_nvcc_arch_flags(ARCH_FLAGS ${CUDA_ARCH_LIST})",
        ),
        ("CMakeLists.txt", "set_gencode_flags_for_srcs(SRCS ${SRCS} CUDA_ARCHS \"9.0a\")"),
        ("build.sh", "pip install . -C cmake.args=-DCMAKE_CUDA_ARCHITECTURES=$ARCHS"),
        ("setup.py", "os.environ['TORCH_CUDA_ARCH_LIST'] = 'native'"),
    ] {
        let found = read(Path::new(file), text);
        assert!(found.open && found.targets.is_empty(), "{text}");
    }
    let mixed = read(Path::new("CMakeLists.txt"), "set(CMAKE_CUDA_ARCHITECTURES 80 ${MORE})");
    assert!(mixed.open && mixed.targets.len() == 1);
    for (file, text) in [
        ("setup.py", "if os.environ.get('TORCH_CUDA_ARCH_LIST') == None: pass"),
        ("CMakeLists.txt", "message(\"for ${CMAKE_CUDA_ARCHITECTURES} ${X}\")"),
        ("CMakeLists.txt", "set(X \"${CMAKE_CUDA_ARCHITECTURES} ${Y}\")"),
        ("CMakeLists.txt", "set(X \"$ENV{TORCH_CUDA_ARCH_LIST} 9.0\")"),
        ("Dockerfile", "ENV TORCH_CUDA_ARCH_LIST=\"\""),
        ("build.sh", "cc -march=native"),
        ("CMakeLists.txt", "mark_as_advanced(CUDA_ARCH_LIST)\nfunction(f SRCS CUDA_ARCHS)"),
    ] {
        let found = read(Path::new(file), text);
        assert!(!found.open && found.targets.is_empty(), "{text}");
    }
}

/// CMake compares whole items, and a value that is replaced has no effect.
#[test]
fn items_and_values_that_count_no_longer() {
    for (text, targets, all, open) in [
        ("set(ARCHS 80-real 100a)\nlist(REMOVE_ITEM ARCHS 80)", "sm_80 sm_100a", false, false),
        ("set(ARCHS 80 100a)\nlist(REMOVE_ITEM ARCHS 80-real)", "sm_80 sm_100a", false, false),
        ("set(ARCHS 80-real 100a)\nlist(REMOVE_ITEM ARCHS 80-real)", "sm_100a", false, false),
        ("set(ARCHS \"80 100a\")\nlist(REMOVE_ITEM ARCHS 80)", "sm_80 sm_100a", false, false),
        ("set(ARCHS 80 100a)\nlist(REMOVE_ITEM ARCHS ${X})", "sm_80 sm_100a", false, true),
        // One item, which the list does not have.
        ("set(ARCHS 80 100a)\nlist(REMOVE_ITEM ARCHS \"80;90\")", "sm_80 sm_100a", false, false),
        ("set(ARCHS 80 100a)\nlist(REMOVE_ITEM ARCHS 80\\;90)", "sm_80 sm_100a", false, false),
        ("set(ARCHS 80 90 100a)\nlist(REMOVE_ITEM ARCHS 80;90)", "sm_100a", false, false),
        ("set(ARCHS 80\\;90 100a)\nlist(REMOVE_ITEM ARCHS 90)", "sm_80 sm_100a", false, false),
        ("set(ARCHS [[80;90]] 100a)\nlist(REMOVE_ITEM ARCHS 90)", "sm_80 sm_100a", false, false),
        ("set(ARCHS 80 80 100a)\nlist(REMOVE_ITEM ARCHS 80)", "sm_100a", false, false),
        (
            "set(TORCH_CUDA_ARCH_LIST 8.0+PTX 10.0a)\nlist(REMOVE_ITEM TORCH_CUDA_ARCH_LIST 8.0)",
            "sm_80 sm_100a",
            false,
            false,
        ),
        ("set(ARCHS all)\nset(ARCHS 100a)", "sm_100a", false, false),
        ("set(ARCHS all-major)\nset(ARCHS 100a)", "sm_100a", false, false),
        ("set(ARCHS native)\nset(ARCHS 100a)", "sm_100a", false, false),
        ("set(ARCHS ${X})\nset(ARCHS 100a)", "sm_100a", false, false),
        ("set(ARCHS all)\nadd_library(a a.cu)\nset(ARCHS 100a)", "sm_100a", true, false),
        ("set(ARCHS all 90)\nlist(REMOVE_ITEM ARCHS all)", "sm_90", false, false),
        ("set(ARCHS 80 CACHE STRING \"\")\nset(ARCHS 100a)\nunset(ARCHS)", "sm_80", false, false),
        ("set(ARCHS 80)\nset(ENV{ARCHS} 100a)", "sm_80 sm_100a", false, false),
        ("set(ARCHS 80 100a)\nunset(ENV{ARCHS})", "sm_80 sm_100a", false, false),
        ("set(ENV{ARCHS} 80)\nunset(ARCHS)", "sm_80", false, false),
        ("set(ARCHS all)\nif(X)\nset(ARCHS 100a)\nendif()", "sm_100a", true, false),
    ] {
        let text = text.replace("ARCHS", "CMAKE_CUDA_ARCHITECTURES");
        let found = read(Path::new("CMakeLists.txt"), &text);
        assert_eq!(names("CMakeLists.txt", &text), targets, "{text}");
        assert_eq!((found.all, found.open), (all, open), "{text}");
    }
}

/// Commands that are certainly not executed name no targets; the others count.
#[test]
fn commands_that_are_not_executed() {
    for (text, expected) in [
        ("if(FALSE)\nset(ARCHS 80)\nendif()\nset(X 1)", ""),
        ("if(OFF)\nset(ARCHS 80)\nelse()\nset(ARCHS 90)\nendif()", "sm_90"),
        ("if(NOT 0)\nset(ARCHS 90)\nelseif(X)\nset(ARCHS 80)\nendif()", "sm_90"),
        ("if(0)\nset(ARCHS 80)\nelseif(X)\nset(ARCHS 86)\nelse()\nset(ARCHS 90)\nendif()", "sm_86 sm_90"),
        ("if(X)\nset(ARCHS 80)\nelseif(TRUE)\nset(ARCHS 86)\nelse()\nset(ARCHS 90)\nendif()", "sm_80 sm_86"),
        ("if(FALSE)\nif(X)\nset(ARCHS 80)\nelse()\nset(ARCHS 86)\nendif()\nendif()\nset(ARCHS 90)", "sm_90"),
        ("set(ARCHS 80)\nif(TRUE)\nset(ARCHS 90)\nendif()", "sm_90"),
        ("while(FALSE)\nset(ARCHS 80)\nendwhile()\nset(ARCHS 90)", "sm_90"),
        ("if(USE_OLD)\nset(ARCHS 80)\nendif()", "sm_80"),
        ("set(ARCHS 90)\nreturn()\nset(ARCHS 80)", "sm_90"),
        ("set(ARCHS 90)\nif(TRUE)\nreturn()\nendif()\nset(ARCHS 80)", "sm_90"),
        ("set(ARCHS 90)\nif(X)\nreturn()\nendif()\nset(ARCHS 80)", "sm_80 sm_90"),
        ("function(f)\nreturn()\nendfunction()\nset(ARCHS 80)", "sm_80"),
        // Definitions without a call.
        ("project(p)\nmacro(f)\nset(ARCHS 80)\nendmacro()\nset(ARCHS 90)", "sm_90"),
        ("project(p)\nmacro(f)\nset(ARCHS 80)\nendmacro()\nset(ARCHS 90)\nF()", "sm_80 sm_90"),
        ("project(p)\nmacro(f)\nset(ARCHS 80)\nf()\nendmacro()\nset(ARCHS 90)", "sm_90"),
        ("project(p)\nfunction(f)\nset(ARCHS 80)\nendfunction()\nmacro(g)\nf()\nendmacro()\ng()", "sm_80"),
        ("project(p)\nfunction(f)\nset(ARCHS 80)\nendfunction()\nmacro(g)\nf()\nendmacro()", ""),
        ("project(p)\nmacro(f)\nset(ARCHS 80)\nendmacro()\ncmake_language(CALL f)", "sm_80"),
        ("project(p)\nmacro(f)\nset(ARCHS 80)\nendmacro()\ncmake_language(CALL ${X})", "sm_80"),
        ("project(p)\nmacro(f)\nset(ARCHS 80)\nendmacro()\nadd_subdirectory(a)", "sm_80"),
        ("macro(f)\nset(ARCHS 80)\nendmacro()", "sm_80"),
    ] {
        let text = text.replace("ARCHS", "CMAKE_CUDA_ARCHITECTURES");
        assert_eq!(names("CMakeLists.txt", &text), expected, "{text}");
        assert!(!read(Path::new("CMakeLists.txt"), &text).open, "{text}");
    }
}

/// A value has no effect if another one certainly replaces it before anything reads it: also one of an option.
#[test]
fn values_that_are_read_before_they_are_replaced() {
    for (text, expected) in [
        ("set(F \"-arch=sm_80\")\nset(F \"-arch=sm_90\")", "sm_90"),
        ("set(F \"-arch=sm_80\")\nset(F \"${F} -arch=sm_90\")", "sm_80 sm_90"),
        ("set(F \"-arch=sm_80\")\nset(G \"${F}\")\nset(F \"-arch=sm_90\")", "sm_80 sm_90"),
        ("set(F \"-arch=sm_80\")\nset(G ${${X}})\nset(F \"-arch=sm_90\")", "sm_80 sm_90"),
        ("set(F \"-arch=sm_80\")\nadd_library(a a.cu)\nset(F \"-arch=sm_90\")", "sm_80 sm_90"),
        ("set(F \"-arch=sm_80\")\nif(X)\nset(F \"-arch=sm_90\")\nendif()", "sm_80 sm_90"),
        ("set(F \"-arch=sm_80\")\nmessage(\"${F}\")\nunset(F)", ""),
        ("set(ARCHS 80)\nset(SAVED ${ARCHS})\nset(ARCHS 90)", "sm_80 sm_90"),
        ("if(X)\nset(ARCHS 80)\nset(ARCHS 90)\nendif()", "sm_90"),
        ("if(X)\nset(ARCHS 80)\nelse()\nset(ARCHS 90)\nendif()", "sm_80 sm_90"),
        // The second round begins with the value of the end.
        (
            "foreach(i 1 2)\nadd_library(a${i} a.cu)\nset(ARCHS 80)\nendforeach()\nset(ARCHS 90)",
            "sm_80 sm_90",
        ),
        ("function(f)\nset(ARCHS 80)\nset(ARCHS 90)\nadd_library(a a.cu)\nendfunction()", "sm_90"),
    ] {
        let text = text.replace("ARCHS", "CMAKE_CUDA_ARCHITECTURES");
        assert_eq!(names("CMakeLists.txt", &text), expected, "{text}");
        assert!(!read(Path::new("CMakeLists.txt"), &text).open, "{text}");
    }
}

/// An option whose value is not a literal in the file is noted in every language.
#[test]
fn values_of_options_that_are_variables() {
    for (file, text) in [
        ("setup.py", "f = ['-arch=sm_100a', '-gencode', GC]"),
        ("setup.py", "f = ['-arch=sm_100a', '-arch', get_arch()]"),
        ("setup.py", "f = ['-arch=sm_100a', '--gpu-architecture', ARCH]"),
        ("setup.py", "f = ['-arch=sm_100a', '--generate-code', ARCH]"),
        ("setup.py", "f = ['-arch=sm_100a']\nf.append('-arch')\nf.append(ARCH)"),
        ("setup.py", "f = ['-arch=sm_100a']\nf.append('-gencode=' + gc(80))"),
        ("setup.py", "f = ['--gpu-architecture', {'a': 'sm_80'}[x], '-arch=sm_100a']"),
        ("Makefile", "all:\n\tnvcc -arch=sm_100a a.cu\n\tnvcc -arch $(ARCH) k.cu"),
        ("Makefile", "all:\n\tnvcc -arch=sm_100a a.cu\n\tnvcc -gencode $(GC) k.cu"),
        ("Makefile", "all:\n\tnvcc -arch=sm_100a a.cu\n\tnvcc -gencode=$(GC) k.cu"),
        ("build.sh", "nvcc -arch=sm_100a a.cu\nnvcc -gencode \"$GC\" k.cu"),
        ("CMakeLists.txt", "add_compile_options(-arch=sm_100a -gencode ${A})"),
        ("CMakeLists.txt", "add_compile_options(-arch=sm_100a -gencode=${A})"),
        ("CMakeLists.txt", "add_compile_options(-arch=sm_100a \"SHELL:-gencode ${A}\")"),
        ("CMakeLists.txt", "set(CMAKE_CUDA_ARCHITECTURES 100a)\nset(CMAKE_${LANG}_ARCHITECTURES 80)"),
        ("CMakeLists.txt", "set(CMAKE_CUDA_ARCHITECTURES 100a)\nset(${A} 80)"),
        ("CMakeLists.txt", "set(CMAKE_CUDA_ARCHITECTURES 100a)\nlist(APPEND ${V} 80)"),
        ("CMakeLists.txt", "set(CMAKE_CUDA_ARCHITECTURES 100a)\nstring(APPEND ${V} \";80\")"),
        (
            "CMakeLists.txt",
            "set(CMAKE_CUDA_ARCHITECTURES 100a)\ncmake_language(EVAL CODE \"set(CMAKE_CUDA_ARCHITECTURES 80)\")",
        ),
        ("Makefile", "all:\n\tnvcc -arch=sm_100a a.cu\n\tnvcc -arch `cat a` k.cu"),
        (
            "pyproject.toml",
            "args = [\"-arch=sm_100a\"]\n[tool.scikit-build]\ncmake.define.CMAKE_CUDA_ARCHITECTURES.env = \"A\"",
        ),
        ("meson.build", "f = ['-arch=sm_100a', '-arch', arch]"),
        ("meson.build", "f = ['-arch=sm_100a', '-gencode', gc]"),
        ("meson.build", "f = ['-arch=sm_100a', '-arch=@0@'.format(x)]"),
        ("meson.build", "f = ['-arch=sm_100a', '-gencode=arch=compute_@0@,code=sm_@0@'.format(a)]"),
        ("xmake.lua", "add_cuflags(\"-arch=sm_100a\")\nadd_cuflags(\"-arch\", x)"),
        ("Dockerfile", "ENV TORCH_CUDA_ARCH_LIST=10.0a\nARG CUDAARCHS"),
        (
            "pyproject.toml",
            "args = [\"-arch=sm_100a\"]\n[tool.scikit-build.cmake.define.CMAKE_CUDA_ARCHITECTURES]\nenv = \"A\"",
        ),
    ] {
        let found = read(Path::new(file), text);
        assert_eq!((&names(file, text)[..], found.open), ("sm_100a", true), "{text}");
    }
}

/// Options that never reach the compiler of CUDA name no targets.
#[test]
fn generator_expressions_and_definitions_of_cmake() {
    for (options, expected) in [
        ("$<0:-arch=sm_80> -arch=sm_90", "sm_90"),
        ("$<1:-arch=sm_80>", "sm_80"),
        ("$<$<NOT:1>:-arch=sm_80>", ""),
        ("$<$<NOT:0>:-arch=sm_80>", "sm_80"),
        ("$<$<NOT:$<CONFIG:Debug>>:-arch=sm_80>", "sm_80"),
        ("$<$<CONFIG:Debug>:-arch=sm_80>", "sm_80"),
        ("$<$<COMPILE_LANGUAGE:CXX>:-arch=sm_80> $<$<COMPILE_LANGUAGE:CUDA>:-arch=sm_90>", "sm_90"),
        ("$<$<COMPILE_LANGUAGE:C,CXX>:-arch=sm_80>", ""),
        ("$<$<COMPILE_LANGUAGE:CXX,CUDA>:-arch=sm_80>", "sm_80"),
        ("$<$<COMPILE_LANG_AND_ID:CXX,GNU>:-arch=sm_80>", ""),
        ("$<$<COMPILE_LANG_AND_ID:CUDA,NVIDIA>:-arch=sm_80>", "sm_80"),
        ("$<$<NOT:$<COMPILE_LANGUAGE:CUDA>>:-arch=sm_80>", ""),
        ("$<$<STREQUAL:$<COMPILE_LANGUAGE>,CUDA>:-arch=sm_80>", "sm_80"),
        ("$<$<STREQUAL:$<COMPILE_LANGUAGE>,CXX>:-arch=sm_80>", ""),
        ("$<$<AND:1,$<COMPILE_LANGUAGE:CUDA>>:-arch=sm_80>", "sm_80"),
        ("$<$<AND:$<CONFIG:Debug>,$<COMPILE_LANGUAGE:CXX>>:-arch=sm_80>", ""),
        ("$<$<AND:$<CONFIG:Debug>,$<COMPILE_LANGUAGE:CUDA>>:-arch=sm_80>", "sm_80"),
        ("$<$<OR:$<CONFIG:Debug>,$<COMPILE_LANGUAGE:CXX>>:-arch=sm_80>", "sm_80"),
        ("$<$<OR:0,$<COMPILE_LANGUAGE:CXX>>:-arch=sm_80>", ""),
        ("$<$<BOOL:OFF>:-arch=sm_80>", ""),
        ("$<$<BOOL:x>:-arch=sm_80>", "sm_80"),
        ("$<$<BOOL:${X}>:-arch=sm_80>", "sm_80"),
        ("$<${X}:-arch=sm_80>", "sm_80"),
        ("$<$<COMPILE_LANGUAGE:${X}>:-arch=sm_80>", "sm_80"),
        ("$<IF:1,-arch=sm_80,-arch=sm_90>", "sm_80"),
        ("$<IF:$<COMPILE_LANGUAGE:CXX>,-arch=sm_80,-arch=sm_90>", "sm_90"),
        ("$<IF:$<CONFIG:Debug>,-arch=sm_80,-arch=sm_90>", "sm_80 sm_90"),
        ("$<INSTALL_INTERFACE:-arch=sm_80> $<BUILD_INTERFACE:-arch=sm_90>", "sm_90"),
        // Commas, several words, and nested texts.
        ("$<$<COMPILE_LANGUAGE:CUDA>:-gencode arch=compute_80,code=sm_80>", "sm_80"),
        ("$<$<COMPILE_LANGUAGE:CXX>:-gencode arch=compute_80,code=sm_80> -arch=sm_90", "sm_90"),
        ("\"$<$<COMPILE_LANGUAGE:CUDA>:SHELL:-gencode arch=compute_80,code=sm_80>\"", "sm_80"),
        ("\"$<$<COMPILE_LANGUAGE:CUDA>:-O3;$<0:-arch=sm_80>;-arch=sm_90>\"", "sm_90"),
        ("$<$<COMPILE_LANGUAGE:CXX>:$<1:-arch=sm_80>>", ""),
        ("-arch=sm_$<1:80>", "sm_80"),
        ("$<0:-arch=sm_80", "sm_80"),
        ("-DARCH=\"-arch=sm_80\" -arch=sm_90", "sm_90"),
    ] {
        for command in ["target_compile_options(t PRIVATE", "add_compile_options(", "set(CMAKE_CUDA_FLAGS"] {
            let text = format!("{command} {options})");
            if command.starts_with("set") && text.contains("-D") {
                continue;
            }
            assert_eq!(names("CMakeLists.txt", &text), expected, "{text}");
            assert!(!read(Path::new("CMakeLists.txt"), &text).open, "{text}");
        }
    }
    for text in ["target_compile_options(t PRIVATE -arch=$<TARGET_PROPERTY:t,ARCH>)", "set(F -arch=$<ARCH>)"]
    {
        assert!(read(Path::new("CMakeLists.txt"), text).open, "{text}");
    }
    for text in [
        "target_compile_definitions(t PRIVATE ARCH=\"-arch=sm_80\")",
        "add_compile_definitions(ARCH=\"-arch=sm_80\")",
        "add_definitions(-DARCH=\"-arch=sm_80\")",
        "remove_definitions(-DARCH=-arch=sm_80)",
        "set_property(TARGET t PROPERTY COMPILE_DEFINITIONS \"ARCH=-arch=sm_80\")",
        "set_target_properties(t PROPERTIES COMPILE_DEFINITIONS \"ARCH=-arch=sm_80\" CUDA_ARCHITECTURES 90)",
    ] {
        let expected = if text.contains("90") { "sm_90" } else { "" };
        assert_eq!(names("CMakeLists.txt", text), expected, "{text}");
        assert!(!read(Path::new("CMakeLists.txt"), text).open, "{text}");
    }
    assert_eq!(names("CMakeLists.txt", "add_definitions(-arch=sm_80)"), "sm_80");
}

/// A loop over literal items gives the options of each.
#[test]
fn loops_of_cmake() {
    let loops = |head: &str, body: &str| {
        let text = format!("foreach({head})\n{body}\nendforeach()");
        (names("CMakeLists.txt", &text), read(Path::new("CMakeLists.txt"), &text).open)
    };
    let option = "list(APPEND F -gencode=arch=compute_${a},code=sm_${a})";
    for (head, body, expected, open) in [
        ("a 80 90", option, "sm_80 sm_90", false),
        ("a IN ITEMS 80 90", option, "sm_80 sm_90", false),
        // One item.
        ("a \"80;90\"", "list(APPEND F \"-arch=sm_${a}\")", "sm_80", false),
        ("a 80 ${MORE}", option, "sm_80", true),
        ("a 80 90", "list(APPEND CMAKE_CUDA_ARCHITECTURES ${a})", "sm_80 sm_90", false),
        ("a IN LISTS A", option, "", true),
        ("a RANGE 80 90", option, "", true),
        ("a 80 90", "set(a 70)\nlist(APPEND F -arch=sm_${a})", "", true),
        (
            "a 8 9",
            "foreach(b 0 9)\nlist(APPEND F -arch=sm_${a}${b})\nendforeach()",
            "sm_80 sm_89 sm_90",
            false,
        ),
        ("a 80", "foreach(b 0 9)\nlist(APPEND F -arch=sm_90)\nendforeach(b)", "sm_90", false),
        ("a 80 90", "if(${a} GREATER 85)\nadd_compile_options(-arch=sm_${a})\nendif()", "sm_80 sm_90", false),
    ] {
        assert_eq!(loops(head, body), (expected.to_owned(), open), "{head}: {body}");
    }
    // Loops in loops are bounded.
    let many = (0..9).map(|n| format!("foreach(a{n} 1 2 3 4 5 6 7 8)\nset(X ${{a{n}}})\n"));
    let text = many.chain(["list(APPEND F -arch=sm_9${a0})\n".to_owned()]).collect::<String>();
    let text = text + &"endforeach()\n".repeat(9);
    assert!(read(Path::new("CMakeLists.txt"), &text).open);
    let deep = "foreach(a 80)\n".repeat(100_000) + &"set(X ${a})\nendforeach()\n".repeat(100_000);
    read(Path::new("CMakeLists.txt"), &deep);
    let deep = "if(X)\n".repeat(50_000) + &"set(F -arch=sm_80)\nlist(APPEND G -arch=sm_80)\n".repeat(20_000);
    assert_eq!(names("CMakeLists.txt", &deep), "sm_80");
    let deep = format!("add_compile_options({}-arch=sm_80{})", "$<1:".repeat(50_000), ">".repeat(50_000));
    read(Path::new("CMakeLists.txt"), &deep);
}

/// An assignment that another one certainly replaces names no targets; where this is uncertain, both count.
#[test]
fn assignments_that_are_replaced() {
    for (file, text, expected) in [
        ("Makefile", "F := -arch=sm_80\nF := -arch=sm_90", "sm_90"),
        ("Makefile", "F := -arch=sm_80\n\n# x\nG = 1\nF = -arch=sm_90\nall:\n\tnvcc $(F)", "sm_90"),
        ("Makefile", "export TORCH_CUDA_ARCH_LIST = 8.0\nTORCH_CUDA_ARCH_LIST = 9.0", "sm_90"),
        ("Makefile", "F := -arch=sm_80\nG := $(F)\nF := -arch=sm_90", "sm_80 sm_90"),
        ("Makefile", "F := -arch=sm_80\nG := $(shell nvcc)\nF := -arch=sm_90", "sm_80 sm_90"),
        ("Makefile", "F := -arch=sm_80\nF := $(F) -arch=sm_90", "sm_80 sm_90"),
        ("Makefile", "F := -arch=sm_80\nF += -arch=sm_90", "sm_80 sm_90"),
        ("Makefile", "F := -arch=sm_80\nF ?= -arch=sm_90", "sm_80 sm_90"),
        ("Makefile", "F := -arch=sm_80\nifdef X\nF := -arch=sm_90\nendif", "sm_80 sm_90"),
        ("Makefile", "F := -arch=sm_80\ninclude x.mk\nF := -arch=sm_90", "sm_80 sm_90"),
        ("Makefile", "F := -arch=sm_80\nx: F := -arch=sm_90", "sm_80 sm_90"),
        ("Makefile", "a:\n\tF=-arch=sm_80\n\tF=-arch=sm_90 nvcc $$F", "sm_80 sm_90"),
        ("build.sh", "F=-arch=sm_80\nG=1\nF=\"-arch=sm_90\"\nnvcc $F", "sm_90"),
        (
            "build.sh",
            "export TORCH_CUDA_ARCH_LIST='8.0'\nexport TORCH_CUDA_ARCH_LIST=\"9.0 10.0a\"",
            "sm_90 sm_100a",
        ),
        ("Dockerfile", "ENV TORCH_CUDA_ARCH_LIST=8.0\nENV TORCH_CUDA_ARCH_LIST=9.0", "sm_90"),
        ("Dockerfile", "ENV TORCH_CUDA_ARCH_LIST=8.0\nRUN make\nENV TORCH_CUDA_ARCH_LIST=9.0", "sm_80 sm_90"),
        ("build.sh", "F=-arch=sm_80\nbuild\nF=-arch=sm_90", "sm_80 sm_90"),
        ("build.sh", "F=-arch=sm_80\nF=\"$F -arch=sm_90\"", "sm_80 sm_90"),
        ("build.sh", "F=-arch=sm_80\nG=$(build)\nF=-arch=sm_90", "sm_80 sm_90"),
        ("build.sh", "F=-arch=sm_80\nF=-arch=sm_90 nvcc k.cu", "sm_80 sm_90"),
        ("build.sh", "if x; then\n  F=-arch=sm_80\nfi\nF=-arch=sm_90", "sm_80 sm_90"),
        ("setup.py", "x = ['-arch=sm_80']\nx = ['-arch=sm_90']", "sm_90"),
        ("setup.py", "x = ['-arch=sm_80']; y = 1\n\n# y\nx = [\n  '-arch=sm_90']", "sm_90"),
        ("setup.py", "def f():\n  a.x = '-arch=sm_80'\n  a.x = '-arch=sm_90'\n  return a", "sm_90"),
        (
            "setup.py",
            "os.environ['TORCH_CUDA_ARCH_LIST'] = '8.0'\nos.environ['TORCH_CUDA_ARCH_LIST'] = '9.0'",
            "sm_90",
        ),
        ("setup.py", "x = ['-arch=sm_80']\nx = x + ['-arch=sm_90']", "sm_80 sm_90"),
        ("setup.py", "x = ['-arch=sm_80']\ny = x\nx = ['-arch=sm_90']", "sm_80 sm_90"),
        ("setup.py", "x = ['-arch=sm_80']\nbuild()\nx = ['-arch=sm_90']", "sm_80 sm_90"),
        ("setup.py", "x = ['-arch=sm_80']\ny = build()\nx = ['-arch=sm_90']", "sm_80 sm_90"),
        ("setup.py", "x = run(['-arch=sm_80'])\nx = ['-arch=sm_90']", "sm_80 sm_90"),
        ("setup.py", "x = ['-arch=sm_80']\nif y:\n  x = ['-arch=sm_90']", "sm_80 sm_90"),
        ("setup.py", "if y:\n  x = ['-arch=sm_80']\nx = ['-arch=sm_90']", "sm_80 sm_90"),
        ("setup.py", "x = ['-arch=sm_80']\nx += ['-arch=sm_90']", "sm_80 sm_90"),
        ("setup.py", "x = ['-arch=sm_80']\nx[1] = '-arch=sm_90'", "sm_80 sm_90"),
        ("setup.py", "x = y = ['-arch=sm_80']\nx = ['-arch=sm_90']", "sm_80 sm_90"),
        ("meson.build", "x = ['-arch=sm_80']\nx = ['-arch=sm_90']", "sm_90"),
        ("pyproject.toml", "[a]\nx = ['-arch=sm_80']\n[b]\nx = ['-arch=sm_90']", "sm_80 sm_90"),
    ] {
        assert_eq!(names(file, text), expected, "{file}: {text}");
    }
}
