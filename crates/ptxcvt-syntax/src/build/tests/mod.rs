//! Targets in lines of build files of every kind.

mod cmake;
mod mentions;
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
        "${A//",
        "$(subst ",
        "$$",
        ">&",
        "[[",
        "else",
        "ifeq (0,1)\n",
        "endif\n",
        "exit\n",
        "append(",
        "if False:",
    ];
    for _ in 0..2_000 {
        let text: String = (0..random.below(24)).map(|_| parts[random.below(parts.len())]).collect();
        for file in [
            "CMakeLists.txt",
            "Makefile",
            "build.sh",
            "Dockerfile",
            "setup.py",
            "CMakePresets.json",
            "ci.yml",
        ] {
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
        (
            "setup.py",
            "try:\n  x = ['-arch=sm_80']\n  v = torch.version\n  x = ['-arch=sm_90']\nexcept E: pass",
            "sm_80 sm_90",
        ),
        (
            "setup.py",
            "try:\n  x = ['-arch=sm_80']\n  v = 1 / n\n  x = ['-arch=sm_90']\nexcept E: pass",
            "sm_80 sm_90",
        ),
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
