//! Targets in CMake's commands: values that count, and those that certainly do not.

use std::path::Path;

use super::{names, read};

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

/// What is not certainly replaced, left out or for another compiler counts. Each of these texts names sm_80 where one that
/// reads less of CMake sees sm_90 alone.
#[test]
fn targets_that_are_not_lost() {
    for text in [
        // An argument in quotes is one argument, also if it is empty.
        "set_target_properties(y PROPERTIES FOLDER \"\" CUDA_ARCHITECTURES 80)",
        "set_target_properties(y PROPERTIES COMPILE_OPTIONS \"$<$<COMPILE_LANGUAGE:CXX>:-Wall>\" CUDA_ARCHITECTURES 80)",
        "set_target_properties(y PROPERTIES COMPILE_OPTIONS \"$<$<COMPILE_LANGUAGE:CUDA>:-O3;-v>\" CUDA_ARCHITECTURES 80)",
        "set_target_properties(y PROPERTIES OUTPUT_NAME \"$<IF:$<CONFIG:Debug>,yd,y>\" CUDA_ARCHITECTURES 80)",
        "set_target_properties(y PROPERTIES DESCRIPTION \"hi\" CUDA_ARCHITECTURES 80)",
        "set_target_properties(DOC PROPERTIES CUDA_ARCHITECTURES 80)",
        // A condition that is not known, within a word and after an option.
        "target_compile_options(y PRIVATE -arch=$<IF:$<CONFIG:Debug>,sm_90,sm_80>)",
        "target_compile_options(y PRIVATE -arch=sm_$<IF:$<CONFIG:Debug>,90,80>)",
        "target_compile_options(y PRIVATE -arch=$<$<CONFIG:Debug>:sm_90>$<$<CONFIG:Release>:sm_80>)",
        "target_compile_options(y PRIVATE -arch $<IF:$<CONFIG:Debug>,sm_90,sm_80>)",
        "target_compile_options(y PRIVATE -arch=sm_80$<$<CONFIG:Debug>:a>)",
        "set_target_properties(y PROPERTIES CUDA_ARCHITECTURES \"$<IF:$<CONFIG:Debug>,90,80>\")",
        // Options of CMake in variables, and lists of options with definitions.
        "set(ARGS -DX=1 -DCMAKE_CUDA_ARCHITECTURES=80)\nExternalProject_Add(y CMAKE_ARGS ${ARGS})",
        "list(APPEND ARGS \"-DX=1;-DCMAKE_CUDA_ARCHITECTURES:STRING=80\")",
        "target_compile_options(y PRIVATE \"-DFOO;-arch=sm_80\")",
        "add_definitions(\"-DFOO -arch=sm_80\")",
        // The results of `string`.
        "string(CONCAT CMAKE_CUDA_FLAGS \"${CMAKE_CUDA_FLAGS}\" \" -arch=\" sm_80)",
        "string(JOIN \" \" CMAKE_CUDA_FLAGS -arch=sm_80 -O3)",
        "set(F -arch=sm_80)\nstring(CONCAT F \"${F}\" \" -O3\")\ntarget_compile_options(y PRIVATE ${F})",
        "string(STRIP \" -arch=sm_80\" F)",
        "set(CMAKE_CUDA_ARCHITECTURES 80)\nlist(JOIN CMAKE_CUDA_ARCHITECTURES \" \" TEXT)",
        // The caller's variable is another one.
        "function(f)\nset(CMAKE_CUDA_ARCHITECTURES 80 PARENT_SCOPE)\nset(CMAKE_CUDA_ARCHITECTURES 90)\nendfunction()\nf()",
        "set(CACHE{CMAKE_CUDA_ARCHITECTURES} TYPE STRING FORCE VALUE 80)",
        // Functions of the project.
        "function(check_add n)\nadd_library(${n} k.cu)\nendfunction()\ncheck_add(y -arch=sm_80)",
        "test_add(y -arch=sm_80)",
        "function(${PROJECT_NAME}_k n)\nset_property(TARGET ${n} PROPERTY CUDA_ARCHITECTURES 80)\nendfunction()\nx_k(y)",
        "add_custom_command(OUTPUT k COMMAND echo hi && nvcc -arch=sm_80 -c k.cu)",
    ] {
        let text =
            format!("project(x CUDA)\nset_target_properties(x PROPERTIES CUDA_ARCHITECTURES 90)\n{text}");
        let found = names("CMakeLists.txt", &text);
        assert!(found.contains("sm_80") && found.contains("sm_90"), "{text}: {found}");
    }
    // A replacement is not followed, and a check by CMake compiles nothing.
    let found = read(Path::new("CMakeLists.txt"), "string(REPLACE -arch=sm_70 -arch=sm_80 F \"${F}\")");
    assert!(found.open && found.targets.is_empty());
    assert_eq!(names("CMakeLists.txt", "check_compiler_flag(CUDA -arch=sm_80 OK)"), "");
}

/// Expressions in expressions take a bounded time, and what they name is unknown.
#[test]
fn deep_generator_expressions() {
    for begin in ["$<BOOL:", "$<NOT:", "$<IF:$<CONFIG:D>,-O3,", "$<$<CONFIG:D>:", "$<AND:1,", "$<STREQUAL:a,"]
    {
        let nest = format!("{}-arch=${{X}}{}", begin.repeat(200), ">".repeat(200));
        let found = read(Path::new("CMakeLists.txt"), &format!("target_compile_options(y PRIVATE {nest})"));
        assert!(found.targets.is_empty(), "{begin}");
    }
    let many = "$<$<CONFIG:D>:a>".repeat(100);
    let text = format!("target_compile_options(y PRIVATE -arch=sm_90{many})");
    let found = read(Path::new("CMakeLists.txt"), &text);
    assert!(found.open);
}
