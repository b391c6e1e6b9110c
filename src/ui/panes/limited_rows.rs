//! Rows up to a limit, made line by line: what does not fit is counted and not made.

/// Rows, and the number of lines that are not, or not wholly, among them.
#[derive(Debug, Clone)]
pub struct LimitedRows<R> {
    rows: Vec<R>,
    limit: usize,
    hidden: usize,
}

impl<R> LimitedRows<R> {
    pub fn new(limit: usize) -> Self {
        Self { rows: Vec::new(), limit, hidden: 0 }
    }

    /// Rows for which there is room.
    pub fn room(&self) -> usize {
        self.limit.saturating_sub(self.rows.len())
    }

    /// Adds the rows of a line. They are made only if there is room for the first of them.
    pub fn add_line(&mut self, rows: impl FnOnce() -> Vec<R>) {
        if self.room() == 0 {
            self.hidden += 1;
            return;
        }
        self.rows.extend(rows());
        if self.rows.len() > self.limit {
            self.rows.truncate(self.limit);
            self.hidden += 1;
        }
    }

    /// Adds a row that is no line, such as one between parts, if there is room.
    pub fn add_separator(&mut self, row: R) {
        if self.room() > 0 {
            self.rows.push(row);
        }
    }

    /// Lines for which no rows are made.
    pub fn hide(&mut self, lines: usize) {
        self.hidden += lines;
    }

    /// Lines that are not, or not wholly, among the rows.
    pub fn hidden(&self) -> usize {
        self.hidden
    }

    /// Converts the rows.
    #[must_use]
    pub fn map<T>(self, change: impl FnMut(R) -> T) -> LimitedRows<T> {
        let Self { rows, limit, hidden } = self;
        LimitedRows { rows: rows.into_iter().map(change).collect(), limit, hidden }
    }

    /// Adds rows that were made for the remaining room.
    pub fn append(&mut self, other: Self) {
        self.rows.extend(other.rows);
        self.hidden += other.hidden;
    }

    pub fn into_rows(self) -> Vec<R> {
        self.rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_beyond_the_limit_are_counted_also_one_of_which_only_a_part_fits() {
        let mut rows = LimitedRows::new(3);
        rows.add_line(|| vec!['a']);
        rows.add_separator('-');
        rows.add_line(|| vec!['b', 'c']);
        assert_eq!((rows.room(), rows.hidden()), (0, 1));
        rows.add_line(|| unreachable!("there is no room"));
        rows.add_separator('-');
        rows.hide(2);
        let mut other = LimitedRows::new(rows.room());
        other.add_line(|| vec!['d']);
        rows.append(other);
        assert_eq!(rows.hidden(), 5);
        assert_eq!(rows.into_rows(), ['a', '-', 'b']);
    }
}
