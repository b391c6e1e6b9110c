//! The entries of a key file: their changes of the defaults, and their faults.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::{BindingKey, KeyFault, KeyPreset, KeySequence};
use crate::action::{Action, Binding, Scope};
use crate::domain::text::{Localized, Text, localized};

/// Names a set of keys in a key file.
pub(super) const PRESET: &str = "preset";

/// The set that a key file names.
pub(super) fn preset_of(file: &Value) -> (Option<KeyPreset>, Option<KeyFault>) {
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

/// The default keys with the changes of a key file.
#[derive(Debug)]
pub(super) struct KeyOverrides {
    pub bindings: &'static [Binding],
    pub keys: BTreeMap<BindingKey, Vec<KeySequence>>,
    /// The bindings that the file names.
    pub changed: BTreeSet<BindingKey>,
    pub faults: Vec<KeyFault>,
}

impl KeyOverrides {
    /// Applies the keys of a preset: those added and removed everywhere, then those of single scopes.
    pub fn preset(&mut self, preset: &KeyPreset) {
        for binding in self.bindings.iter().filter(|one| !one.scope.is_for_typing()) {
            let place = (binding.scope, binding.action);
            let Some(keys) = self.keys.get_mut(&place) else { continue };
            let before = keys.clone();
            keys.retain(|keys| !preset.without.contains(&keys.to_string().as_str()));
            let added = preset.everywhere.iter().filter(|(name, _)| binding.is_named(name));
            let added =
                added.flat_map(|(_, keys)| *keys).filter_map(|keys| KeySequence::parse(keys));
            keys.splice(0..0, added);
            if *keys != before {
                self.changed.insert(place);
            }
        }
        for (scope, action, keys) in preset.keys {
            self.scope(scope, &serde_json::json!({ *action: keys }));
        }
    }

    pub fn scope(&mut self, name: &str, entries: &Value) {
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
    ) -> Result<(BindingKey, Vec<KeySequence>), Localized> {
        let action = self.named(scope, name).ok_or_else(|| self.unknown(scope, name))?;
        let names = if let Value::Array(names) = value {
            names.as_slice()
        } else if value.is_string() {
            std::slice::from_ref(value)
        } else {
            let text = Text::new("expected a key or a list of keys", "应为一个按键或按键列表");
            return Err(text.into());
        };
        let mut sequences = Vec::with_capacity(names.len());
        for name in names {
            let keys = name.as_str().and_then(KeySequence::parse);
            let keys = keys.ok_or_else(|| localized!("{name} is not a key", "{name} 不是按键"))?;
            check(scope, action, &keys)?;
            sequences.push(keys);
        }
        Ok(((scope, action), sequences))
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

/// Refuses keys that cannot be bound to an action.
fn check(scope: Scope, action: Action, keys: &KeySequence) -> Result<(), Localized> {
    if let Some((chord, sent)) =
        keys.chords().iter().find_map(|chord| Some((chord, chord.is_sent_as()?)))
    {
        return Err(localized!(
            "terminals send {chord} as {sent}; bind {sent}",
            "终端把 {chord} 当作 {sent} 发送；请绑定 {sent}"
        ));
    }
    let Some(first) = keys.chords().first() else { return Ok(()) };
    if scope.is_for_typing() && first.is_typed() {
        return Err(localized!("{first} types text here", "{first} 在这里用于输入文字"));
    }
    if keys.is_long() && keys.chords().iter().any(|chord| chord.is_escape()) {
        return Err(localized!(
            "esc takes back a begun sequence and cannot be part of one",
            "esc 用于取消已开始的按键序列，不能是其中的一键"
        ));
    }
    if keys.is_long() && scope.is_for_typing() && !first.is_command() {
        return Err(localized!(
            "a sequence begins with ctrl, alt or a function key here, not with {first}",
            "这里的按键序列须以 ctrl、alt 或功能键开始，不能以 {first} 开始"
        ));
    }
    if action == Action::Accept && keys.chords().iter().any(|chord| chord.is_enter()) {
        return Err(localized!(
            "{keys} cannot confirm what cannot be undone",
            "{keys} 不能用来确认无法撤销的操作"
        ));
    }
    Ok(())
}
