//! Directory patterns: names separated by `/`; `*` and `?` within a name, `**` for any depth.
//! A pattern covers every path that has a matching directory among its beginnings, itself
//! included. Matching takes time proportional to pattern length times path length, never more.

use crate::domain::text::Text;

/// The longest pattern, in bytes.
const MAX_PATTERN_BYTES: usize = 1_024;

/// A usable directory pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DirPattern(Vec<PatternSegment>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum PatternSegment {
    AnyDepth,
    Name(Vec<char>),
}

impl DirPattern {
    /// Parses a pattern; the error says why it is invalid. `.` stands for the whole workspace.
    pub(super) fn parse(text: &str) -> Result<Self, Text> {
        if text.trim().is_empty() {
            return Err(Text::new("is empty", "为空"));
        }
        if text.len() > MAX_PATTERN_BYTES {
            return Err(Text::new("is too long", "太长"));
        }
        if text.starts_with('/') {
            return Err(Text::new("must be relative to the workspace", "必须相对于工作区"));
        }
        if text.chars().any(char::is_control) {
            return Err(Text::new("holds a control character", "含有控制字符"));
        }
        let mut segments = Vec::new();
        for name in text.split('/') {
            match name {
                "" | "." => {}
                ".." => return Err(Text::new("must not hold `..`", "不能含有 `..`")),
                "**" => segments.push(PatternSegment::AnyDepth),
                name => segments.push(PatternSegment::Name(name.chars().collect())),
            }
        }
        Ok(Self(segments))
    }

    /// True if the path is the directory, or lies below it.
    pub(super) fn covers(&self, names: &[String]) -> bool {
        let mut reached = vec![false; self.0.len() + 1];
        if let Some(start) = reached.first_mut() {
            *start = true;
        }
        self.skip_depths(&mut reached);
        for name in names {
            if reached.last() == Some(&true) {
                return true;
            }
            reached = self.step(&reached, name);
        }
        reached.last() == Some(&true)
    }

    /// The pattern positions reachable after one more name.
    fn step(&self, reached: &[bool], name: &str) -> Vec<bool> {
        let mut next = vec![false; reached.len()];
        for (at, segment) in self.0.iter().enumerate() {
            if reached.get(at) != Some(&true) {
                continue;
            }
            let to = match segment {
                PatternSegment::AnyDepth => at,
                PatternSegment::Name(pattern) if name_matches(pattern, name) => at + 1,
                PatternSegment::Name(_) => continue,
            };
            if let Some(slot) = next.get_mut(to) {
                *slot = true;
            }
        }
        self.skip_depths(&mut next);
        next
    }

    /// `**` may stand for no name at all.
    fn skip_depths(&self, reached: &mut [bool]) {
        for (at, segment) in self.0.iter().enumerate() {
            if *segment == PatternSegment::AnyDepth
                && reached.get(at) == Some(&true)
                && let Some(slot) = reached.get_mut(at + 1)
            {
                *slot = true;
            }
        }
    }
}

/// Wildcard match of one name, by remembering the last star.
fn name_matches(pattern: &[char], name: &str) -> bool {
    let name: Vec<char> = name.chars().collect();
    let (mut at, mut pos) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while let Some(&found) = name.get(pos) {
        match pattern.get(at) {
            Some('*') => {
                star = Some((at, pos));
                at += 1;
            }
            Some(&wanted) if wanted == '?' || wanted == found => {
                at += 1;
                pos += 1;
            }
            Some(_) | None => {
                let Some((star_at, star_pos)) = star else { return false };
                star = Some((star_at, star_pos + 1));
                at = star_at + 1;
                pos = star_pos + 1;
            }
        }
    }
    pattern.iter().skip(at).all(|&rest| rest == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn covers(pattern: &str, path: &str) -> bool {
        let names: Vec<String> =
            path.split('/').filter(|name| !name.is_empty()).map(str::to_owned).collect();
        DirPattern::parse(pattern).unwrap().covers(&names)
    }

    #[test]
    fn patterns_cover_directories_and_all_below() {
        for (pattern, path, expected) in [
            ("src", "src", true),
            ("src", "src/a/b.rs", true),
            ("src/", "src/a", true),
            ("./src", "src/a", true),
            ("src", "srcs", false),
            ("src", "a/src", false),
            ("src", "", false),
            ("src/a", "src", false),
            (".", "", true),
            (".", "any/thing", true),
            ("**", "", true),
            ("**", "a/b", true),
            ("src/**", "src", true),
            ("src/**", "src/a/b", true),
            ("src/**", "srcs", false),
            ("src/*", "src", false),
            ("src/*", "src/a", true),
            ("src/*", "src/a/b/c", true),
            ("*", "a", true),
            ("*", "", false),
            ("a/*/c", "a/b/c", true),
            ("a/*/c", "a/b/c/d", true),
            ("a/*/c", "a/c", false),
            ("a/*/c", "a/b/d/c", false),
            ("a/**/c", "a/c", true),
            ("a/**/c", "a/b/d/c/e", true),
            ("a/**/c", "b/c", false),
            ("**/c", "c", true),
            ("**/c", "a/b/c/d", true),
            ("**/*x*", "a/axb/c", true),
            ("**/*x*", "x", true),
            ("**/*x*", "a/b/c", false),
            ("**/node_modules/**", "a/node_modules", true),
            ("*.d", "conf.d/x", true),
            ("a?c", "abc/x", true),
            ("a?c", "ac", false),
            ("a**b", "axxb", true),
            (".minds/**", ".minds/team.yaml", true),
            ("文档", "文档/说明.md", true),
            ("[ab]", "[ab]/c", true),
            ("[ab]", "a", false),
        ] {
            assert_eq!(covers(pattern, path), expected, "{pattern} on {path}");
        }
    }

    #[test]
    fn a_pattern_full_of_stars_is_answered_at_once() {
        let pattern = format!("{}b", "*a".repeat(400));
        let path = "a".repeat(4_000);
        assert!(!covers(&pattern, &path));
        let deep = vec!["**"; 300].join("/") + "/z";
        assert!(!covers(&deep, &vec!["a"; 500].join("/")));
    }
}
