//! The READMEs of archives. Their links lead to files of the sources, which an archive does not have: there they lead
//! to the repository at the version of the archive or, while `repository` of Cargo.toml is empty, remain as their
//! text. Pictures lead to the file itself, and without a repository they are left out.

use std::fs;
use std::path::Path;

/// Copies a file in Markdown, named by its path from the root, into an archive.
pub fn copy(root: &Path, file: &str, to: &Path) -> Result<(), String> {
    let text = fs::read_to_string(root.join(file)).map_err(|e| format!("{file}: {e}"))?;
    let folder = file.rsplit_once('/').map_or("", |(folder, _)| folder);
    let packed = packed(&text, folder, env!("CARGO_PKG_REPOSITORY"), env!("CARGO_PKG_VERSION"));
    fs::write(to, packed).map_err(|e| format!("{}: {e}", to.display()))
}

/// A text whose links to files, relative to `folder`, are replaced.
fn packed(text: &str, folder: &str, repository: &str, version: &str) -> String {
    let mut out = String::new();
    for (at, piece) in text.split("```").enumerate() {
        if at > 0 {
            out += "```";
        }
        // What is between fences is code.
        if at % 2 == 0 {
            links(piece, folder, repository, version, &mut out)
        } else {
            out += &without_statuses(piece)
        }
    }
    out
}

/// A console session without the lines `? 1`, which tell the tests a command's status and which no shell prints.
fn without_statuses(code: &str) -> String {
    let is_status = |line: &&str| {
        let status = line.trim_end().strip_prefix("? ");
        status.is_some_and(|status| !status.is_empty() && status.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let is_session = code.starts_with("console");
    code.split_inclusive('\n').filter(|line| !(is_session && is_status(line))).collect()
}

fn links(text: &str, folder: &str, repository: &str, version: &str, out: &mut String) {
    let mut rest = text;
    while let Some(middle) = rest.find("](") {
        let (before, after) = (&rest[..middle], &rest[middle + 2..]);
        let (Some(open), Some(end)) = (before.rfind('['), after.find(')')) else { break };
        let (words, target) = (&before[open + 1..], &after[..end]);
        // The words of a picture are for those who do not see it, and are no sentence of the text.
        let is_picture = before[..open].ends_with('!');
        let leaves_out = is_picture && repository.is_empty() && !target.contains("://");
        out.push_str(&before[..open - usize::from(leaves_out)]);
        match target {
            _ if leaves_out => {
                rest = after[end + 1..].trim_start_matches('\n');
                continue;
            }
            _ if target.contains("://") || target.starts_with('#') => *out += &format!("[{words}]({target})"),
            _ if repository.is_empty() => out.push_str(words),
            _ => {
                let kind = if is_picture { "raw" } else { "blob" };
                *out += &format!("[{words}]({repository}/{kind}/v{version}/{})", resolved(folder, target));
            }
        }
        rest = &after[end + 1..];
    }
    out.push_str(rest);
}

/// A path relative to a folder of the repository, from its root.
fn resolved(folder: &str, target: &str) -> String {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in target.split('/') {
        match part {
            "." => {}
            ".." => drop(parts.pop()),
            name => parts.push(name),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::packed;

    const TEXT: &str = "See [the\nlog](../../docs/log.md#c), [`x`](x.c) and [us](https://a.b/).\n```c\na[0](1);\n```\n[b](#b)";

    #[test]
    fn links_lead_to_the_repository_or_are_words() {
        let to = packed(TEXT, "bindings/c", "https://r.org/p", "1.2");
        assert!(to.contains("[the\nlog](https://r.org/p/blob/v1.2/docs/log.md#c)"), "{to}");
        assert!(
            to.contains("[`x`](https://r.org/p/blob/v1.2/bindings/c/x.c) and [us](https://a.b/)"),
            "{to}"
        );
        let none = packed(TEXT, "bindings/c", "", "1.2");
        assert_eq!(none, "See the\nlog, `x` and [us](https://a.b/).\n```c\na[0](1);\n```\n[b](#b)");
    }

    /// A picture is the file itself, or nothing: its mark does not remain.
    #[test]
    fn pictures_are_files_or_left_out() {
        let text = "Before.\n\n![a picture](docs/p.png)\n\nAfter ![one](https://a.b/c.png)![two](d.png)!\n";
        let to = packed(text, "", "https://r.org/p", "1.2");
        assert!(to.contains("![a picture](https://r.org/p/raw/v1.2/docs/p.png)"), "{to}");
        assert_eq!(packed(text, "", "", "1.2"), "Before.\n\nAfter ![one](https://a.b/c.png)!\n");
    }

    #[test]
    fn sessions_have_no_statuses() {
        let text = "```console\n$ f\n? 1\nno\n```\n```c\n? 1\n```\n? 1\n";
        assert_eq!(packed(text, "", "", "1.2"), "```console\n$ f\nno\n```\n```c\n? 1\n```\n? 1\n");
    }
}
