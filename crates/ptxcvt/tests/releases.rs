//! The CUDA release of every ISA version is the one of NVIDIA's release history.

use ptxcvt::IsaVersion;

/// A number `major.minor`.
fn pair(text: &str) -> (u32, u32) {
    let (major, minor) = text.split_once('.').unwrap();
    (major.parse().unwrap(), minor.parse().unwrap())
}

#[test]
fn every_version_has_the_release_of_the_list() {
    let lines = include_str!("releases.tsv").lines().filter(|line| !line.starts_with('#'));
    let listed: Vec<(IsaVersion, Option<(u32, u32)>)> = lines
        .map(|line| {
            let (isa, cuda) = line.split_once('\t').unwrap();
            (isa.parse().unwrap(), (cuda != "-").then(|| pair(cuda)))
        })
        .collect();
    let known: Vec<_> = IsaVersion::all().map(|isa| (isa, isa.cuda_release())).collect();
    assert_eq!(known, listed);
}

#[test]
fn the_toolkit_of_a_release_reads_its_version() {
    for isa in IsaVersion::all() {
        if let Some(release) = isa.cuda_release() {
            assert_eq!(IsaVersion::of_cuda_toolkit(release), Some(isa), "{release:?}");
        }
    }
}
