//! Tests of the app: keys in as text, the screen out as text.

mod answering;
mod attention;
mod behaviour;
mod continuing;
mod copying;
mod cost;
mod ending;
mod first_frames;
pub mod fixture;
mod inline;
mod jumps;
mod keys;
pub mod lifecycle;
mod modes;
mod mouse;
pub mod queued;
mod screens;
mod searching;
mod titles;
