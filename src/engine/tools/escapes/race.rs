//! Tools at work in a directory that is swapped for a link that leads out, and back, all the time.

use std::collections::BTreeMap;
use std::os::unix::fs::symlink;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use rustix::fs::CWD;

use super::{SECRET, collect};
use crate::tools::test_support::{TestBench, header};

/// The calls, repeated over and over.
const RACING: [(&str, &str); 12] = [
    ("read_file", r#"{"path":"spot/file"}"#),
    ("list_dir", r#"{"path":"spot"}"#),
    ("create_new_file", r#"{"path":"spot/file","content":"fine"}"#),
    (
        "overwrite_entire_file",
        r#"{"path":"spot/file","known_old_total_lines":1,"known_old_total_bytes":5,"content":"x"}"#,
    ),
    ("mk_dir", r#"{"path":"spot/made/deep"}"#),
    ("move_file", r#"{"from":"spot/file","to":"taken"}"#),
    ("move_file", r#"{"from":"taken","to":"spot/file"}"#),
    ("rm_file", r#"{"path":"spot/file"}"#),
    ("move_dir", r#"{"from":"spot/made","to":"moved"}"#),
    ("rm_dir", r#"{"path":"moved","recursive":true}"#),
    ("apply_patch", r#"{"patch":"*** Begin Patch\n*** Add File: spot/p/q\n+x\n*** End Patch"}"#),
    ("rm_dir", r#"{"path":"spot/p","recursive":true}"#),
];

const RACES: usize = 10_000;

#[test]
fn c06_a_directory_swapped_for_a_link_lets_no_tool_out() {
    let bench = TestBench::new();
    bench.put("spot/file", "fine\n").put("../prey/file", format!("{SECRET}\n"));
    bench.put("../prey/made/x", SECRET).put("../prey/p/x", SECRET);
    let (spot, link) = (bench.at("spot"), bench.at("../link"));
    symlink(bench.at("../prey"), &link).unwrap();
    let mut before = BTreeMap::new();
    collect(&bench.at("../prey"), &mut before);
    let (stop, swaps) = (AtomicBool::new(false), AtomicUsize::new(0));
    let (mut done, mut denied) = (0, 0);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                let swap = rustix::fs::RenameFlags::EXCHANGE;
                rustix::fs::renameat_with(CWD, &spot, CWD, &link, swap).unwrap();
                swaps.fetch_add(1, Ordering::Relaxed);
            }
        });
        for round in 0..RACES {
            let (tool, call) = RACING[round % RACING.len()];
            let outcome = bench.run_raw(tool, call);
            assert!(!outcome.text.contains(SECRET), "{tool}: {}", outcome.text);
            done += usize::from(outcome.ok);
            denied += usize::from(header(&outcome, "error") == Some("ACCESS_DENIED"));
        }
        stop.store(true, Ordering::Relaxed);
    });
    let mut after = BTreeMap::new();
    collect(&bench.at("../prey"), &mut after);
    assert_eq!(after, before);
    let swaps = swaps.load(Ordering::Relaxed);
    eprintln!("{RACES} calls, {done} done, {denied} denied, {swaps} swaps");
    assert!(done > 0 && denied > 0, "one side of the race was not seen");
}
