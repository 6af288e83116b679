//! Files that are too long are refused before they are read.

mod common;

use std::fs;

use common::{Bench, MODULE};

#[test]
fn a_file_that_is_too_long_is_not_read() {
    let bench = Bench::new();
    fs::write(bench.path("good.ptx"), MODULE).unwrap();
    for name in ["big.ptx", "big.toml"] {
        // A sparse file has no blocks on the disk.
        fs::File::create(bench.path(name)).unwrap().set_len(5 << 30).unwrap();
    }
    for (arguments, limit) in [
        ("check big.ptx", "4 GiB"),
        ("run big.ptx 1", "4 GiB"),
        ("prove big.ptx big.ptx", "4 GiB"),
        ("check --config big.toml good.ptx", "256 MiB"),
        ("check --targets-from big.toml good.ptx", "256 MiB"),
        ("check --baseline big.toml good.ptx", "256 MiB"),
        ("recipes big.toml", "256 MiB"),
    ] {
        let output = bench.ptxcvt(arguments).output().unwrap();
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments}: {message}");
        assert!(message.contains(&format!("it is larger than {limit}")), "{arguments}: {message}");
    }
}
