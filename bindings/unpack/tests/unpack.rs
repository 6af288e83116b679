//! Files that the reference encoder packed, whole and damaged.

use ptxcvt_unpack::unpack;

/// The parameters, and what liblzma 5.4 made of `text` with them, with the length in the header.
const PACKED: [(&str, &str); 3] = [
    (
        "lc 3, lp 0, pb 0",
        "0300000100b80600000000000000319e783867fe1ccbda319f43715112831e0906d09369f4bbc0efbfe9566c40b9cf3a\
     1f5c7f8ad50f8067c89e28d22510545db7a966449c6759b533cbcec0ce3cca37bce777edfebdc354894c9443fd740b6c\
     39b562379d4c5e0c87f70250061ea3dde2f1f3d35b558b4452958674e0bf8e3cb7e9d65e5dba2d18de587b126f256d16\
     4d3f0c3a5a16b426d2eb0d0d2a0caba4e4e0312313cf7b9e7221b32c1b0de17ce52688e0d7f53fff15e80200",
    ),
    (
        "lc 0, lp 2, pb 2",
        "6c00000100b80600000000000000319d8a82e3c841c0cb30f1b51a8526918db733658e9153b36dd824823ba16d46b960\
     801ef23a09cf5b49b38e9db1987360e6d5036c478917a0bc00e2096acbdb384fdb6afcf86ffce6736f779a6b000dc7ce\
     73fbd91fc4286c1adf9725445683c6e392fa10ed26672c2bbd58ae8f94246a30914cf2b3f7140a916411e2a1099b673a\
     2b7c2b04b596f60dd0aa65779a0d406a05c2b632d05a0dcfafe8d4ec0122aab75125fc3dd6b953345506c503ea6569f0\
     0362de9fffc9e7f600",
    ),
    (
        "lc 4, lp 0, pb 2",
        "5e00000100b80600000000000000319d8a82e2f5802be2105cc45fa5bb2d076a18ba87be619f0f472f02107cb3c3a241\
     1da622f82d4235331e354cd5f197086972eb62921145d1423f5c3fb9bbceb05d12e6a4e23e07414826f7fb5056808573\
     a8e09d9ae4b7402a9898a15dfd71824e432e0367667cf9b395b0dcb065c3ca69b94f6254e3cb00717fff0ade0ad7c778\
     78a7049ee404a4767b3e55fe174c0991f7449464c554d2d68852c0226b9ae18d6c926fbe60882b5af94cf3bfffd190ef\
     00",
    ),
];

fn text() -> String {
    (0..40)
        .map(|i| format!("cvt.rn.satfinite.e4m3x2.f32 %h{}, %f{}, %f{};\n", i % 7, i * i % 11, i % 5))
        .collect()
}

fn bytes(hex: &str) -> Vec<u8> {
    let digit = |digit: u8| char::from(digit).to_digit(16).unwrap() as u8;
    hex.as_bytes().chunks_exact(2).map(|pair| digit(pair[0]) << 4 | digit(pair[1])).collect()
}

#[test]
fn whole_files() {
    for (how, packed) in PACKED {
        let mut output = vec![0; text().len()];
        assert_eq!(unpack(&bytes(packed), &mut output), Some(()), "{how}");
        assert_eq!(String::from_utf8(output).unwrap(), text(), "{how}");
    }
}

/// A file that is cut has no output; with wrong bytes, it ends without a panic.
#[test]
fn damaged_files() {
    for (how, packed) in PACKED {
        let file = bytes(packed);
        let mut output = vec![0; text().len()];
        assert_eq!(unpack(&file, &mut output[1..]), None, "{how}: another length");
        for at in 0..file.len() {
            // The end marker, which these files have in addition to the length, and the last bytes of the coder are not
            // read.
            let cut = unpack(&file[..at], &mut output);
            assert!(cut.is_none() || at + 16 > file.len(), "{how}: {at} bytes");
            for flip in [1, 0x80, 0xff] {
                let mut other = file.clone();
                other[at] ^= flip;
                let _ = unpack(&other, &mut output);
            }
        }
    }
}
