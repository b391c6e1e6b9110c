//! Names with `*` in them.

/// True if the whole `name` fits `pattern`, in which `*` stands for any characters.
#[must_use]
pub fn fits(pattern: &str, name: &str) -> bool {
    let Some((head, rest)) = pattern.split_once('*') else { return pattern == name };
    let Some(mut left) = name.strip_prefix(head) else { return false };
    let mut parts: Vec<&str> = rest.split('*').collect();
    let tail = parts.pop().unwrap_or_default();
    for part in parts {
        let Some((_, after)) = left.split_once(part) else { return false };
        left = after;
    }
    left.ends_with(tail)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_with_stars_fits_the_whole_name() {
        for (pattern, name, expected) in [
            ("read", "read", true),
            ("read", "read_file", false),
            ("Read", "read", false),
            ("read*", "read_file", true),
            ("*file", "read_file", true),
            ("*file", "read_files", false),
            ("r*d*e", "read_file", true),
            ("r*d*x", "read_file", false),
            ("min*io*", "minimax.io", true),
            ("*", "", true),
            ("a*a", "a", false),
            ("a*b*b", "ab", false),
            ("a*b*c", "a-c-b", false),
            ("**", "x", true),
            ("", "x", false),
        ] {
            assert_eq!(fits(pattern, name), expected, "{pattern} {name}");
        }
    }
}
