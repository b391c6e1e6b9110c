//! The whole app: keys in as text, the screen out as text.

mod answering;
mod behaviour;
mod cost;
mod ending;
mod fixture;
mod going_on;
mod jumps;
mod lifecycle;
mod problems;
mod processes;
mod screens;
mod sheets;
mod trust;
