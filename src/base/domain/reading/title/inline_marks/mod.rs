//! Takes the inline marks of Markdown out of one line: emphasis, code, links. Pure.
//!
//! Only marks are removed, and only in pairs, as `CommonMark` pairs them. What it would pair although it is more
//! likely a pattern, a product or a name (`src/*.rs tests/*.rs`, `2*3*4`, `__init__.py`) stays: a mark too many
//! is read over, a character too few makes another text. Text in code is literal. The work is linear in the line.

use unicode_width::UnicodeWidthChar as _;

/// Brackets in a link target that may be open at once.
const MAX_OPEN_BRACKETS: usize = 32;

/// The line without its marks; links and images are their texts.
pub(super) fn without_inline_marks(line: &str) -> String {
    let mut pieces = pieces_of(line);
    remove_pairs(&mut pieces);
    let mut plain = String::new();
    for piece in &pieces {
        match piece {
            Piece::Text(text) => plain.push_str(text),
            Piece::Label(text) => plain.push_str(&without_inline_marks(text)),
            Piece::Run(run) => plain.extend(std::iter::repeat_n(run.mark, run.left)),
        }
    }
    plain
}

#[derive(Debug)]
enum Piece<'a> {
    Text(&'a str),
    /// The text of a link. It has no brackets, so it contains no link.
    Label(&'a str),
    Run(Run),
}

/// Equal marks in a row.
#[derive(Debug, Clone, Copy)]
struct Run {
    mark: char,
    length: usize,
    /// Number of its marks that belong to no pair.
    left: usize,
    opens: bool,
    closes: bool,
}

fn pieces_of(line: &str) -> Vec<Piece<'_>> {
    let (mut pieces, mut text, mut at) = (Vec::new(), 0, 0);
    let between = |from: usize, to: usize| line.get(from..to).unwrap_or_default();
    while let Some(rest) = line.get(at..) {
        let Some(c) = rest.chars().next() else { break };
        let before = between(0, at);
        let (piece, taken) = match c {
            '`' => match code(rest) {
                Some((content, taken)) => (Some(Piece::Text(content)), taken),
                None => (None, run_length(rest, c)),
            },
            '[' | '!' => match link(before, rest) {
                Some((label, taken)) => (Some(Piece::Label(label)), taken),
                None => (None, 1),
            },
            '*' | '_' | '~' => {
                let length = run_length(rest, c);
                let after = rest.get(length..).unwrap_or_default();
                (Run::between(before, (c, length), after).map(Piece::Run), length)
            }
            _ => (None, c.len_utf8()),
        };
        if let Some(piece) = piece {
            pieces.extend([Piece::Text(between(text, at)), piece]);
            text = at + taken;
        }
        at += taken;
    }
    pieces.push(Piece::Text(between(text, line.len())));
    pieces
}

/// All of these marks are one byte.
fn run_length(text: &str, mark: char) -> usize {
    text.len() - text.trim_start_matches(mark).len()
}

/// The text between two equal runs of backticks, and how much both take.
fn code(text: &str) -> Option<(&str, usize)> {
    let length = run_length(text, '`');
    let mut at = length;
    loop {
        at += text.get(at..)?.find('`')?;
        let found = run_length(text.get(at..)?, '`');
        if found == length {
            return Some((text.get(length..at)?, at + length));
        }
        at += found;
    }
}

/// The text of a link or an image at the start, and how much the link takes.
fn link<'a>(before: &str, text: &'a str) -> Option<(&'a str, usize)> {
    let start = usize::from(text.starts_with('!'));
    let inside = text.get(start..)?.strip_prefix('[')?;
    let label = inside.get(..label_end(inside)?)?;
    let target = inside.get(label.len()..)?.strip_prefix("](")?;
    let length = target_length(target)?;
    // `calls[at](x)` is code.
    let is_joined =
        before.chars().next_back().is_some_and(|c| is_narrow_word(c) || ")]".contains(c));
    let is_address = target.get(..length)?.contains("://");
    let is_link = !label.is_empty() && length > 0 && (is_address || !is_joined);
    is_link.then_some((label, start + label.len() + length + "[](".len() + 1))
}

/// Where the bracket is that ends a text without brackets; those in code do not count.
fn label_end(inside: &str) -> Option<usize> {
    let mut at = 0;
    loop {
        at += inside.get(at..)?.find(['[', ']', '`'])?;
        let rest = inside.get(at..)?;
        match rest.chars().next()? {
            ']' => return Some(at),
            '`' => at += code(rest).map_or_else(|| run_length(rest, '`'), |(_, taken)| taken),
            _ => return None,
        }
    }
}

/// The length of an address with its title, which the closing bracket follows.
fn target_length(target: &str) -> Option<usize> {
    let mut open = 0;
    for (at, c) in target.char_indices() {
        match c {
            '(' => open += 1,
            ')' if open == 0 => return Some(at),
            ')' => open -= 1,
            ' ' => {
                let title = target.get(at..)?.trim_start();
                let quote = title.chars().next().filter(|c| matches!(c, '"' | '\''))?;
                let length = title.get(1..)?.find(quote)? + 2;
                let is_last = title.get(length..)?.starts_with(')');
                return is_last.then(|| target.len() - title.len() + length);
            }
            _ => {}
        }
        if open > MAX_OPEN_BRACKETS {
            return None;
        }
    }
    None
}

impl Run {
    /// `None` for marks that belong to no pair wherever they stand.
    fn between(before: &str, (mark, length): (char, usize), after: &str) -> Option<Self> {
        let beside = Beside {
            before: before.chars().next_back(),
            beyond_before: before.chars().nth_back(1),
            after: after.chars().next(),
            beyond_after: after.chars().nth(1),
        };
        let (opens, closes) = match mark {
            '~' if length != 2 => return None,
            '*' => beside.stars(length),
            '_' => beside.underscores(),
            _ => (beside.is_left_flanking(), beside.is_right_flanking()),
        };
        (opens || closes).then_some(Self { mark, length, left: length, opens, closes })
    }
}

/// The characters beside a run, and those beyond them.
#[derive(Debug, Clone, Copy)]
struct Beside {
    before: Option<char>,
    beyond_before: Option<char>,
    after: Option<char>,
    beyond_after: Option<char>,
}

impl Beside {
    /// As the specification of `CommonMark` defines it.
    fn is_left_flanking(self) -> bool {
        !is_blank(self.after)
            && (!is_sign(self.after) || is_blank(self.before) || is_sign(self.before))
    }

    fn is_right_flanking(self) -> bool {
        !is_blank(self.before)
            && (!is_sign(self.before) || is_blank(self.after) || is_sign(self.after))
    }

    /// Whether a run of `*` opens, and whether it closes.
    fn stars(self, length: usize) -> (bool, bool) {
        let (left, right) = (self.is_left_flanking(), self.is_right_flanking());
        let is_product =
            self.before.is_some_and(is_narrow_word) && self.after.is_some_and(is_narrow_word);
        // `build/*`, `src/**/a`; with a backslash it is no mark in `CommonMark` either.
        if is_product || is_in(self.before, "/\\") {
            return (false, false);
        }
        // `*.log`, `*/a`, `*_old`
        let is_pattern = length == 1 && is_in(self.after, "./\\_-?,;:=");
        // `"a.*" "b.*"`: between two signs it may be anything, so that a pair needs another reason.
        let is_unclear = left && right && is_sign(self.before) && !is_in(self.after, "`");
        let in_bracket = is_in(self.before, "([{<（「『《【“‘");
        let opens = left && !is_pattern && !is_unclear;
        (opens, right && !in_bracket && !is_in(self.after, "/\\"))
    }

    /// As [`Self::stars`], for `_`. A run beside a sign that joins it to a word is part of a name: `__init__.py`.
    fn underscores(self) -> (bool, bool) {
        let (left, right) = (self.is_left_flanking(), self.is_right_flanking());
        let joins = |sign: Option<char>, beyond: Option<char>| {
            // `*_old` may be a pattern, `**_old_**` is none.
            let is_star = sign == Some('*') && beyond != Some('*');
            is_star
                || is_in(sign, "/\\")
                || (sign.is_some_and(|c| c.is_ascii_punctuation())
                    && beyond.is_some_and(char::is_alphanumeric))
        };
        let opens = left && (!right || is_sign(self.before));
        let closes = right && (!left || is_sign(self.after));
        (
            opens && !joins(self.before, self.beyond_before),
            closes && !joins(self.after, self.beyond_after),
        )
    }
}

fn is_in(c: Option<char>, signs: &str) -> bool {
    c.is_some_and(|c| signs.contains(c))
}

fn is_blank(c: Option<char>) -> bool {
    c.is_none_or(char::is_whitespace)
}

/// Punctuation or a symbol; what has no width belongs to the character before it.
fn is_sign(c: Option<char>) -> bool {
    c.is_some_and(|c| {
        !c.is_alphanumeric() && !c.is_whitespace() && c.width().is_some_and(|width| width > 0)
    })
}

/// A letter or a digit of a script that separates words; Chinese does not.
fn is_narrow_word(c: char) -> bool {
    c.is_alphanumeric() && c.width() == Some(1)
}

/// Takes the pairs out of the runs.
fn remove_pairs(pieces: &mut [Piece<'_>]) {
    let runs = pieces.iter_mut().filter_map(|piece| match piece {
        Piece::Run(run) => Some(run),
        Piece::Text(_) | Piece::Label(_) => None,
    });
    let mut runs: Vec<&mut Run> = runs.collect();
    let mut open: Vec<usize> = Vec::new();
    // For each kind of closing run: below this, nothing open fits.
    let mut lowest = [0; 18];
    for at in 0..runs.len() {
        while let Some(closing) = runs.get(at).map(|run| **run) {
            if !closing.closes || closing.left == 0 {
                break;
            }
            let bound = lowest.get(kind(closing)).copied().unwrap_or_default().min(open.len());
            let fits = |at: &usize| runs.get(*at).is_some_and(|run| pairs(run, closing));
            let candidates = open.get(bound..).unwrap_or_default();
            let Some(found) = candidates.iter().rposition(fits).map(|place| bound + place) else {
                if let Some(lowest) = lowest.get_mut(kind(closing)) {
                    *lowest = open.len();
                }
                break;
            };
            open.truncate(found + 1);
            // What is opened from here on was not looked at.
            for lowest in &mut lowest {
                *lowest = found.min(*lowest);
            }
            let Some(opening) = open.last().and_then(|at| runs.get_mut(*at)) else { break };
            let taken = if opening.left >= 2 && closing.left >= 2 { 2 } else { 1 };
            opening.left -= taken;
            if opening.left == 0 {
                open.pop();
            }
            if let Some(run) = runs.get_mut(at) {
                run.left -= taken;
            }
        }
        if runs.get(at).is_some_and(|run| run.opens && run.left > 0) {
            open.push(at);
        }
    }
}

/// The kind of a run, as a number below 18: it decides which open runs a closing one fits.
fn kind(run: Run) -> usize {
    let mark = match run.mark {
        '*' => 0,
        '_' => 1,
        _ => 2,
    };
    (mark * 2 + usize::from(run.opens)) * 3 + run.length % 3
}

/// Rules 9 and 10 of `CommonMark`: where a run could do both, lengths that add up to three make no pair.
fn pairs(opening: &Run, closing: Run) -> bool {
    let both = (opening.opens && opening.closes) || (closing.opens && closing.closes);
    let sum = opening.length + closing.length;
    let is_by_three = |length: usize| length.is_multiple_of(3);
    let all_by_three = is_by_three(opening.length) && is_by_three(closing.length);
    let allowed = !both || !is_by_three(sum) || all_by_three;
    opening.mark == closing.mark && allowed
}

#[cfg(test)]
mod tests;
