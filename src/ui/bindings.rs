//! All bindings: those of the panes and overlays, collected from their files, and those shared by several
//! panes.

use std::sync::LazyLock;

use serde_json::Value;

use super::action::{Action, Binding, Scope};
use super::keymap::{Chord, KeyFault, Keymap};
use super::lists;
use super::panes::{
    changes, composer, confirm, consent, field, inbox, log, mind, sheet, timeline, transcript,
    tree, usage,
};
use crate::domain::Lang;
use crate::domain::text::Localized;

/// The end of a demo.
pub const DEMO: Scope = Scope::new("demo", "演示结束时", &[Scope::PANES, Scope::ANYWHERE]);

const COMMON: &[Binding] = &[
    Scope::ANYWHERE.bind(Action::AnswerOldest, &["alt+a", "f2"]),
    Scope::ANYWHERE.bind(Action::NextQuestion, &["alt+n"]),
    Scope::ANYWHERE.bind(Action::PreviousQuestion, &["alt+p"]),
    Scope::ANYWHERE.bind(Action::UndoAnswer, &["alt+z"]),
    Scope::ANYWHERE.bind(Action::NextWaiting, &["alt+w"]),
    Scope::ANYWHERE.bind(Action::FindEverywhere, &["alt+F", "f3"]),
    Scope::ANYWHERE.bind(Action::FocusNext, &["tab"]),
    Scope::ANYWHERE.bind(Action::FocusPrevious, &["shift+tab"]),
    Scope::ANYWHERE.bind(Action::FocusFirst, &["alt+1"]),
    Scope::ANYWHERE.bind(Action::FocusSecond, &["alt+2"]),
    Scope::ANYWHERE.bind(Action::FocusThird, &["alt+3"]),
    Scope::ANYWHERE.bind(Action::Palette, &["ctrl+p"]),
    Scope::ANYWHERE.bind(Action::Help, &["f1"]),
    Scope::ANYWHERE.bind(Action::Redraw, &["ctrl+l"]),
    Scope::ANYWHERE.bind(Action::Suspend, &["ctrl+z"]),
    Scope::PANES.bind(Action::Compose, &["i"]),
    Scope::PANES.bind(Action::NewDialog, &["n"]).does(
        "Start a new dialog; in a filtered list, go to the next row",
        "新建对话；列表已筛选时到下一行",
    ),
    Scope::PANES.bind(Action::Palette, &[":"]),
    Scope::PANES.bind(Action::Help, &["?"]),
    Scope::PANES.bind(Action::FocusFirst, &["1"]),
    Scope::PANES.bind(Action::FocusSecond, &["2"]),
    Scope::PANES.bind(Action::FocusThird, &["3"]),
    Scope::PANES.bind(Action::OpenConsent, &["W"]).does(
        "Show what waits for your consent, and choose the sandbox level",
        "显示等待你同意的事，并选择沙箱级别",
    ),
    Scope::PANES.bind(Action::SwitchMouse, &["M"]),
    Scope::PANES.bind(Action::Zoom, &["z"]),
    Scope::PANES.bind(Action::Changes, &["m"]),
    Scope::PANES.bind(Action::FindEverywhere, &["F", "ctrl+f"]),
    Scope::PANES.bind(Action::Timeline, &["w"]),
    Scope::PANES.bind(Action::Usage, &["$"]),
    Scope::PANES.bind(Action::Log, &["J"]),
];

/// Bindings that help shows last in their scope, below the lists that can be opened there.
const LAST: &[Binding] = &[
    Scope::PANES.bind(Action::Cancel, &["esc"]),
    Scope::PANES.bind(Action::Detach, &["Q"]),
    Scope::PANES.bind(Action::Quit, &["q"]).does(
        "Quit the program; asks first while something is running",
        "退出程序；仍有运行时先询问",
    ),
];

const OF_DEMO: &[Binding] = &[
    DEMO.bind(Action::Replay, &["r"]),
    DEMO.bind(Action::Close, &["esc"])
        .does("Close the message at the end of the demo", "关闭演示结束时的提示"),
];

static ALL: LazyLock<Vec<Binding>> = LazyLock::new(|| {
    [
        COMMON,
        tree::BINDINGS,
        inbox::BINDINGS,
        transcript::BINDINGS,
        composer::BINDINGS,
        sheet::BINDINGS,
        changes::BINDINGS,
        timeline::BINDINGS,
        usage::BINDINGS,
        &mind::bindings(),
        &log::bindings(),
        consent::BINDINGS,
        confirm::BINDINGS,
        OF_DEMO,
        &lists::bindings(),
        LAST,
    ]
    .concat()
});

/// All bindings, in the order of help and of the documents.
pub fn all() -> &'static [Binding] {
    &ALL
}

/// Every scope, in the order of its first binding.
pub fn scopes() -> Vec<Scope> {
    let mut scopes = Vec::new();
    for binding in all() {
        if !scopes.contains(&binding.scope) {
            scopes.push(binding.scope);
        }
    }
    scopes
}

/// The default keys.
pub fn defaults() -> Keymap {
    Keymap::new(all())
}

/// Returns the defaults with the changes of a parsed key file, and the faults of the file.
pub fn with_overrides(overrides: &Value) -> (Keymap, Vec<KeyFault>) {
    let (keymap, mut faults) = Keymap::with_overrides(all(), overrides);
    faults.extend(hidden_field_keys(&keymap, &Keymap::before(all(), overrides)));
    (keymap, faults)
}

/// One fault for each key that a key file takes from the text field.
fn hidden_field_keys(keymap: &Keymap, before: &Keymap) -> Vec<KeyFault> {
    let mut faults = Vec::new();
    for Binding { scope, action, .. } in all().iter().filter(|one| one.scope.is_for_typing()) {
        let known = before.keys(*scope, *action);
        for keys in keymap.keys(*scope, *action).iter().filter(|keys| !known.contains(keys)) {
            let first = keys.chords().first().map(Chord::to_string).unwrap_or_default();
            let Some(does) = field::meaning_of(&first) else { continue };
            let (en, zh) = (does.in_lang(Lang::En), does.in_lang(Lang::Zh));
            let text = Localized::new(
                format!("{first} hides a key for editing the text: {en}"),
                format!("{first} 遮住了编辑文字的键：{zh}"),
            );
            faults.push(KeyFault::new(&[scope.name(), action.name()], text));
        }
    }
    faults
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Where the dialogs and the questions are.
    const PANES: [Scope; 4] = [Scope::PANES, tree::SCOPE, inbox::SCOPE, transcript::SCOPE];

    /// What a letter means in some scopes.
    struct Meaning {
        letter: &'static str,
        action: Action,
        is_in: fn(Scope) -> bool,
        /// Why the letter may mean it there.
        reason: &'static str,
    }

    impl Meaning {
        fn is_of(&self, binding: &Binding) -> bool {
            binding.keys.contains(&self.letter)
                && binding.action == self.action
                && (self.is_in)(binding.scope)
        }
    }

    /// All meanings of these letters.
    const MEANINGS: &[Meaning] = &[
        Meaning {
            letter: "b",
            action: Action::CopyCode,
            is_in: |_| true,
            reason: "its only meaning",
        },
        Meaning { letter: "f", action: Action::Fork, is_in: |_| true, reason: "its only meaning" },
        Meaning {
            letter: "X",
            action: Action::DeclareDead,
            is_in: |_| true,
            reason: "its only meaning",
        },
        Meaning {
            letter: "D",
            action: Action::Delete,
            is_in: |_| true,
            reason: "its only meaning",
        },
        Meaning {
            letter: "n",
            action: Action::NewDialog,
            is_in: |scope| PANES.contains(&scope),
            reason: "in a pane it makes something new; in a search it goes to the next match",
        },
        Meaning {
            letter: "n",
            action: Action::Add,
            is_in: |scope| scope == sheet::SCOPE,
            reason: "a new reminder, as a new dialog in a pane; in a search the next match, too",
        },
        Meaning {
            letter: "n",
            action: Action::NextMatch,
            is_in: |scope| !PANES.contains(&scope),
            reason: "lists and sheets that are read make nothing new with it",
        },
        Meaning {
            letter: "n",
            action: Action::Refuse,
            is_in: |scope| scope == confirm::SCOPE,
            reason: "`y` and `n` answer a question of the program, which is looked up alone",
        },
    ];

    #[test]
    fn an_action_is_bound_once_in_a_scope_and_its_names_there_are_unique() {
        let mut bound = BTreeSet::new();
        for binding in all() {
            let (scope, name) = (binding.scope, binding.action.name());
            assert!(bound.insert((scope, binding.action)), "{scope:?} {name}");
            let named = all().iter().filter(|one| one.scope == scope && one.is_named(name));
            assert_eq!(named.count(), 1, "{scope:?} {name}");
        }
    }

    #[test]
    fn b_n_f_upper_x_and_upper_d_mean_one_thing_in_all_panes_and_overlays() {
        for letter in ["b", "n", "f", "X", "D"] {
            for binding in all().iter().filter(|one| one.keys.contains(&letter)) {
                let mut meanings = MEANINGS.iter().filter(|one| one.letter == letter);
                let is_known = meanings.any(|one| one.is_of(binding));
                assert!(is_known, "{letter} has one more meaning: {binding:?}");
            }
        }
    }

    #[test]
    fn each_meaning_of_a_letter_is_bound_somewhere() {
        for meaning in MEANINGS {
            let is_bound = all().iter().any(|one| meaning.is_of(one));
            let Meaning { letter, action, reason, .. } = meaning;
            assert!(is_bound, "{letter} {action:?} has no binding: {reason}");
        }
    }

    #[test]
    fn every_help_sentence_is_short_and_begins_with_a_capital() {
        for binding in all() {
            let (name, help) = (binding.action.name(), binding.sentence(Lang::En));
            assert!(help.starts_with(char::is_uppercase) && !help.ends_with('.'), "{name}");
            assert!(help.len() <= 70 && !binding.keys.is_empty(), "{name}");
        }
    }

    #[test]
    fn every_sentence_and_every_heading_is_also_chinese() {
        let chinese = |text: &str| text.chars().any(|c| ('\u{4e00}'..='\u{9fff}').contains(&c));
        for binding in all() {
            assert!(chinese(binding.sentence(Lang::Zh)), "{binding:?}");
        }
        for scope in scopes() {
            assert!(chinese(scope.heading(Lang::Zh)), "{scope:?}");
        }
    }

    #[test]
    fn every_lookup_ends_in_the_widest_scope_except_in_confirmations() {
        for scope in scopes() {
            assert_eq!(scope.chain().next(), Some(scope));
            let ends_wide = scope.chain().last() == Some(Scope::ANYWHERE);
            assert_eq!(ends_wide, ![confirm::SCOPE, consent::SCOPE].contains(&scope));
            let same_name = scopes().into_iter().filter(|one| one.name() == scope.name());
            assert_eq!(same_name.count(), 1, "{scope:?}");
        }
    }
}
