//! The scope of the overview, apart from it: lists that are opened from there bind their keys in it.

use crate::action::Scope;

pub const SCOPE: Scope = Scope::new("overview", "总览", &[Scope::ANYWHERE]);
