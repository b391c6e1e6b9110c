//! A number with its noun in English: `1 line`, `2 lines`. Chinese has one form for both.

use std::fmt::Display;

/// The noun agrees with the number.
#[must_use]
pub fn counted<N: Copy + Display + PartialEq + From<u8>>(
    number: N,
    one: &str,
    many: &str,
) -> String {
    let noun = if number == N::from(1) { one } else { many };
    format!("{number} {noun}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_noun_agrees_with_its_number() {
        for (number, expected) in [(0, "0 lines"), (1, "1 line"), (2, "2 lines"), (21, "21 lines")]
        {
            assert_eq!(counted(number, "line", "lines"), expected);
        }
    }
}
