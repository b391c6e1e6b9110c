//! From a pressed key to an action, and from an action to the key that is shown for it.
//!
//! The defaults come from the action table; a key file may replace the keys of single actions.
//! An invalid entry is reported and skipped, never fatal: the user must always be able to quit.

mod chord;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt;

use serde_json::Value;

use super::action::{ACTIONS, Action, ActionSpec, Scope, actions_in};
pub use chord::Chord;

/// The default keys as a file, for users to copy from.
pub const DEFAULT_KEYS: &str = include_str!("../../themes/keys.yaml");

/// The keys of all actions. Immutable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Keymap {
    keys: BTreeMap<Action, Vec<Chord>>,
    /// Only used for lookups, never iterated, so its order does not matter.
    lookup: HashMap<(Scope, Chord), Action>,
}

/// An invalid entry of a key file, or a key bound to two actions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyFault {
    /// Scope and action, as far as they are known.
    place: Vec<String>,
    text: String,
}

impl KeyFault {
    fn new(place: &[&str], text: &str) -> Self {
        let place = place.iter().map(|&key| key.to_owned()).collect();
        Self { place, text: text.to_owned() }
    }

    /// The keys that lead to the entry.
    pub fn keys(&self) -> Vec<&str> {
        ["keys"].into_iter().chain(self.place.iter().map(String::as_str)).collect()
    }
}

impl fmt::Display for KeyFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.keys().join(": "), self.text)
    }
}

impl Keymap {
    /// The keys of the action table.
    #[must_use]
    pub fn defaults() -> Self {
        let keys = ACTIONS.iter().map(|spec| (spec.action, default_keys(spec).collect()));
        Self::from_keys(keys.collect(), &BTreeSet::new()).0
    }

    /// The defaults with the changes of a parsed key file: `scope: {action: key or [keys]}`.
    /// An empty list removes an action's keys.
    ///
    /// Also returns one fault for each invalid entry and for each key bound to two actions. Within a
    /// scope the file takes precedence over the defaults, then the earlier entry of the table.
    #[must_use]
    pub fn with_overrides(overrides: &Value) -> (Self, Vec<KeyFault>) {
        let mut changes = KeyOverrides { keys: Self::defaults().keys, ..KeyOverrides::default() };
        if let Value::Object(scopes) = overrides {
            for (scope, entries) in scopes {
                changes.scope(scope, entries);
            }
        } else if !overrides.is_null() {
            changes.faults.push(KeyFault::new(&[], "expected a mapping of scopes"));
        }
        let KeyOverrides { keys, changed, mut faults } = changes;
        let (keymap, conflicts) = Self::from_keys(keys, &changed);
        faults.extend(conflicts);
        faults
            .extend(changed.iter().flat_map(|action| keymap.shadowing_warnings(*action, &changed)));
        (keymap, faults)
    }

    /// What a key does while `focus` has the focus.
    #[must_use]
    pub fn action(&self, focus: Scope, key: Chord) -> Option<Action> {
        focus.chain().iter().find_map(|scope| self.lookup.get(&(*scope, key)).copied())
    }

    /// The keys of an action; the first is the one to show.
    pub fn keys(&self, action: Action) -> &[Chord] {
        self.keys.get(&action).map_or(&[], Vec::as_slice)
    }

    /// The key to show for an action in a hint, if it has one.
    pub fn hint(&self, action: Action) -> Option<String> {
        self.keys(action).first().map(Chord::to_string)
    }

    /// All actions available while `focus` has the focus: narrow scopes first, each action with
    /// its keys. Keys that a narrower scope binds to something else are left out.
    #[must_use]
    pub fn listing(&self, focus: Scope) -> Vec<(&'static ActionSpec, Vec<Chord>)> {
        let mut rows = Vec::new();
        for spec in focus.chain().iter().flat_map(|scope| actions_in(*scope)) {
            let reaches = |key: &&Chord| self.action(focus, **key) == Some(spec.action);
            let keys: Vec<Chord> = self.keys(spec.action).iter().filter(reaches).copied().collect();
            if !keys.is_empty() {
                rows.push((spec, keys));
            }
        }
        rows
    }

    fn from_keys(
        mut keys: BTreeMap<Action, Vec<Chord>>,
        changed: &BTreeSet<Action>,
    ) -> (Self, Vec<KeyFault>) {
        let mut lookup = HashMap::new();
        let mut conflicts = Vec::new();
        let (first, rest): (Vec<&ActionSpec>, Vec<&ActionSpec>) =
            ACTIONS.iter().partition(|spec| changed.contains(&spec.action));
        for spec in first.into_iter().chain(rest) {
            let Some(chords) = keys.get_mut(&spec.action) else { continue };
            chords.retain(|chord| {
                let taken = *lookup.entry((spec.scope, *chord)).or_insert(spec.action);
                if taken != spec.action {
                    let (scope, winner, loser) = (spec.scope.name(), taken.name(), spec.name);
                    let text = format!("{chord} is also bound to {loser}, which loses it");
                    conflicts.push(KeyFault::new(&[scope, winner], &text));
                }
                taken == spec.action
            });
        }
        (Self { keys, lookup }, conflicts)
    }

    /// One fault for each new key of this action that shadows an action of a wider scope, or is
    /// shadowed in a narrower one.
    fn shadowing_warnings(&self, action: Action, changed: &BTreeSet<Action>) -> Vec<KeyFault> {
        let Some(spec) = ACTIONS.iter().find(|spec| spec.action == action) else {
            return Vec::new();
        };
        let (scope, name) = (spec.scope, spec.name);
        let defaults: Vec<Chord> = default_keys(spec).collect();
        let mut warnings = Vec::new();
        for chord in self.keys(action).iter().filter(|chord| !defaults.contains(chord)) {
            let at = |scope: &Scope| self.lookup.get(&(*scope, *chord)).copied();
            if let Some(other) = scope.chain().iter().skip(1).find_map(at) {
                let (of, other) = (other.scope().name(), other.name());
                let scope = scope.name();
                let text = format!("{chord} hides {other} ({of}) there");
                warnings.push(KeyFault::new(&[scope, name], &text));
            }
            let narrower = Scope::ALL.iter().filter(|n| **n != scope && n.chain().contains(&scope));
            for (narrow, other) in narrower.filter_map(|narrow| Some((narrow, at(narrow)?))) {
                if !changed.contains(&other) {
                    let (of, here, other) = (scope.name(), narrow.name(), other.name());
                    let text = format!("in {here} {chord} stays {other}");
                    warnings.push(KeyFault::new(&[of, name], &text));
                }
            }
        }
        warnings
    }
}

fn default_keys(spec: &ActionSpec) -> impl Iterator<Item = Chord> {
    spec.keys.iter().filter_map(|key| Chord::parse(key))
}

/// The default keys with the changes of a key file.
#[derive(Debug, Default)]
struct KeyOverrides {
    keys: BTreeMap<Action, Vec<Chord>>,
    /// The actions the file names.
    changed: BTreeSet<Action>,
    faults: Vec<KeyFault>,
}

impl KeyOverrides {
    fn scope(&mut self, name: &str, entries: &Value) {
        let (Some(scope), Value::Object(entries)) = (Scope::named(name), entries) else {
            self.faults.push(KeyFault::new(&[name], "not a scope with a mapping of actions"));
            return;
        };
        for (action, value) in entries {
            match override_action(scope, action, value) {
                Ok((action, chords)) => {
                    self.keys.insert(action, chords);
                    self.changed.insert(action);
                }
                Err(fault) => self.faults.push(KeyFault::new(&[name, action], &fault)),
            }
        }
    }
}

fn override_action(
    scope: Scope,
    name: &str,
    value: &Value,
) -> Result<(Action, Vec<Chord>), String> {
    let spec = ActionSpec::named(scope, name).ok_or_else(|| unknown_action(scope, name))?;
    let names = if let Value::Array(names) = value {
        names.as_slice()
    } else if value.is_string() {
        std::slice::from_ref(value)
    } else {
        return Err("expected a key or a list of keys".to_owned());
    };
    let mut chords = Vec::with_capacity(names.len());
    for name in names {
        let chord = name.as_str().and_then(Chord::parse);
        let chord = chord.ok_or_else(|| format!("{name} is not a key"))?;
        if scope.is_for_typing() && chord.is_typed() {
            return Err(format!("{chord} types text here"));
        }
        if spec.action == Action::ConfirmYes && chord.is_enter() {
            return Err(format!("{chord} cannot confirm what cannot be undone"));
        }
        chords.push(chord);
    }
    Ok((spec.action, chords))
}

fn unknown_action(scope: Scope, name: &str) -> String {
    let wider = scope.chain().iter().skip(1).find_map(|wider| ActionSpec::named(*wider, name));
    match wider {
        Some(spec) => format!("no such action; it is defined under {}", spec.scope.name()),
        None => "no such action".to_owned(),
    }
}

#[cfg(test)]
mod tests;
