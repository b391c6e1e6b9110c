//! Questions to a person: their parts, their answers, and which decisions members take alone.

pub mod autonomy;
pub mod decisions;
pub mod inquiry;
pub mod open_questions;
pub mod put_off;
pub mod question;
