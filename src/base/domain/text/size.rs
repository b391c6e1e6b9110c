//! Numbers of bytes, as people read them.

use crate::domain::Lang;
use crate::domain::text::in_lang;

/// A number of bytes, with one decimal from 1,000 on.
#[must_use]
pub fn size(bytes: usize, lang: Lang) -> String {
    let tenths = |unit: usize| (bytes / unit, bytes % unit * 10 / unit);
    match bytes {
        0..1_000 => in_lang!(lang, "{bytes} B", "{bytes} 字节"),
        1_000..1_000_000 => {
            let (whole, tenth) = tenths(1_000);
            format!("{whole}.{tenth} KB")
        }
        _ => {
            let (whole, tenth) = tenths(1_000_000);
            format!("{whole}.{tenth} MB")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_is_short_in_every_range() {
        for (bytes, expected) in
            [(0, "0 B"), (999, "999 B"), (1_234, "1.2 KB"), (999_999, "999.9 KB")]
        {
            assert_eq!(size(bytes, Lang::En), expected);
        }
        assert_eq!(size(4_200_000, Lang::Zh), "4.2 MB");
        assert!(size(usize::MAX, Lang::En).ends_with(" MB"));
    }
}
