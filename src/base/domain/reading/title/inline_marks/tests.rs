//! What is a mark, and what stays.

use proptest::prelude::*;

use super::*;

#[test]
fn text_between_backticks_is_literal() {
    for (line, expected) in [
        ("Allow `rm -rf build/*`?", "Allow rm -rf build/*?"),
        ("Drop `*.log` and `**/a_b_c`?", "Drop *.log and **/a_b_c?"),
        ("`count(*)` or `sum(*)`", "count(*) or sum(*)"),
        ("`[a](b)` and `~~x~~`", "[a](b) and ~~x~~"),
        ("``a ` b`` c", "a ` b c"),
        ("*a `b* c` d", "*a b* c d"),
        ("[`a](b)` c", "[a](b) c"),
        ("**`a`** and (**`b`**)", "a and (b)"),
    ] {
        assert_eq!(without_inline_marks(line), expected, "{line}");
    }
}

#[test]
fn only_pairs_of_marks_are_removed() {
    for (line, expected) in [
        ("**a** *b* __c__ _d_ ~~e~~ ***f***", "a b c d e f"),
        ("请**确认**是否*保留*这个__表__。", "请确认是否保留这个__表__。"),
        ("**Note:** a, **really?**, (*b*)", "Note: a, really?, (b)"),
        ("**a *b* c**", "a b c"),
        ("**a*", "*a"),
        ("*a *b *c x~~ d* ~~e~~", "*a *b c x~~ d e"),
        ("[**a** `b`](http://x/(y) \"t\") z", "a b z"),
        ("![a](b) [c](<d>)", "a c"),
        ("参见[这里](a.md)", "参见这里"),
    ] {
        assert_eq!(without_inline_marks(line), expected, "{line}");
    }
}

#[test]
fn what_is_no_pair_of_marks_stays() {
    for line in [
        "Drop *.log?",
        "2*3",
        "2*3*4 and 2**3 and 2**4",
        "3 * 4 * 5",
        "count(*)",
        "count(*) or sum(*)?",
        "__init__.py",
        "self.__dict__ of __main__:run",
        "snake_case_name and a__b__c",
        "rm -rf build/*",
        "src/*.rs tests/*.rs",
        "src/**/a tests/**/b",
        "**/target and src/**?",
        "*.log and a/*.x and tmp*?",
        "*_old and tmp_*",
        "f(*a, **kwargs)",
        "grep 'a.*' 'b.*'",
        "5 > 3 ~ ~/a ~/b ~x~",
        "`open",
        "``open` too",
        "a ** b",
        "\\*a\\*",
        "f[i](x) and g[name]()",
        "[a](b c)",
        "[a] (b)",
        "(*)",
    ] {
        assert_eq!(without_inline_marks(line), line);
    }
}

proptest! {
    #[test]
    fn a_line_without_pairs_is_unchanged(
        before in "[a-z0-9 ./?(),-]{0,20}",
        run in r"\*{1,3}|_{1,3}|~{1,3}|`{1,3}",
        after in "[a-z0-9 ./?(),-]{0,20}",
    ) {
        let line = format!("{before}{run}{after}");
        prop_assert_eq!(without_inline_marks(&line), line);
    }

    #[test]
    fn nothing_but_marks_is_removed(line in r"[a-c 的（.,/?!()*_~`\\-]{0,60}") {
        let rest = |text: &str| text.replace(['*', '_', '~', '`'], "");
        let plain = without_inline_marks(&line);
        prop_assert_eq!(rest(&plain), rest(&line));
        for mark in ['*', '_', '~', '`'] {
            let removed = line.matches(mark).count() - plain.matches(mark).count();
            prop_assert_eq!(removed % 2, 0, "{:?} in {:?}", mark, plain);
        }
    }

    #[test]
    fn code_stays_as_it_is(code in r"[a-c *_~\[\]().]{1,30}") {
        prop_assert_eq!(without_inline_marks(&format!("a `{code}` b")), format!("a {code} b"));
    }

    #[test]
    fn any_line_is_read(line in ".{0,200}") {
        prop_assert!(without_inline_marks(&line).len() <= line.len());
    }
}
