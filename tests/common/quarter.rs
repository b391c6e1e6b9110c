//! Loops over very many like cases. A run takes a quarter of them: `DOMINDS_QUARTER` says which, 0 to 3 (without it
//! 0), or `all`. The crates that use it in unit tests include this file.

use std::thread;
use std::vec::IntoIter;

const QUARTERS: usize = 4;

/// The quarter of this run; nothing if it takes all cases.
fn wanted() -> Option<usize> {
    let said = std::env::var_os("DOMINDS_QUARTER").unwrap_or_default();
    if said == "all" {
        return None;
    }
    let number: Option<usize> =
        if said.is_empty() { Some(0) } else { said.to_str().and_then(|one| one.parse().ok()) };
    let is_one = number.is_some_and(|number| number < QUARTERS);
    assert!(is_one, "DOMINDS_QUARTER is `{}`, and not 0, 1, 2, 3 or all", said.display());
    number
}

/// True if a quarter has this one of so many cases. All quarters have the first and the last. Of each four others a
/// quarter has one, which turns by the golden ratio: without a period, no quarter of a product, as of sizes and
/// keys, has only some values of a factor.
pub fn is_in(quarter: usize, at: usize, count: usize) -> bool {
    const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;
    let turn = ((at / QUARTERS) as u64).wrapping_mul(GOLDEN) >> 62;
    at == 0 || at + 1 == count || (at as u64 + turn) % QUARTERS as u64 == quarter as u64
}

/// The cases of this run, one after the other. A loop over it that fails says in which case.
#[derive(Debug)]
pub struct Quarter<T> {
    left: IntoIter<(usize, T)>,
    count: usize,
    /// The case that was taken last.
    at: Option<usize>,
}

/// The cases of this run.
pub fn quarter<T>(all: impl IntoIterator<Item = T>) -> Quarter<T> {
    let mut left: Vec<(usize, T)> = all.into_iter().enumerate().collect();
    let count = left.len();
    if let Some(quarter) = wanted() {
        left.retain(|(at, _)| is_in(quarter, *at, count));
        eprintln!(
            "quarter {quarter}: {} of {count} cases; DOMINDS_QUARTER=all takes all",
            left.len()
        );
    }
    Quarter { left: left.into_iter(), count, at: None }
}

impl<T> Iterator for Quarter<T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        let next = self.left.next();
        self.at = next.as_ref().map(|(at, _)| *at);
        next.map(|(_, case)| case)
    }
}

impl<T> Drop for Quarter<T> {
    fn drop(&mut self) {
        if let Some(at) = self.at.filter(|_| thread::panicking()) {
            eprintln!("it failed in case {at} of {}", self.count);
        }
    }
}

/// How often something random is tried: as often as this variable says, otherwise `all` times or a quarter of that.
pub fn tries(variable: &str, all: u32) -> u32 {
    let said = std::env::var_os(variable).and_then(|said| said.to_str()?.parse().ok());
    said.unwrap_or_else(|| if wanted().is_none() { all } else { all.div_ceil(4) })
}
