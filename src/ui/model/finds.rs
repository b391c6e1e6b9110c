//! The search in the records of dialogs: the last request, and its results so far.

use crate::protocol::{FindEnd, FindRequest, FoundPart, FoundRecord, Ticket};

#[derive(Debug, Default)]
pub struct Finds {
    asked: Option<(Ticket, FindRequest)>,
    records: Vec<FoundRecord>,
    /// True until results of the last search arrive: the records are those of an earlier one.
    is_stale: bool,
    unread: usize,
    end: Option<FindEnd>,
}

impl Finds {
    /// Records a search with its ticket. Returns the ticket of the search before, which is no longer wanted.
    /// Its records stay until results of the new one arrive.
    pub fn begin(&mut self, ticket: Ticket, request: FindRequest) -> Option<Ticket> {
        let before = self.asked.replace((ticket, request));
        self.is_stale = true;
        self.end = None;
        before.map(|(ticket, _)| ticket)
    }

    /// Ends the search. Returns its ticket.
    pub fn close(&mut self) -> Option<Ticket> {
        let asked = self.asked.take();
        *self = Self::default();
        asked.map(|(ticket, _)| ticket)
    }

    /// Adds results; false if they are of another search.
    pub fn add(&mut self, ticket: Ticket, part: FoundPart) -> bool {
        if self.asked.as_ref().is_none_or(|(asked, _)| *asked != ticket) {
            return false;
        }
        if std::mem::take(&mut self.is_stale) {
            self.records.clear();
        }
        self.records.extend(part.records);
        self.unread = part.unread;
        self.end = part.end;
        true
    }

    /// Returns the last search, to be repeated after results were lost.
    pub fn request(&self) -> Option<&FindRequest> {
        self.asked.as_ref().map(|(_, request)| request)
    }

    /// The results, in the order in which they came.
    pub fn records(&self) -> &[FoundRecord] {
        &self.records
    }

    /// Returns a result of the last request.
    pub fn record(&self, at: usize) -> Option<&FoundRecord> {
        self.records.get(at).filter(|_| !self.is_stale)
    }

    /// Courses that could not be read.
    pub fn unread(&self) -> usize {
        self.unread
    }

    /// `None` while it goes on, or nothing is searched for.
    pub fn end(&self) -> Option<FindEnd> {
        self.end
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(text: &str) -> FindRequest {
        FindRequest { text: text.to_owned(), ..FindRequest::default() }
    }

    fn part(end: Option<FindEnd>) -> FoundPart {
        FoundPart { records: Vec::new(), unread: 1, end }
    }

    #[test]
    fn results_of_another_search_are_dropped() {
        let mut finds = Finds::default();
        assert!(!finds.add(1, part(None)));
        assert_eq!(finds.begin(1, request("a")), None);
        assert_eq!(finds.begin(2, request("ab")), Some(1));
        assert!(!finds.add(1, part(Some(FindEnd::Complete))));
        assert_eq!(finds.end(), None);
        assert!(finds.add(2, part(Some(FindEnd::TooMany))));
        assert_eq!((finds.end(), finds.unread()), (Some(FindEnd::TooMany), 1));
        assert_eq!(finds.close(), Some(2));
        assert_eq!((finds.close(), finds.request()), (None, None));
    }
}
