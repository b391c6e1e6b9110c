//! The contrast of the texts of a theme, from the colours that are drawn.
//!
//! A theme without a background of its own is drawn on the terminal's. It is measured on the least
//! favourable background it is made for: on others every contrast is higher.

use ratatui::style::{Modifier, Style};

use super::colour::rgb_of;
use super::{Rgb, Role, Theme};

/// The background a theme is measured on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Paper {
    /// A background of the terminal: no lighter than this for a dark theme, no darker for a light one.
    Weakest(Rgb),
    /// The theme has its own.
    Own,
    /// The theme has no colours.
    Terminal,
}

impl Paper {
    /// The paper of an embedded theme.
    #[must_use]
    pub fn of(theme: &str) -> Self {
        match theme {
            "dark" => Self::Weakest(Rgb([0x2e, 0x34, 0x40])),
            "light" => Self::Weakest(Rgb([0xee, 0xee, 0xee])),
            "contrast" => Self::Own,
            _ => Self::Terminal,
        }
    }
}

/// Ink and paper of a role.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pair {
    ink: Rgb,
    paper: Rgb,
}

impl Pair {
    /// The colours of a role; `None` if the terminal's own are among them.
    #[must_use]
    pub fn of(theme: &Theme, role: Role, paper: Paper) -> Option<Self> {
        let style = theme.style(role);
        Self::drawn(Style { bg: style.bg.or(theme.paper()), ..style }, paper)
    }

    /// Returns the pair that is drawn in this style.
    #[must_use]
    pub fn drawn(style: Style, paper: Paper) -> Option<Self> {
        let own = match paper {
            Paper::Weakest(weakest) => Some(weakest),
            Paper::Own | Paper::Terminal => None,
        };
        let Style { fg, bg, add_modifier, .. } = style;
        let ink = rgb_of(fg?).map(Rgb)?;
        let paper = bg.and_then(rgb_of).map(Rgb).or(own)?;
        let reversed = add_modifier.contains(Modifier::REVERSED);
        Some(if reversed { Self { ink: paper, paper: ink } } else { Self { ink, paper } })
    }

    /// Returns the same ink on the background of another role, if that has one.
    #[must_use]
    pub fn on_row_of(self, theme: &Theme, row: Role) -> Option<Self> {
        let paper = theme.style(row).bg.and_then(rgb_of).map(Rgb)?;
        Some(Self { paper, ..self })
    }

    /// Returns the contrast: from 1, unreadable, to 21, black on white.
    #[must_use]
    pub fn contrast(self) -> f64 {
        self.ink.contrast(self.paper)
    }
}

#[cfg(test)]
mod tests {
    use ratatui::style::Color;

    use super::super::colour::{LEAST_CONTRAST, LEAST_CONTRAST_OF_GREY, SixteenColour};
    use super::super::tests::embedded;
    use super::super::{ColorDepth, EMBEDDED};
    use super::*;

    /// Roles that are drawn as lines, as a block or below a text, not as text.
    const NO_TEXT: [Role; 4] = [Role::Rule, Role::Cursor, Role::DiffAddRow, Role::DiffRemoveRow];

    /// Roles with a background of their own, which a selected row does not change.
    const OWN_PAPER: [Role; 6] = [
        Role::DiffAddWord,
        Role::DiffRemoveWord,
        Role::Search,
        Role::SearchCurrent,
        Role::RowSelected,
        Role::Cursor,
    ];

    fn texts() -> impl Iterator<Item = Role> {
        Role::ALL.iter().copied().filter(|role| !NO_TEXT.contains(role))
    }

    /// The lowest contrasts of a theme: each text on its background, and on a selected row.
    fn all_pairs(theme: &Theme, paper: Paper) -> Vec<(Role, Pair)> {
        let pair = |role| Pair::of(theme, role, paper).map(|pair| (role, pair));
        let mut pairs: Vec<(Role, Pair)> = texts().filter_map(pair).collect();
        let has_own = theme.style(Role::RowSelected).fg.is_some();
        for (role, pair) in pairs.clone() {
            if !has_own && !OWN_PAPER.contains(&role) {
                pairs.extend(pair.on_row_of(theme, Role::RowSelected).map(|on_row| (role, on_row)));
            }
        }
        pairs
    }

    #[test]
    fn every_text_of_every_theme_is_read_on_its_background_at_every_depth_with_exact_colours() {
        for (name, _) in EMBEDDED {
            let wanted = if name == "contrast" { 7.0 } else { 4.5 };
            for depth in [ColorDepth::True, ColorDepth::Palette] {
                for (role, pair) in all_pairs(&embedded(name, depth), Paper::of(name)) {
                    let contrast = pair.contrast();
                    assert!(contrast >= wanted, "{name} {depth:?} {role}: {contrast:.2}");
                }
            }
        }
    }

    #[test]
    fn every_text_of_a_difference_is_read_on_the_tint_of_its_row() {
        for name in ["dark", "light", "contrast"] {
            let wanted = if name == "contrast" { 7.0 } else { 4.5 };
            for depth in [ColorDepth::True, ColorDepth::Palette] {
                let theme = embedded(name, depth);
                for (row, own) in
                    [(Role::DiffAddRow, Role::DiffAdd), (Role::DiffRemoveRow, Role::DiffRemove)]
                {
                    let is_drawn = |role: &Role| {
                        [own, Role::TextDim].contains(role) || role.name().starts_with("code")
                    };
                    for role in texts().filter(is_drawn) {
                        let pair = Pair::of(&theme, role, Paper::of(name)).unwrap();
                        let contrast = pair.on_row_of(&theme, row).unwrap().contrast();
                        assert!(contrast >= wanted, "{name} {depth:?} {role} {row}: {contrast:.2}");
                    }
                }
            }
        }
    }

    #[test]
    fn with_few_or_no_colours_rows_of_a_difference_have_no_tint() {
        for (name, _) in EMBEDDED {
            for depth in [ColorDepth::None, ColorDepth::Sixteen] {
                let theme = embedded(name, depth);
                let tints = [Role::DiffAddRow, Role::DiffRemoveRow].map(|role| theme.style(role));
                assert_eq!(tints, [Style::default(); 2], "{name} {depth:?}");
            }
        }
    }

    #[test]
    fn with_sixteen_colours_texts_are_read_on_black_or_white_with_the_values_of_xterm_and_of_vga() {
        for (name, paper) in
            [("dark", Color::Black), ("light", Color::White), ("contrast", Color::Black)]
        {
            let theme = embedded(name, ColorDepth::Sixteen);
            for role in texts() {
                let style = theme.style(role);
                let Some(ink) = style.fg.filter(|ink| *ink != Color::Reset) else { continue };
                let paper = style.bg.or(theme.paper()).unwrap_or(paper);
                let contrast = SixteenColour::of(ink).unwrap().contrast(paper);
                let is_grey_on_white = (ink, paper) == (Color::DarkGray, Color::White);
                let least = if is_grey_on_white { LEAST_CONTRAST_OF_GREY } else { LEAST_CONTRAST };
                assert!(contrast >= least, "{name} {role}: {contrast:.2} {ink} on {paper}");
            }
            let row = theme.style(Role::RowSelected);
            assert_eq!(row, Style::new().add_modifier(Modifier::REVERSED), "{name}");
        }
    }

    #[test]
    fn with_sixteen_colours_what_differs_in_meaning_differs_in_style() {
        for name in ["dark", "light", "contrast"] {
            let theme = embedded(name, ColorDepth::Sixteen);
            let apart = [
                [Role::Good, Role::Bad],
                [Role::TextDim, Role::Text],
                [Role::TextDim, Role::Accent],
                [Role::Text, Role::Accent],
                [Role::Text, Role::Bad],
                [Role::Text, Role::Link],
            ];
            for [a, b] in apart {
                assert_ne!(theme.style(a), theme.style(b), "{name}: {a}, {b}");
            }
        }
    }

    #[test]
    fn only_the_plain_text_and_what_is_drawn_in_it_are_the_terminals_own() {
        for (name, _) in EMBEDDED.iter().filter(|(name, _)| Paper::of(name) != Paper::Terminal) {
            let theme = embedded(name, ColorDepth::True);
            let unknown: Vec<Role> =
                texts().filter(|role| Pair::of(&theme, *role, Paper::of(name)).is_none()).collect();
            let expected: &[Role] = if *name == "contrast" {
                &[Role::RowSelected]
            } else {
                &[Role::Text, Role::RowSelected]
            };
            assert_eq!(unknown, expected, "{name}");
        }
    }

    /// How people without one kind of cone see linear red, green and blue: G. Machado, M. Oliveira,
    /// L. Fernandes, "A Physiologically-based Model for Simulation of Color Vision Deficiency", 2009.
    const BLINDNESS: [(&str, [[f64; 3]; 3]); 4] = [
        ("none", [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]),
        (
            "protanopia",
            [
                [0.152_286, 1.052_583, -0.204_868],
                [0.114_503, 0.786_281, 0.099_216],
                [-0.003_882, -0.048_116, 1.051_998],
            ],
        ),
        (
            "deuteranopia",
            [
                [0.367_322, 0.860_646, -0.227_968],
                [0.280_085, 0.672_501, 0.047_413],
                [-0.011_820, 0.042_940, 0.968_881],
            ],
        ),
        (
            "tritanopia",
            [
                [1.255_528, -0.076_749, -0.178_779],
                [-0.078_411, 0.930_809, 0.147_602],
                [0.004_733, 0.691_367, 0.303_900],
            ],
        ),
    ];

    /// How far apart two colours look, as CIE 1976: about 2 is just seen, 40 is another colour.
    fn distance(a: Rgb, b: Rgb, blindness: &[[f64; 3]; 3]) -> f64 {
        let [a, b] = [a, b].map(|colour| lab(seen(colour.linear(), blindness)));
        a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
    }

    fn seen(colour: [f64; 3], blindness: &[[f64; 3]; 3]) -> [f64; 3] {
        blindness.map(|row| row.iter().zip(colour).map(|(a, b)| a * b).sum::<f64>().clamp(0.0, 1.0))
    }

    /// CIE L*a*b* under daylight (D65).
    fn lab(colour: [f64; 3]) -> [f64; 3] {
        const XYZ: [[f64; 3]; 3] = [
            [0.412_456, 0.357_576, 0.180_438],
            [0.212_673, 0.715_152, 0.072_175],
            [0.019_334, 0.119_192, 0.950_304],
        ];
        const WHITE: [f64; 3] = [0.950_47, 1.0, 1.088_83];
        let mut parts = [0.0; 3];
        for ((part, row), white) in parts.iter_mut().zip(XYZ).zip(WHITE) {
            let ratio = row.iter().zip(colour).map(|(a, b)| a * b).sum::<f64>() / white;
            let is_dark = ratio <= 0.008_856;
            *part = if is_dark { 7.787 * ratio + 16.0 / 116.0 } else { ratio.cbrt() };
        }
        [116.0 * parts[1] - 16.0, 500.0 * (parts[0] - parts[1]), 200.0 * (parts[1] - parts[2])]
    }

    #[test]
    fn added_and_removed_differ_for_everybody() {
        for (name, _) in EMBEDDED.iter().filter(|(name, _)| *name != "mono") {
            for depth in [ColorDepth::True, ColorDepth::Palette] {
                let theme = embedded(name, depth);
                let colours = |role| Pair::of(&theme, role, Paper::of(name)).unwrap();
                let (add, remove) = (colours(Role::DiffAdd), colours(Role::DiffRemove));
                let words = (colours(Role::DiffAddWord), colours(Role::DiffRemoveWord));
                for (blindness, matrix) in BLINDNESS {
                    let apart = distance(add.ink, remove.ink, &matrix);
                    assert!(apart >= 40.0, "{name} {depth:?} {blindness}: {apart:.0}");
                    let apart = distance(words.0.paper, words.1.paper, &matrix);
                    assert!(apart >= 15.0, "{name} {depth:?} words {blindness}: {apart:.0}");
                }
            }
        }
    }

    #[test]
    fn the_current_match_differs_from_the_others_for_everybody() {
        for (name, _) in EMBEDDED {
            for depth in
                [ColorDepth::None, ColorDepth::Sixteen, ColorDepth::Palette, ColorDepth::True]
            {
                let theme = embedded(name, depth);
                let styles = [Role::Search, Role::SearchCurrent].map(|role| theme.style(role));
                assert_ne!(styles[0].add_modifier, styles[1].add_modifier, "{name} {depth:?}");
                if Paper::of(name) == Paper::Terminal || depth == ColorDepth::None {
                    continue;
                }
                assert_ne!(styles[0].bg, styles[1].bg, "{name} {depth:?}");
                if depth == ColorDepth::Sixteen {
                    continue;
                }
                let [all, current] =
                    styles.map(|style| Pair::drawn(style, Paper::of(name)).unwrap().paper);
                for (blindness, matrix) in BLINDNESS {
                    let apart = distance(all, current, &matrix);
                    assert!(apart >= 40.0, "{name} {depth:?} {blindness}: {apart:.0}");
                }
            }
        }
    }

    #[test]
    fn with_few_or_no_colours_added_and_removed_differ_too() {
        for (name, _) in EMBEDDED {
            for depth in [ColorDepth::None, ColorDepth::Sixteen] {
                let theme = embedded(name, depth);
                let style = |role| theme.style(role);
                let (add, remove) = (style(Role::DiffAdd), style(Role::DiffRemove));
                let words = (style(Role::DiffAddWord), style(Role::DiffRemoveWord));
                assert_ne!(add, remove, "{name} {depth:?}");
                assert_ne!(words.0, words.1, "{name} {depth:?}");
                assert_ne!(add, words.0, "{name} {depth:?}");
                assert_ne!(remove, words.1, "{name} {depth:?}");
                let plain = style(Role::Text);
                assert!(![add, remove, words.0, words.1].contains(&plain), "{name} {depth:?}");
            }
        }
    }
}
