//! The size of each crate: growth beyond its budget is decided in the commit that needs it.

use std::path::PathBuf;

use super::{Source, lines, program, report};

/// The folder of each crate, and the most lines of code it may have: neither blank lines nor comments, and no tests.
const BUDGETS: [(&str, usize); 4] = [
    // Each is the count at its last change, rounded up to the next 500.
    // The first list of a large workspace writes its index on the way.
    ("src/base", 31_000),
    // Headers of servers with a text before the value of a variable, as Dominds 1.29 has them.
    ("src/engine", 67_000),
    ("src/program", 20_000),
    // The overview: the key that helps in each row, columns, and what has ended today.
    ("src/ui", 43_000),
];

#[test]
fn no_crate_has_more_lines_of_code_than_its_budget() {
    let program = program();
    let mut above = Vec::new();
    for (folder, budget) in BUDGETS {
        let files = program.iter().filter(|source| source.path.starts_with(folder));
        let code: usize = files.map(|source| lines(source).len()).sum();
        if code > budget {
            above.push(format!("{folder}: {code} lines of code, its budget is {budget}"));
        }
    }
    let rule = "a crate passed its budget: remove code, or raise its number in `BUDGETS` to the next 500 in the same \
                commit and say why there";
    report(rule, &above);
}

#[test]
fn every_file_of_the_program_counts_for_the_budget_of_a_crate() {
    let counts =
        |source: &Source| BUDGETS.iter().any(|(folder, _)| source.path.starts_with(folder));
    let uncounted = program().into_iter().filter(|source| !counts(source));
    let uncounted: Vec<String> =
        uncounted.map(|source| source.path.display().to_string()).collect();
    report("the crate of this file has no budget", &uncounted);
}

#[test]
fn blank_lines_comments_and_tests_are_no_lines_of_code() {
    let text = "//! A file.\n\nuse a::b;\n\n/// Says so.\nfn c() {\n    // Why.\n    b(); // and how\n}\n\n\
                #[cfg(test)]\nmod tests {\n    fn d() {}\n}\n";
    let source = Source { path: PathBuf::from("src/base/a.rs"), text: text.to_owned() };
    let numbers: Vec<usize> = lines(&source).into_iter().map(|(number, _)| number).collect();
    assert_eq!(numbers, [3, 6, 8, 9]);
}
