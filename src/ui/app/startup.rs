//! What has to arrive before the first dialog is opened.

#[derive(Debug, Default)]
pub(super) struct Startup {
    rows: bool,
    inbox: bool,
    opened: bool,
}

impl Startup {
    pub fn rows_arrived(&mut self) {
        self.rows = true;
    }

    pub fn inbox_arrived(&mut self) {
        self.inbox = true;
    }

    /// True once rows and inbox have arrived: before that the screen must not report them as empty.
    pub fn is_listed(&self) -> bool {
        self.rows && self.inbox
    }

    /// True if the first dialog is to be opened now.
    pub fn is_due(&self) -> bool {
        self.is_listed() && !self.opened
    }

    /// The first dialog is open.
    pub fn opened(&mut self) {
        self.opened = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_dialog_is_due_once_rows_and_inbox_have_arrived_and_only_once() {
        let mut startup = Startup::default();
        startup.inbox_arrived();
        assert!(!startup.is_due());
        startup.rows_arrived();
        assert!(startup.is_listed() && startup.is_due());
        startup.opened();
        assert!(startup.is_listed() && !startup.is_due());
    }
}
