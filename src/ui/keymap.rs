//! From a pressed key to an action, and from an action to the key that is shown for it.
//!
//! The defaults come from the bindings; a key file may replace the keys of single actions.
//! An invalid entry is reported and skipped, never fatal: the user must always be able to quit.

mod chord;
mod presets;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt;

use serde_json::Value;

use super::action::{Action, Binding, Scope};
use crate::domain::text::{Localized, Text, localized};
pub use chord::Chord;
pub use presets::{KeyPreset, PRESETS};

/// An action in a scope.
type BindingKey = (Scope, Action);

/// The keys of all bindings. Immutable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Keymap {
    bindings: &'static [Binding],
    keys: BTreeMap<BindingKey, Vec<Chord>>,
    /// Only used for lookups, never iterated, so its order does not matter.
    lookup: HashMap<(Scope, Chord), Action>,
}

/// An invalid entry of a key file, or a key bound to two actions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyFault {
    /// Scope and action, as far as they are known.
    place: Vec<String>,
    text: Localized,
}

impl KeyFault {
    fn new(place: &[&str], text: impl Into<Localized>) -> Self {
        let place = place.iter().map(|&key| key.to_owned()).collect();
        Self { place, text: text.into() }
    }

    /// Where it is, and what is wrong.
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

    /// The defaults with the keys of a set, and what is wrong with it: nothing, as a test holds.
    pub(super) fn with_preset(
        bindings: &'static [Binding],
        preset: Option<KeyPreset>,
    ) -> (Self, Vec<KeyFault>) {
        let keys = default_keys_of_all(bindings);
        let mut changes =
            KeyOverrides { bindings, keys, changed: BTreeSet::new(), faults: Vec::new() };
        for (scope, action, keys) in preset.iter().flat_map(|preset| preset.keys) {
            changes.scope(scope, &serde_json::json!({ *action: keys }));
        }
        let KeyOverrides { keys, changed, mut faults, .. } = changes;
        let (keymap, conflicts) = Self::from_keys(bindings, keys, &changed);
        faults.extend(conflicts);
        (keymap, faults)
    }

    /// What a key does while `focus` has the focus.
    #[must_use]
    pub fn action(&self, focus: Scope, key: Chord) -> Option<Action> {
        focus.chain().find_map(|scope| self.action_in(scope, key))
    }

    /// What a key does by the bindings of this scope alone.
    pub fn action_in(&self, scope: Scope, key: Chord) -> Option<Action> {
        self.lookup.get(&(scope, key)).copied()
    }

    /// The keys of an action in this scope alone; the first is the one to show.
    pub fn keys(&self, scope: Scope, action: Action) -> &[Chord] {
        self.keys.get(&(scope, action)).map_or(&[], Vec::as_slice)
    }

    /// The key to show in a hint for an action while `focus` has the focus, if one works there.
    pub fn hint(&self, focus: Scope, action: Action) -> Option<String> {
        let mut keys = focus.chain().flat_map(|scope| self.keys(scope, action));
        let key = keys.find(|key| self.action(focus, **key) == Some(action))?;
        Some(key.to_string())
    }

    /// The bindings of this scope alone, also those without a key.
    pub fn bindings_of(&self, scope: Scope) -> impl Iterator<Item = &'static Binding> {
        self.bindings.iter().filter(move |one| one.scope == scope)
    }

    /// All bindings that work while `focus` has the focus: narrow scopes first, each with its keys. Keys
    /// that a narrower scope binds to something else are left out.
    #[must_use]
    pub fn listing(&self, focus: Scope) -> Vec<(&'static Binding, Vec<Chord>)> {
        let mut rows = Vec::new();
        let in_scope = |scope| self.bindings.iter().filter(move |one| one.scope == scope);
        for binding in focus.chain().flat_map(in_scope) {
            let reaches = |key: &&Chord| self.action(focus, **key) == Some(binding.action);
            let keys = self.keys(binding.scope, binding.action).iter();
            let keys: Vec<Chord> = keys.filter(reaches).copied().collect();
            if !keys.is_empty() {
                rows.push((binding, keys));
            }
        }
        rows
    }

    fn from_keys(
        bindings: &'static [Binding],
        mut keys: BTreeMap<BindingKey, Vec<Chord>>,
        changed: &BTreeSet<BindingKey>,
    ) -> (Self, Vec<KeyFault>) {
        let mut lookup = HashMap::new();
        let mut conflicts = Vec::new();
        let (first, rest): (Vec<&Binding>, Vec<&Binding>) =
            bindings.iter().partition(|one| changed.contains(&(one.scope, one.action)));
        for Binding { scope, action, .. } in first.into_iter().chain(rest) {
            let Some(chords) = keys.get_mut(&(*scope, *action)) else { continue };
            chords.retain(|chord| {
                let taken = *lookup.entry((*scope, *chord)).or_insert(*action);
                if taken != *action {
                    let (scope, winner, loser) = (scope.name(), taken.name(), action.name());
                    let text = localized!(
                        "{chord} is also bound to {loser}, which loses it",
                        "{chord} 也绑定到 {loser}，后者失去此键"
                    );
                    conflicts.push(KeyFault::new(&[scope, winner], text));
                }
                taken == *action
            });
        }
        (Self { bindings, keys, lookup }, conflicts)
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
        let defaults: Vec<Chord> = default_keys(binding).collect();
        let mut warnings = Vec::new();
        let keys = self.keys(scope, action).iter();
        for chord in keys.filter(|chord| !defaults.contains(chord)) {
            let at = |scope| {
                let other = self.action_in(scope, *chord).filter(|other| *other != action);
                Some((scope, other?))
            };
            if let Some((of, other)) = scope.chain().skip(1).find_map(at) {
                let (scope, of, other) = (scope.name(), of.name(), other.name());
                let text = localized!(
                    "{chord} hides {other} ({of}) there",
                    "{chord} 在那里遮住了 {other}（{of}）"
                );
                warnings.push(KeyFault::new(&[scope, name], text));
            }
            for (narrow, other) in self.narrower(scope).into_iter().filter_map(at) {
                if !changed.contains(&(narrow, other)) {
                    let (of, here, other) = (scope.name(), narrow.name(), other.name());
                    let text = localized!(
                        "in {here} {chord} stays {other}",
                        "在 {here} 中 {chord} 仍是 {other}"
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

/// Names a set of keys in a key file.
const PRESET: &str = "preset";

/// The set that a key file names.
fn preset_of(file: &Value) -> (Option<KeyPreset>, Option<KeyFault>) {
    let (name, place): (_, &[&str]) = match file {
        Value::String(_) => (file, &[]),
        Value::Object(entries) => match entries.get(PRESET) {
            Some(name) => (name, &[PRESET]),
            None => return (None, None),
        },
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => return (None, None),
    };
    let preset = name.as_str().and_then(KeyPreset::named);
    let names = KeyPreset::names();
    let unknown = || localized!("{name} is none of: {names}", "{name} 不是其中之一：{names}");
    let fault = preset.is_none().then(|| KeyFault::new(place, unknown()));
    (preset, fault)
}

fn default_keys(binding: &Binding) -> impl Iterator<Item = Chord> {
    binding.keys.iter().filter_map(|key| Chord::parse(key))
}

fn default_keys_of_all(bindings: &[Binding]) -> BTreeMap<BindingKey, Vec<Chord>> {
    let keys = bindings.iter().map(|one| ((one.scope, one.action), default_keys(one).collect()));
    keys.collect()
}

/// The default keys with the changes of a key file.
#[derive(Debug)]
struct KeyOverrides {
    bindings: &'static [Binding],
    keys: BTreeMap<BindingKey, Vec<Chord>>,
    /// What the file names.
    changed: BTreeSet<BindingKey>,
    faults: Vec<KeyFault>,
}

impl KeyOverrides {
    fn scope(&mut self, name: &str, entries: &Value) {
        let scope = self.bindings.iter().map(|one| one.scope).find(|scope| scope.name() == name);
        let (Some(scope), Value::Object(entries)) = (scope, entries) else {
            let text = Text::new("not a scope with a mapping of actions", "不是带有动作映射的范围");
            self.faults.push(KeyFault::new(&[name], text));
            return;
        };
        for (action, value) in entries {
            match self.entry(scope, action, value) {
                Ok((place, chords)) => {
                    self.keys.insert(place, chords);
                    self.changed.insert(place);
                }
                Err(fault) => self.faults.push(KeyFault::new(&[name, action], fault)),
            }
        }
    }

    fn entry(
        &self,
        scope: Scope,
        name: &str,
        value: &Value,
    ) -> Result<(BindingKey, Vec<Chord>), Localized> {
        let action = self.named(scope, name).ok_or_else(|| self.unknown(scope, name))?;
        let names = if let Value::Array(names) = value {
            names.as_slice()
        } else if value.is_string() {
            std::slice::from_ref(value)
        } else {
            let text = Text::new("expected a key or a list of keys", "应为一个按键或按键列表");
            return Err(text.into());
        };
        let mut chords = Vec::with_capacity(names.len());
        for name in names {
            let chord = name.as_str().and_then(Chord::parse);
            let chord =
                chord.ok_or_else(|| localized!("{name} is not a key", "{name} 不是按键"))?;
            if scope.is_for_typing() && chord.is_typed() {
                return Err(localized!("{chord} types text here", "{chord} 在这里用于输入文字"));
            }
            if action == Action::Accept && chord.is_enter() {
                return Err(localized!(
                    "{chord} cannot confirm what cannot be undone",
                    "{chord} 不能用来确认无法撤销的操作"
                ));
            }
            chords.push(chord);
        }
        Ok(((scope, action), chords))
    }

    /// The action with this name in a scope, also by a name of earlier versions.
    fn named(&self, scope: Scope, name: &str) -> Option<Action> {
        let mut here = self.bindings.iter().filter(|one| one.scope == scope);
        here.find(|one| one.is_named(name)).map(|one| one.action)
    }

    fn unknown(&self, scope: Scope, name: &str) -> Localized {
        match scope.chain().skip(1).find(|wider| self.named(*wider, name).is_some()) {
            Some(wider) => {
                let wider = wider.name();
                localized!(
                    "no such action; it is defined under {wider}",
                    "没有这个动作；它定义在 {wider} 下"
                )
            }
            None => Text::new("no such action", "没有这个动作").into(),
        }
    }
}

#[cfg(test)]
mod tests;
