//! Maps a pressed key to an action, and an action to the key shown for it.
//!
//! The defaults come from the bindings; a key file may replace the keys of single actions.
//! An invalid entry is reported and skipped, never fatal: the user must always be able to quit.

mod chord;
mod overrides;
mod presets;
mod sequence;
mod trie;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde_json::Value;

use self::overrides::{KeyOverrides, PRESET, preset_of};
use self::trie::Node;
use super::action::{Action, Binding, Scope};
use crate::domain::text::{Localized, Text, localized};
pub use chord::Chord;
pub use presets::{KeyPreset, PRESETS};
pub use sequence::KeySequence;

/// An action in a scope.
type BindingKey = (Scope, Action);

/// The keys of all bindings. Immutable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Keymap {
    bindings: &'static [Binding],
    keys: BTreeMap<BindingKey, Vec<KeySequence>>,
    /// The same keys as tries, for lookups.
    tries: BTreeMap<Scope, Node>,
}

/// What pressed keys mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyMatch {
    Action(Action),
    /// They begin a longer sequence.
    Prefix,
    Nothing,
}

/// An invalid entry of a key file, or keys that two actions cannot have at once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyFault {
    /// Scope and action, if they are known.
    place: Vec<String>,
    text: Localized,
}

impl KeyFault {
    pub(super) fn new(place: &[&str], text: impl Into<Localized>) -> Self {
        let place = place.iter().map(|&key| key.to_owned()).collect();
        Self { place, text: text.into() }
    }

    /// Returns the message: the place and the fault.
    pub fn message(&self) -> Localized {
        let (keys, text) = (self.keys().join(": "), &self.text);
        localized!([text] "{keys}: {text}", "{keys}：{text}")
    }

    /// The keys that lead to the entry.
    pub fn keys(&self) -> Vec<&str> {
        ["keys"].into_iter().chain(self.place.iter().map(String::as_str)).collect()
    }
}

impl fmt::Display for KeyFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.message().fmt(f)
    }
}

impl Keymap {
    /// The default keys of these bindings.
    #[must_use]
    pub fn new(bindings: &'static [Binding]) -> Self {
        Self::from_keys(bindings, default_keys_of_all(bindings), &BTreeSet::new()).0
    }

    /// The defaults with the changes of a parsed key file: `scope: {action: key or [keys]}`.
    /// An empty list removes an action's keys. `preset` names a set that takes the place of the defaults; its
    /// name alone stands for a file with nothing else.
    ///
    /// Also returns one fault for each invalid entry and for each key bound to two actions. Within a
    /// scope the file takes precedence over the defaults, then the earlier binding.
    #[must_use]
    pub fn with_overrides(
        bindings: &'static [Binding],
        overrides: &Value,
    ) -> (Self, Vec<KeyFault>) {
        let (preset, fault) = preset_of(overrides);
        let keys = Self::with_preset(bindings, preset).0.keys;
        let faults = fault.into_iter().collect();
        let mut changes = KeyOverrides { bindings, keys, changed: BTreeSet::new(), faults };
        match overrides {
            Value::Object(scopes) => {
                for (scope, entries) in scopes.iter().filter(|(name, _)| *name != PRESET) {
                    changes.scope(scope, entries);
                }
            }
            Value::Null | Value::String(_) => {}
            Value::Bool(_) | Value::Number(_) | Value::Array(_) => {
                let text = Text::new("expected a mapping of scopes", "应为范围的映射");
                changes.faults.push(KeyFault::new(&[], text));
            }
        }
        let KeyOverrides { keys, changed, mut faults, .. } = changes;
        let (keymap, conflicts) = Self::from_keys(bindings, keys, &changed);
        faults.extend(conflicts);
        let changed_bindings =
            bindings.iter().filter(|one| changed.contains(&(one.scope, one.action)));
        faults.extend(changed_bindings.flat_map(|one| keymap.shadowing_warnings(one, &changed)));
        (keymap, faults)
    }

    /// Returns the defaults with the keys of a preset, and its faults: none, as a test checks.
    pub(super) fn with_preset(
        bindings: &'static [Binding],
        preset: Option<KeyPreset>,
    ) -> (Self, Vec<KeyFault>) {
        let keys = default_keys_of_all(bindings);
        let mut changes =
            KeyOverrides { bindings, keys, changed: BTreeSet::new(), faults: Vec::new() };
        if let Some(preset) = preset {
            changes.preset(&preset);
        }
        let KeyOverrides { keys, changed, mut faults, .. } = changes;
        let (keymap, conflicts) = Self::from_keys(bindings, keys, &changed);
        faults.extend(conflicts);
        (keymap, faults)
    }

    /// Returns the keys that a key file begins with: the defaults, or those of the preset it names.
    pub(super) fn before(bindings: &'static [Binding], file: &Value) -> Self {
        Self::with_preset(bindings, preset_of(file).0).0
    }

    /// Returns the action of keys that are pressed one after another while `focus` has the focus.
    #[must_use]
    pub fn action(&self, focus: Scope, keys: impl Into<KeySequence>) -> Option<Action> {
        self.reached(focus, keys.into().chords())
    }

    /// Returns what the keys pressed so far mean in `focus`, if those before the last one are a prefix.
    pub fn pressed(&self, focus: Scope, keys: &KeySequence) -> KeyMatch {
        self.meaning(focus, keys.chords())
    }

    fn meaning(&self, focus: Scope, keys: &[Chord]) -> KeyMatch {
        let found = focus.chain().find_map(|scope| self.tries.get(&scope)?.find(keys));
        found.map_or(KeyMatch::Nothing, |node| {
            node.action().map_or(KeyMatch::Prefix, KeyMatch::Action)
        })
    }

    /// As [`Keymap::action`]: no key before the last has an action alone.
    fn reached(&self, focus: Scope, keys: &[Chord]) -> Option<Action> {
        let mut before = (1..keys.len()).filter_map(|count| keys.get(..count));
        if !before.all(|keys| self.meaning(focus, keys) == KeyMatch::Prefix) {
            return None;
        }
        match self.meaning(focus, keys) {
            KeyMatch::Action(action) => Some(action),
            KeyMatch::Prefix | KeyMatch::Nothing => None,
        }
    }

    /// Returns the action of a key in this scope alone.
    pub fn action_in(&self, scope: Scope, key: Chord) -> Option<Action> {
        self.tries.get(&scope)?.find(&[key])?.action()
    }

    /// The keys of an action in this scope alone; the first is the one to show.
    pub fn keys(&self, scope: Scope, action: Action) -> &[KeySequence] {
        self.keys.get(&(scope, action)).map_or(&[], Vec::as_slice)
    }

    /// The key to show in a hint for an action while `focus` has the focus, if one works there.
    pub fn hint(&self, focus: Scope, action: Action) -> Option<String> {
        let mut keys = focus.chain().flat_map(|scope| self.keys(scope, action));
        let keys = keys.find(|keys| self.reached(focus, keys.chords()) == Some(action))?;
        Some(keys.to_string())
    }

    /// Returns the keys that can follow those pressed so far, and their bindings.
    #[must_use]
    pub fn following(
        &self,
        focus: Scope,
        begun: &KeySequence,
    ) -> Vec<(KeySequence, &'static Binding)> {
        let rows = self.listing(focus).into_iter();
        let rest = |(binding, keys): (&'static Binding, Vec<KeySequence>)| {
            let rest: Vec<_> = keys.iter().filter_map(|keys| keys.after(begun)).collect();
            rest.into_iter().map(move |rest| (rest, binding))
        };
        rows.flat_map(rest).collect()
    }

    /// The bindings of this scope alone, also those without a key.
    pub fn bindings_of(&self, scope: Scope) -> impl Iterator<Item = &'static Binding> {
        self.bindings.iter().filter(move |one| one.scope == scope)
    }

    /// All bindings that work while `focus` has the focus: narrow scopes first, each with its keys. Keys
    /// that a narrower scope binds to something else are left out.
    #[must_use]
    pub fn listing(&self, focus: Scope) -> Vec<(&'static Binding, Vec<KeySequence>)> {
        let mut rows = Vec::new();
        let in_scope = |scope| self.bindings.iter().filter(move |one| one.scope == scope);
        for binding in focus.chain().flat_map(in_scope) {
            let reaches =
                |keys: &&KeySequence| self.reached(focus, keys.chords()) == Some(binding.action);
            let keys = self.keys(binding.scope, binding.action).iter();
            let keys: Vec<KeySequence> = keys.filter(reaches).cloned().collect();
            if !keys.is_empty() {
                rows.push((binding, keys));
            }
        }
        rows
    }

    fn from_keys(
        bindings: &'static [Binding],
        mut keys: BTreeMap<BindingKey, Vec<KeySequence>>,
        changed: &BTreeSet<BindingKey>,
    ) -> (Self, Vec<KeyFault>) {
        let mut tries: BTreeMap<Scope, Node> = BTreeMap::new();
        let mut conflicts = Vec::new();
        let (first, rest): (Vec<&Binding>, Vec<&Binding>) =
            bindings.iter().partition(|one| changed.contains(&(one.scope, one.action)));
        for Binding { scope, action, .. } in first.into_iter().chain(rest) {
            let Some(sequences) = keys.get_mut(&(*scope, *action)) else { continue };
            let trie = tries.entry(*scope).or_default();
            sequences.retain(|lost| match trie.bind(lost, *action) {
                Ok(()) => true,
                Err((taken, winner)) => {
                    let text = conflict(&taken, lost, *action);
                    conflicts.push(KeyFault::new(&[scope.name(), winner.name()], text));
                    false
                }
            });
        }
        (Self { bindings, keys, tries }, conflicts)
    }

    /// One fault for each new key of this binding that shadows an action of a wider scope, or is
    /// shadowed in a narrower one.
    fn shadowing_warnings(
        &self,
        binding: &Binding,
        changed: &BTreeSet<BindingKey>,
    ) -> Vec<KeyFault> {
        let (scope, action) = (binding.scope, binding.action);
        let name = action.name();
        let defaults: Vec<KeySequence> = default_keys(binding).collect();
        let mut warnings = Vec::new();
        let sequences = self.keys(scope, action).iter();
        for keys in sequences.filter(|keys| !defaults.contains(keys)) {
            let at = |scope: Scope| {
                let (taken, other) = self.tries.get(&scope)?.clash(keys)?;
                (other != action).then_some((scope, taken, other))
            };
            if let Some((of, taken, other)) = scope.chain().skip(1).find_map(at) {
                let (scope, of, other) = (scope.name(), of.name(), other.name());
                let text = if taken == *keys {
                    localized!(
                        "{keys} hides {other} ({of}) there",
                        "{keys} 在那里遮住了 {other}（{of}）"
                    )
                } else {
                    localized!(
                        "{keys} hides {taken} there, which is {other} ({of})",
                        "{keys} 在那里遮住了 {taken}，即 {other}（{of}）"
                    )
                };
                warnings.push(KeyFault::new(&[scope, name], text));
            }
            for (narrow, taken, other) in self.narrower(scope).into_iter().filter_map(at) {
                if !changed.contains(&(narrow, other)) {
                    let (of, here, other) = (scope.name(), narrow.name(), other.name());
                    let text = localized!(
                        "in {here} {taken} stays {other}",
                        "在 {here} 中 {taken} 仍是 {other}"
                    );
                    warnings.push(KeyFault::new(&[of, name], text));
                }
            }
        }
        warnings
    }

    /// The scopes from which a key is also looked up in this one.
    fn narrower(&self, scope: Scope) -> Vec<Scope> {
        let mut found = Vec::new();
        for narrow in self.bindings.iter().map(|one| one.scope) {
            if narrow.chain().skip(1).any(|wider| wider == scope) && !found.contains(&narrow) {
                found.push(narrow);
            }
        }
        found
    }
}

/// Returns the message to the action that has the keys `taken`, so that another loses its keys `lost`.
fn conflict(taken: &KeySequence, lost: &KeySequence, loser: Action) -> Localized {
    let loser = loser.name();
    if taken == lost {
        return localized!(
            "{taken} is also bound to {loser}, which loses it",
            "{taken} 也绑定到 {loser}，后者失去此键"
        );
    }
    let (short, long) = if lost.after(taken).is_some() { (taken, lost) } else { (lost, taken) };
    localized!(
        "{short} is a prefix of {long}; {loser} loses {lost}",
        "{short} 是 {long} 的前缀；{loser} 失去 {lost}"
    )
}

fn default_keys(binding: &Binding) -> impl Iterator<Item = KeySequence> {
    binding.keys.iter().filter_map(|keys| KeySequence::parse(keys))
}

fn default_keys_of_all(bindings: &[Binding]) -> BTreeMap<BindingKey, Vec<KeySequence>> {
    let keys = bindings.iter().map(|one| ((one.scope, one.action), default_keys(one).collect()));
    keys.collect()
}

#[cfg(test)]
mod tests;
