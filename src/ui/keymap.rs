//! From a pressed key to an action, and from an action to the key that is shown for it.
//!
//! The defaults come from the action table; a key file may replace the keys of single actions.
//! A faulty entry is reported and left out, never fatal: a person must always be able to quit.

mod chord;

use std::collections::{BTreeMap, HashMap};

use serde_json::Value;

use super::action::{ACTIONS, Action, ActionSpec, Scope, actions_in};
pub use chord::Chord;

/// The default keys as a file, for people to copy from.
pub const DEFAULT_KEYS: &str = include_str!("../../themes/keys.yaml");

/// Which key does what. Immutable once made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Keymap {
    keys: BTreeMap<Action, Vec<Chord>>,
    /// Only ever asked, never listed, so its order does not matter.
    lookup: HashMap<(Scope, Chord), Action>,
}

impl Keymap {
    /// The keys of the action table.
    #[must_use]
    pub fn defaults() -> Self {
        let keys = ACTIONS
            .iter()
            .map(|spec| {
                (spec.action, spec.keys.iter().filter_map(|key| Chord::parse(key)).collect())
            })
            .collect();
        Self::from_keys(keys).0
    }

    /// The defaults with the changes of a parsed key file: `scope: {action: key or [keys]}`.
    /// An empty list takes an action's keys away.
    ///
    /// Also returns one sentence for each entry that could not be used and for each key that two
    /// actions of one scope claim (the earlier in the table keeps it).
    #[must_use]
    pub fn with_overrides(overrides: &Value) -> (Self, Vec<String>) {
        let mut keys = Self::defaults().keys;
        let mut faults = Vec::new();
        if let Value::Object(scopes) = overrides {
            for (scope, entries) in scopes {
                override_scope(scope, entries, &mut keys, &mut faults);
            }
        } else if !overrides.is_null() {
            faults.push("keys: expected a mapping of scopes".to_owned());
        }
        let (keymap, conflicts) = Self::from_keys(keys);
        faults.extend(conflicts);
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

    /// Everything that works while `focus` has the focus: narrow scopes first, each action with
    /// its keys. Keys that a narrower scope uses for something else are left out.
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

    fn from_keys(keys: BTreeMap<Action, Vec<Chord>>) -> (Self, Vec<String>) {
        let mut lookup = HashMap::new();
        let mut conflicts = Vec::new();
        for spec in ACTIONS {
            for chord in keys.get(&spec.action).into_iter().flatten() {
                let taken = lookup.entry((spec.scope, *chord)).or_insert(spec.action);
                if *taken != spec.action {
                    let (scope, winner, loser) = (spec.scope.name(), taken.name(), spec.name);
                    conflicts.push(format!("keys: {scope}: {chord} is both {winner} and {loser}"));
                }
            }
        }
        (Self { keys, lookup }, conflicts)
    }
}

fn override_scope(
    name: &str,
    entries: &Value,
    keys: &mut BTreeMap<Action, Vec<Chord>>,
    faults: &mut Vec<String>,
) {
    let (Some(scope), Value::Object(entries)) = (Scope::named(name), entries) else {
        faults.push(format!("keys: {name:?} is no scope with a mapping of actions"));
        return;
    };
    for (action, value) in entries {
        match override_action(scope, action, value) {
            Ok((action, chords)) => {
                keys.insert(action, chords);
            }
            Err(fault) => faults.push(format!("keys: {name}: {action}: {fault}")),
        }
    }
}

fn override_action(
    scope: Scope,
    name: &str,
    value: &Value,
) -> Result<(Action, Vec<Chord>), String> {
    let spec = ActionSpec::named(scope, name).ok_or("no such action")?;
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
        chords.push(chord);
    }
    Ok((spec.action, chords))
}

#[cfg(test)]
mod tests;
