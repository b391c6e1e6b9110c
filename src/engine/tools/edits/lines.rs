//! A text as lines that keep their ends, and where lines stand among other lines. Pure.

/// The lines of a text, each with its line end; the last one may lack it.
pub(in crate::tools) fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

/// A line without its end, whether `\n` or `\r\n`.
pub(in crate::tools) fn bare(line: &str) -> &str {
    let line = line.strip_suffix('\n').unwrap_or(line);
    line.strip_suffix('\r').unwrap_or(line)
}

/// Returns the indices at which `wanted` occurs in `lines`, at most `limit`, overlapping ones
/// included. Takes linear time in both lengths, whatever they hold.
pub(in crate::tools) fn places<S, T>(wanted: &[S], lines: &[T], limit: usize) -> Vec<usize>
where
    S: PartialEq + PartialEq<T>,
{
    let mut found = Vec::new();
    if wanted.is_empty() {
        return found;
    }
    let borders = borders(wanted);
    let mut matched = 0;
    for (at, line) in lines.iter().enumerate() {
        while matched > 0 && wanted.get(matched).is_none_or(|next| next != line) {
            matched = shorter(&borders, matched);
        }
        if wanted.get(matched).is_some_and(|next| next == line) {
            matched += 1;
        }
        if matched == wanted.len() {
            found.push(at + 1 - matched);
            if found.len() == limit {
                break;
            }
            matched = shorter(&borders, matched);
        }
    }
    found
}

/// Returns for each prefix of `wanted` the length of its longest proper prefix that is also its suffix.
fn borders<S: PartialEq>(wanted: &[S]) -> Vec<usize> {
    let mut borders = vec![0];
    let mut matched = 0;
    for line in wanted.iter().skip(1) {
        while matched > 0 && wanted.get(matched) != Some(line) {
            matched = shorter(&borders, matched);
        }
        if wanted.get(matched) == Some(line) {
            matched += 1;
        }
        borders.push(matched);
    }
    borders
}

fn shorter(borders: &[usize], matched: usize) -> usize {
    matched.checked_sub(1).and_then(|last| borders.get(last)).copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn lines_keep_their_ends_and_bare_lines_lose_them() {
        for (text, expected) in [
            ("", vec![]),
            ("a", vec!["a"]),
            ("a\n", vec!["a"]),
            ("a\r\nb\rc\n\n", vec!["a", "b\rc", ""]),
        ] {
            assert_eq!(lines(text).concat(), text);
            let found: Vec<&str> = lines(text).into_iter().map(bare).collect();
            assert_eq!(found, expected);
        }
    }

    #[test]
    fn finding_takes_no_longer_on_texts_that_repeat_themselves() {
        let many = vec!["x"; 200_000];
        let mut wanted = vec!["x"; 100_000];
        wanted.push("y");
        assert_eq!(places(&wanted, &many, 9), Vec::<usize>::new());
        assert_eq!(places(&wanted[..99_999], &many, 3), [0, 1, 2]);
    }

    proptest! {
        #[test]
        fn places_are_those_a_plain_look_finds(
            wanted in proptest::collection::vec("[ab]", 1..4),
            among in proptest::collection::vec("[ab]", 0..24),
        ) {
            let plain: Vec<usize> = among
                .windows(wanted.len())
                .enumerate()
                .filter(|(_, window)| *window == wanted.as_slice())
                .map(|(at, _)| at)
                .collect();
            prop_assert_eq!(places(&wanted, &among, usize::MAX), plain);
        }
    }
}
