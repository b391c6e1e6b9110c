//! Names with `*` in them.

/// True if `name` fits `pattern`, in which `*` stands for any characters. Letter case does not matter.
pub(super) fn fits(pattern: &str, name: &str) -> bool {
    let (pattern, name) = (pattern.to_lowercase(), name.to_lowercase());
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = name.strip_prefix(first) else { return false };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else { return rest.is_empty() };
    for part in parts {
        match rest.split_once(part) {
            Some((_, after)) => rest = after,
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::fits;

    #[test]
    fn a_star_stands_for_any_characters() {
        for (pattern, name, expected) in [
            ("*", "", true),
            ("*", "any", true),
            ("openai", "openai", true),
            ("openai", "openai2", false),
            ("OPEN*", "openai", true),
            ("*-plan", "z.ai-coding-plan", true),
            ("min*io*", "minimax.io", true),
            ("a*b*c", "a-c-b", false),
            ("a*a", "a", false),
            ("", "x", false),
        ] {
            assert_eq!(fits(pattern, name), expected, "{pattern} {name}");
        }
    }
}
