//! Searching large trees and large files.

use std::fs::{self, File};
use std::io::{BufWriter, Write as _};

use crate::{alone, measured};

const LIMIT_BYTES: u64 = 100 * 1024 * 1024;

fn assert_small(what: &str, grown: Option<u64>) {
    match grown {
        Some(grown) => {
            eprintln!("{what}: {} KiB more memory", grown / 1024);
            assert!(grown < LIMIT_BYTES, "{what}: {grown} bytes");
        }
        None => eprintln!("SKIPPED: {what}: this system does not tell how much memory was used"),
    }
}

#[test]
fn c08_a_tree_of_a_hundred_thousand_files_is_searched_in_little_memory() {
    let _alone = alone();
    let dir = tempfile::tempdir().expect("a folder");
    for folder in 0..100 {
        let folder = dir.path().join(format!("d{folder:02}"));
        fs::create_dir(&folder).expect("a folder");
        for file in 0..1_000 {
            fs::write(folder.join(format!("f{file:03}.txt")), "a needle\nmore\n").expect("a file");
        }
    }
    let arguments = r#"{"pattern": "needle"}"#;
    let (outcome, grown) = measured(dir.path(), "ripgrep_count", arguments);
    assert!(outcome.text.contains("total_results: 100000\n"), "{}", outcome.text);
    assert!(outcome.text.contains("shown_files: 200\n"), "{}", outcome.text);
    assert_small("a large tree", grown);
}

#[test]
fn c08_a_hundred_megabytes_in_long_lines_are_searched_in_little_memory() {
    let _alone = alone();
    let dir = tempfile::tempdir().expect("a folder");
    let file = File::create(dir.path().join("large.txt")).expect("a file");
    let mut file = BufWriter::new(file);
    let line = vec![b'x'; 1024 * 1024];
    for number in 0..100 {
        file.write_all(&line).expect("written");
        // Ten lines of ten mebibytes each.
        let end = if number % 10 == 9 { "needle\n" } else { "" };
        file.write_all(end.as_bytes()).expect("written");
    }
    file.flush().expect("written");
    let arguments = r#"{"pattern": "needle", "context_before": 50, "context_after": 50}"#;
    let (outcome, grown) = measured(dir.path(), "ripgrep_snippets", arguments);
    assert!(outcome.text.contains("shown_results: 10\n"), "{}", outcome.text);
    assert!(outcome.text.contains("\n10: "), "{}", outcome.text);
    assert_small("long lines", grown);
    let (outcome, grown) = measured(dir.path(), "ripgrep_files", r#"{"pattern": "x+$"}"#);
    assert!(outcome.ok, "{}", outcome.text);
    assert_small("long matches", grown);
}

#[test]
fn c08_output_without_end_is_cut_and_the_search_ends() {
    let _alone = alone();
    let dir = tempfile::tempdir().expect("a folder");
    let file = File::create(dir.path().join("many.txt")).expect("a file");
    let mut file = BufWriter::new(file);
    for _ in 0..1_000_000 {
        file.write_all(b"a needle in every line of a file without end\n").expect("written");
    }
    file.flush().expect("written");
    let arguments = r#"{"pattern": "needle", "max_results": 1000000, "context_before": 50}"#;
    let (outcome, grown) = measured(dir.path(), "ripgrep_snippets", arguments);
    assert!(outcome.text.contains("truncated_by_char_limit: true\n"), "{}", outcome.text);
    assert_small("endless output", grown);
}
