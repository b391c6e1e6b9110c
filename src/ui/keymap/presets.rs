//! Sets of keys that replace some defaults, as people know them from other programs. Actions that a preset
//! does not name keep their keys. Its keys for an action apply in every scope that has the action, except in
//! text fields; its keys for single scopes override them. Key files name scopes and actions the same way.

/// The keys that an action gets before its others, in every scope where nothing is typed.
type AddedKeys = (&'static str, &'static [&'static str]);
/// The keys of an action in a scope.
type PresetKeys = (&'static str, &'static str, &'static [&'static str]);

/// A set of keys with its name in `keys`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyPreset {
    pub name: &'static str,
    /// Default keys that the preset removes outside of text fields.
    pub without: &'static [&'static str],
    pub everywhere: &'static [AddedKeys],
    pub keys: &'static [PresetKeys],
}

/// All sets.
pub const PRESETS: [KeyPreset; 4] = [PLAIN, VI, EMACS, CLASSIC];

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

/// The letters that move in vi.
const MOVING_LETTERS: &[&str] = &["h", "j", "k", "l", "g", "G"];

/// Moving without letters.
const PLAIN: KeyPreset = KeyPreset {
    name: "plain",
    without: MOVING_LETTERS,
    everywhere: &[
        ("half-page-up", &["ctrl+up"]),
        ("half-page-down", &["ctrl+down"]),
        ("find", &["ctrl+f"]),
        ("filter", &["ctrl+f"]),
    ],
    keys: &[],
};

/// The defaults are near to vi; these are its pages, and `g` begins what one goes to.
const VI: KeyPreset = KeyPreset {
    name: "vi",
    without: &["g"],
    everywhere: &[("top", &["g g"]), ("page-up", &["ctrl+b"]), ("page-down", &["ctrl+f"])],
    keys: &[
        ("tree", "to-asker", &["p", "g p"]),
        ("dialog", "enter", &["enter", "g d"]),
        ("dialog", "edit", &["e", "g f"]),
        ("dialog", "previous-generation", &["[", "g T"]),
        ("dialog", "next-generation", &["]", "g t"]),
        ("dialog", "question-above", &["<", "g Q"]),
        ("dialog", "question-below", &[">", "g q"]),
        ("dialog", "change-above", &[",", "g C"]),
        ("dialog", "change-below", &[".", "g c"]),
        ("changes", "enter", &["enter", "g d"]),
        ("changes", "edit", &["e", "g f"]),
        ("changes", "previous-file", &["[", "g T"]),
        ("changes", "next-file", &["]", "g t"]),
        ("timeline", "enter", &["enter", "g d"]),
        ("tokens", "enter", &["enter", "g d"]),
    ],
};

/// `Ctrl+P` moves up, so the palette is `Alt+x` here, `Ctrl+E` is the end of the line, and `Ctrl+X` begins more.
const EMACS: KeyPreset = KeyPreset {
    name: "emacs",
    without: MOVING_LETTERS,
    everywhere: &[
        ("up", &["ctrl+p"]),
        ("down", &["ctrl+n"]),
        ("page-up", &["alt+v"]),
        ("page-down", &["ctrl+v"]),
        ("top", &["alt+<"]),
        ("bottom", &["alt+>"]),
        ("fold", &["ctrl+b"]),
        ("unfold", &["ctrl+f"]),
        ("earlier-span", &["ctrl+b"]),
        ("later-span", &["ctrl+f"]),
        ("find", &["ctrl+s"]),
        ("filter", &["ctrl+s"]),
        ("close", &["ctrl+g"]),
        ("cancel", &["ctrl+g"]),
        ("look-only", &["ctrl+g"]),
    ],
    keys: &[
        ("anywhere", "palette", &["alt+x"]),
        ("anywhere", "focus-next", &["tab", "ctrl+x o"]),
        ("anywhere", "focus-1", &["alt+1", "ctrl+x d"]),
        ("panes", "zoom", &["z", "ctrl+x 1"]),
        ("panes", "find-everywhere", &["F", "ctrl+f", "ctrl+x ctrl+f"]),
        ("panes", "quit", &["q", "ctrl+x ctrl+c"]),
        ("tokens", "previous-generation", &["ctrl+b", "left", "["]),
        ("tokens", "next-generation", &["ctrl+f", "right", "]"]),
        ("confirm", "refuse", &["n", "ctrl+g", "esc", "ctrl+c"]),
        ("composer", "send", &["enter", "ctrl+x ctrl+s"]),
        ("composer", "undo", &["alt+u", "ctrl+_", "ctrl+x u"]),
        ("composer", "history-up", &["up", "ctrl+p"]),
        ("composer", "history-down", &["down", "ctrl+n"]),
        ("composer", "edit", &["alt+e"]),
        ("composer", "leave", &["ctrl+g", "esc"]),
    ],
};

/// Letters that meant one thing in one pane and another in the next, before each had one meaning.
const CLASSIC: KeyPreset = KeyPreset {
    name: "classic",
    without: &[],
    everywhere: &[],
    keys: &[
        ("panes", "processes", &["b", "&"]),
        ("inbox", "shown", &["f", "*"]),
        ("inbox", "clear-news", &["X", "H"]),
        ("tasks", "shown", &["f", "*"]),
        ("teams", "stop", &["D", "s"]),
    ],
};
