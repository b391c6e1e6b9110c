//! Searching large trees and large files.

use std::fs::{self, File};
use std::io::{BufWriter, Write as _};

use serde_json::{Value, json};

use crate::{Ground, stays_small};

impl Ground {
    /// Runs a search in little memory; gives what it found.
    fn search(&self, tool: &str, args: &Value) -> String {
        let outcome = stays_small(tool, self.run(tool, args));
        assert!(outcome.ok, "{}", outcome.text);
        outcome.text
    }

    fn writer(&self, path: &str) -> BufWriter<File> {
        BufWriter::new(File::create(self.at(path)).expect("a file"))
    }
}

#[test]
fn c08_a_tree_of_a_hundred_thousand_files_is_searched_in_little_memory() {
    let ground = Ground::new();
    for folder in 0..100 {
        let folder = ground.at(&format!("d{folder:02}"));
        fs::create_dir(&folder).expect("a folder");
        for file in 0..1_000 {
            fs::write(folder.join(format!("f{file:03}.txt")), "a needle\nmore\n").expect("a file");
        }
    }
    let found = ground.search("ripgrep_count", &json!({"pattern": "needle"}));
    assert!(found.contains("total_results: 100000\n"), "{found}");
    assert!(found.contains("shown_files: 200\n"), "{found}");
}

#[test]
fn c08_a_hundred_megabytes_in_long_lines_are_searched_in_little_memory() {
    let ground = Ground::new();
    let mut file = ground.writer("large.txt");
    let line = vec![b'x'; 1024 * 1024];
    for number in 0..100 {
        file.write_all(&line).expect("written");
        // Ten lines of ten mebibytes each.
        let end = if number % 10 == 9 { "needle\n" } else { "" };
        file.write_all(end.as_bytes()).expect("written");
    }
    file.flush().expect("written");
    let found = ground.search(
        "ripgrep_snippets",
        &json!({"pattern": "needle", "context_before": 50, "context_after": 50}),
    );
    assert!(found.contains("shown_results: 10\n"), "{found}");
    assert!(found.contains("\n10: "), "{found}");
    let found = ground.search("ripgrep_files", &json!({"pattern": "x+$"}));
    assert!(found.contains("large.txt"), "{found}");
}

#[test]
fn c08_output_without_end_is_cut_and_the_search_ends() {
    let ground = Ground::new();
    let mut file = ground.writer("many.txt");
    for _ in 0..1_000_000 {
        file.write_all(b"a needle in every line of a file without end\n").expect("written");
    }
    file.flush().expect("written");
    let found = ground.search(
        "ripgrep_snippets",
        &json!({"pattern": "needle", "max_results": 1_000_000, "context_before": 50}),
    );
    assert!(found.contains("truncated_by_char_limit: true\n"), "{found}");
}
