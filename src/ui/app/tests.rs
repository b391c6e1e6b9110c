//! The whole app: keys in as text, the screen out as text.

mod behaviour;
mod cost;
mod fixture;
mod lifecycle;
mod screens;
