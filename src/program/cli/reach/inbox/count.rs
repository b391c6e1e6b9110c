//! `inbox --count`: how many questions wait, for a status line: those that are open and not put off. Reads the folders that
//! are here; asks no driver.

use std::path::Path;

use crate::app;
use crate::cli::commands::{find, folders};
use crate::cli::exit::Status;
use crate::cli::output;
use crate::cli::screen::put_offs;
use crate::domain::dialogs::tree::Bucket;
use crate::store::Access;

/// The number of open items in all places.
#[derive(Debug, Default, Clone, Copy)]
struct Counted {
    questions: usize,
    /// A place is on another machine, or cannot be read wholly.
    is_partly_unknown: bool,
}

/// Prints one short word; nothing if nothing is open.
pub fn print(places: &[String]) -> Status {
    let counted = places.iter().fold(Counted::default(), |all, place| all.with(of_place(place)));
    if let Some(word) = counted.word() {
        output::print(&word);
    }
    Status::Done
}

fn of_place(place: &str) -> Counted {
    let unknown = Counted { questions: 0, is_partly_unknown: true };
    if place.starts_with("ssh://") {
        return unknown;
    }
    let Ok(folder) = folders::canonical(Path::new(place)) else { return unknown };
    let Ok(store) = app::open(&folder, Access::ReadOnly) else { return unknown };
    let survey = store.survey(&[Bucket::Run]);
    let is_partly_unknown = !survey.problems.is_empty();
    let later = put_offs::read(&store);
    let open = find::open_questions(&survey);
    let waiting = open.filter(|(_, _, question)| !later.contains_key(&question.id));
    Counted { questions: waiting.count(), is_partly_unknown }
}

impl Counted {
    fn with(self, other: Self) -> Self {
        Self {
            questions: self.questions + other.questions,
            is_partly_unknown: self.is_partly_unknown || other.is_partly_unknown,
        }
    }

    fn word(self) -> Option<String> {
        match (self.questions, self.is_partly_unknown) {
            (0, false) => None,
            (0, true) => Some("?".to_owned()),
            (open, false) => Some(format!("{open}?")),
            (open, true) => Some(format!("{open}+?")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_known_is_said() {
        for (questions, is_partly_unknown, word) in
            [(0, false, None), (0, true, Some("?")), (2, false, Some("2?")), (2, true, Some("2+?"))]
        {
            let counted = Counted { questions, is_partly_unknown };
            assert_eq!(counted.word().as_deref(), word);
        }
        let places = ["ssh://box/srv".to_owned(), "/nonexistent".to_owned()];
        assert!(places.iter().all(|place| of_place(place).is_partly_unknown));
    }
}
