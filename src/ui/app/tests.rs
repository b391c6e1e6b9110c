//! Tests of the app: keys in as text, the screen out as text.

mod answering;
mod attention;
mod behaviour;
mod continuing;
mod copying;
mod cost;
pub mod ending;
mod first_frames;
mod first_hints;
pub mod fixture;
mod gallery;
mod images;
mod inline;
mod jumps;
mod keys;
pub mod lifecycle;
mod looked;
mod modes;
mod mouse;
mod one_line_views;
mod overlay_keys;
mod preview;
pub mod queued;
mod screens;
pub mod searching;
pub mod sequences;
mod titles;
