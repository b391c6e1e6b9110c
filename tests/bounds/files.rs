//! Files far larger than what is shown of them.

use std::fs::File;
use std::io::{BufWriter, Write};

use serde_json::json;

use crate::{Ground, stays_small};

const LINE: &str = "a line of a long file, with some words to fill it up to this length ....\n";
const LARGE_BYTES: usize = 100 * 1024 * 1024;

fn large(ground: &Ground) -> usize {
    let file = File::create(ground.at("large.txt")).expect("a file");
    let mut file = BufWriter::new(file);
    let lines = LARGE_BYTES / LINE.len();
    for _ in 0..lines {
        file.write_all(LINE.as_bytes()).expect("room on the disk");
    }
    lines
}

#[test]
fn reading_a_part_of_a_100_mb_file_takes_little_memory() {
    let ground = Ground::new();
    let lines = large(&ground);
    let range = format!("{}~", lines - 10);
    let call = json!({"path": "large.txt", "range": range});
    let outcome = stays_small("the end by range", ground.run("read_file", &call));
    assert!(outcome.ok && outcome.text.contains(&format!("total_lines: {lines}\n")));
    let call = json!({"path": "large.txt"});
    assert!(stays_small("the beginning", ground.run("read_file", &call)).ok);
}

#[test]
fn a_file_of_one_100_mb_line_takes_little_memory() {
    let ground = Ground::new();
    let mut file = BufWriter::new(File::create(ground.at("line.txt")).expect("a file"));
    for _ in 0..LARGE_BYTES / 64 {
        file.write_all(&[b'x'; 64]).expect("room on the disk");
    }
    drop(file);
    let call = json!({"path": "line.txt"});
    assert!(stays_small("one line", ground.run("read_file", &call)).ok);
}

#[test]
fn a_file_too_large_to_edit_is_refused_before_it_is_read_whole() {
    let ground = Ground::new();
    large(&ground);
    let call = json!({"path": "large.txt", "range": "1", "content": "x"});
    let outcome = stays_small("an edit", ground.run("prepare_file_range_edit", &call));
    assert!(outcome.text.contains("error: FILE_TOO_LARGE"), "{}", outcome.text);
    let call = json!({"path": "large.txt", "known_old_total_lines": 1, "known_old_total_bytes": 1, "content": "x"});
    let outcome = stays_small("a replacement", ground.run("overwrite_entire_file", &call));
    assert!(outcome.text.contains("error: STATS_MISMATCH"), "{}", outcome.text);
}

#[test]
fn a_file_of_nothing_but_line_ends_cannot_be_made_expensive() {
    let ground = Ground::new();
    std::fs::write(ground.at("ends.txt"), vec![b'\n'; 16 * 1024 * 1024]).expect("a file");
    let call = json!({"path": "ends.txt", "range": "~", "content": "x"});
    let outcome = stays_small("line ends", ground.run("prepare_file_range_edit", &call));
    assert!(outcome.text.contains("error: FILE_TOO_LARGE"), "{}", outcome.text);
}
