//! Sets of keys that take the place of some defaults, as people know them from other programs. What a set does not
//! name keeps its keys. Key files name scopes and actions the same way.

/// The keys of an action in a scope.
type PresetKeys = (&'static str, &'static str, &'static [&'static str]);

/// A set of keys with its name in `keys`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyPreset {
    pub name: &'static str,
    pub keys: &'static [PresetKeys],
}

/// All sets.
pub const PRESETS: [KeyPreset; 3] = [
    KeyPreset { name: "plain", keys: PLAIN },
    KeyPreset { name: "vi", keys: VI },
    KeyPreset { name: "emacs", keys: EMACS },
];

impl KeyPreset {
    /// The set with this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        PRESETS.into_iter().find(|preset| preset.name == name)
    }

    /// The names of all sets.
    #[must_use]
    pub fn names() -> String {
        PRESETS.map(|preset| preset.name).join(", ")
    }
}

/// Moving without letters.
const PLAIN: &[PresetKeys] = &[
    ("tree", "up", &["up"]),
    ("tree", "down", &["down"]),
    ("tree", "fold", &["left"]),
    ("tree", "unfold", &["right"]),
    ("tree", "top", &["home"]),
    ("tree", "bottom", &["end"]),
    ("inbox", "up", &["up"]),
    ("inbox", "down", &["down"]),
    ("inbox", "fold", &["left"]),
    ("inbox", "unfold", &["right"]),
    ("inbox", "top", &["home"]),
    ("inbox", "bottom", &["end"]),
    ("dialog", "up", &["up"]),
    ("dialog", "down", &["down"]),
    ("dialog", "half-page-up", &["ctrl+up"]),
    ("dialog", "half-page-down", &["ctrl+down"]),
    ("dialog", "top", &["home"]),
    ("dialog", "bottom", &["end"]),
    ("dialog", "find", &["ctrl+f", "/"]),
    ("changes", "up", &["up"]),
    ("changes", "down", &["down"]),
    ("changes", "half-page-up", &["ctrl+up"]),
    ("changes", "half-page-down", &["ctrl+down"]),
    ("changes", "top", &["home"]),
    ("changes", "bottom", &["end"]),
    ("sheet", "up", &["up"]),
    ("sheet", "down", &["down"]),
];

/// The defaults are near to vi; these are its pages.
const VI: &[PresetKeys] = &[
    ("dialog", "page-up", &["ctrl+b", "pageup"]),
    ("dialog", "page-down", &["ctrl+f", "pagedown", "space"]),
    ("changes", "page-up", &["ctrl+b", "pageup"]),
    ("changes", "page-down", &["ctrl+f", "pagedown", "space"]),
];

/// `Ctrl+P` moves up, so the palette is `Alt+x` here, and `Ctrl+E` is the end of the line.
const EMACS: &[PresetKeys] = &[
    ("anywhere", "palette", &["alt+x"]),
    ("panes", "cancel", &["ctrl+g", "esc"]),
    ("tree", "up", &["ctrl+p", "up"]),
    ("tree", "down", &["ctrl+n", "down"]),
    ("tree", "fold", &["ctrl+b", "left"]),
    ("tree", "unfold", &["ctrl+f", "right"]),
    ("tree", "filter", &["ctrl+s", "/"]),
    ("tree", "top", &["alt+<", "home"]),
    ("tree", "bottom", &["alt+>", "end"]),
    ("inbox", "up", &["ctrl+p", "up"]),
    ("inbox", "down", &["ctrl+n", "down"]),
    ("inbox", "fold", &["ctrl+b", "left"]),
    ("inbox", "unfold", &["ctrl+f", "right"]),
    ("inbox", "filter", &["ctrl+s", "/"]),
    ("inbox", "top", &["alt+<", "home"]),
    ("inbox", "bottom", &["alt+>", "end"]),
    ("dialog", "up", &["ctrl+p", "up"]),
    ("dialog", "down", &["ctrl+n", "down"]),
    ("dialog", "page-up", &["alt+v", "pageup"]),
    ("dialog", "page-down", &["ctrl+v", "pagedown", "space"]),
    ("dialog", "find", &["ctrl+s", "/"]),
    ("dialog", "top", &["alt+<", "home"]),
    ("dialog", "bottom", &["alt+>", "end"]),
    ("changes", "up", &["ctrl+p", "up"]),
    ("changes", "down", &["ctrl+n", "down"]),
    ("changes", "page-up", &["alt+v", "pageup"]),
    ("changes", "page-down", &["ctrl+v", "pagedown", "space"]),
    ("changes", "top", &["alt+<", "home"]),
    ("changes", "bottom", &["alt+>", "end"]),
    ("sheet", "up", &["ctrl+p", "up"]),
    ("sheet", "down", &["ctrl+n", "down"]),
    ("composer", "edit", &["alt+e"]),
    ("composer", "leave", &["ctrl+g", "esc"]),
];
