//! The keys of one scope as a tree: each key leads to an action or to the keys that can follow.

use super::{Chord, KeySequence};
use crate::action::Action;

/// The node that a sequence of keys leads to. A node with an action has no children.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Node {
    action: Option<Action>,
    /// In the order in which they were bound.
    next: Vec<(Chord, Node)>,
}

impl Node {
    /// Returns the node of these keys.
    pub fn find(&self, keys: &[Chord]) -> Option<&Self> {
        let Some((first, rest)) = keys.split_first() else { return Some(self) };
        let (_, next) = self.next.iter().find(|(chord, _)| chord == first)?;
        next.find(rest)
    }

    pub fn action(&self) -> Option<Action> {
        self.action
    }

    /// Binds keys, or returns the keys in the way: the same ones, or those of which one is a prefix of the other.
    pub fn bind(
        &mut self,
        keys: &KeySequence,
        action: Action,
    ) -> Result<(), (KeySequence, Action)> {
        if let Some((taken, other)) = self.clash(keys) {
            return if other == action && taken == *keys { Ok(()) } else { Err((taken, other)) };
        }
        let mut node = self;
        for chord in keys.chords() {
            let known = node.next.iter().position(|(known, _)| known == chord);
            let at = known.unwrap_or_else(|| {
                node.next.push((*chord, Self::default()));
                node.next.len() - 1
            });
            let Some((_, next)) = node.next.get_mut(at) else { return Ok(()) };
            node = next;
        }
        node.action = Some(action);
        Ok(())
    }

    /// The keys that cannot work beside these, with their action.
    pub fn clash(&self, keys: &KeySequence) -> Option<(KeySequence, Action)> {
        let mut node = self;
        let mut passed: Option<KeySequence> = None;
        for chord in keys.chords() {
            node = node.find(std::slice::from_ref(chord))?;
            let here = passed.map_or_else(|| (*chord).into(), |passed| passed.then(*chord));
            if let Some(action) = node.action {
                return Some((here, action));
            }
            passed = Some(here);
        }
        node.first_below(passed?)
    }

    fn first_below(&self, passed: KeySequence) -> Option<(KeySequence, Action)> {
        if let Some(action) = self.action {
            return Some((passed, action));
        }
        self.next.iter().find_map(|(chord, next)| next.first_below(passed.then(*chord)))
    }
}
