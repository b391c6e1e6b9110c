//! `inbox`: the open questions of several workspaces, here and on other machines: on a screen with all their dialogs, or
//! as lines.

mod board;
mod count;

use std::collections::{BTreeMap, HashMap};
use std::io::{BufReader, stdin};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Serialize;
use serde_json::{Value, json};
use tokio::time::{Instant, timeout_at};

use crate::domain::Lang;
use crate::domain::asking::decisions::Resolution;
use crate::domain::asking::question::headline;
use crate::domain::teams::notices::NewsItem;
use crate::platform::descriptors::WaitingInput;
use crate::platform::env;
use crate::protocol::wire::Audience;
use crate::protocol::{Asked, Command};
use crate::remote::{ConnectError, Fleet, Followed, Leaving, Line, Several, follow};
use crate::ui::Keys;
use crate::ui::plain::TypedLines;

use board::{Board, Change, Open};

use crate::cli::args::{InboxArgs, ItemKind, ScreenArgs};
use crate::cli::commands::undriven::AsksElsewhere;
use crate::cli::commands::{folders, news, undriven};
use crate::cli::exit::{CommandError, Status};
use crate::cli::forms::item_json::{self, Item, Placed};
use crate::cli::forms::question_json::{Asks, QuestionHead, part_lines};
use crate::cli::running::other_driver;
use crate::cli::screen::full::{self, ScreenExit, ScreenMode, ScreenStart};
use crate::cli::screen::link::Link;
use crate::cli::{config, output, runtime};

/// Timeout for a place to list its open questions.
const LIST_TIMEOUT: Duration = Duration::from_secs(10);
/// The further wait for its notices and failures; a driver of an older version has none.
const NEWS_TIMEOUT: Duration = Duration::from_secs(1);
/// Timeout for the acknowledgement of the last answers.
const LAST_ANSWERS_TIMEOUT: Duration = Duration::from_secs(10);

/// Most other questions that ask the same, per printed question.
const MOST_ALIKE: usize = 100;

const HELP: &str = "`2 your words` answers question 2 (or `2 b` for an option, `2 1 b` for a part), `2` shows it, an empty line lists all, `news` shows notices, `clear news` dismisses them, `quit` ends";

/// Shows the inbox in the wanted form.
pub fn inbox(workspace: &Path, wanted: InboxArgs) -> Result<Status, CommandError> {
    if news::is_wanted(&wanted) {
        return runtime::block_on(news::news(workspace, wanted));
    }
    let InboxArgs { mut places, kind, team, .. } = wanted;
    if places.is_empty() {
        places = config::read(workspace).inbox;
    }
    if places.is_empty() {
        places.push(workspace.display().to_string());
    }
    if wanted.count {
        return Ok(count::print(&places));
    }
    let screen = ScreenArgs { plain: wanted.plain, inline: false };
    if !wanted.watch && !wanted.json && ScreenMode::is_drawn(screen) {
        return show(workspace, &places);
    }
    let runtime = runtime::runtime()?;
    let shown = runtime.block_on(async {
        let mut fleet = Lines::of(&places)?;
        if wanted.watch {
            fleet.watch().await
        } else if wanted.json {
            fleet.list(&kind, team.as_deref()).await
        } else {
            fleet.answer().await
        }
    });
    // A thread may still read the terminal.
    runtime.shutdown_background();
    shown
}

/// Shows the inbox on a screen.
fn show(workspace: &Path, places: &[String]) -> Result<Status, CommandError> {
    let runtime = runtime::runtime()?;
    let shown = runtime.block_on(async {
        let link = Link::several(Fleet::of(follow_all(places, Audience::Screen)?));
        let start = (config::read(workspace), ScreenStart::default());
        // No file of this machine is of all of them.
        full::show_link(Path::new("inbox"), link, start, &mut Keys::default()).await
    });
    runtime.shutdown_timeout(full::LAST_FRAME_TIMEOUT);
    match shown? {
        ScreenExit::Status(status) => Ok(status),
        ScreenExit::Replay => Ok(Status::Done),
    }
}

/// A question, as `--watch` prints it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PlacedQuestion<'a> {
    place: &'a str,
    #[serde(flatten)]
    head: QuestionHead<'a>,
    headline: &'a str,
    content: &'a str,
    #[serde(flatten)]
    asks: Asks<'a>,
    task_doc_path: &'a str,
    event: &'static str,
}

/// What else `--watch` prints.
#[derive(Serialize)]
#[serde(tag = "event", rename_all = "snake_case", rename_all_fields = "camelCase")]
enum Watched<'a> {
    PartAnswered { place: &'a str, id: &'a str, part: &'a str },
    Answered { place: &'a str, id: &'a str, by: Option<&'a str> },
    Down { place: &'a str, why: &'a str },
    Up { place: &'a str },
    StoreAway { place: &'a str, why: &'a str },
    StoreBack { place: &'a str },
    NotificationAdded { place: &'a str, item: Box<Item<'a>> },
    NotificationResolved(DismissedNews<'a>),
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct DismissedNews<'a> {
    place: &'a str,
    id: &'a str,
    source: &'static str,
    source_id: Option<String>,
    how: Resolution,
}

/// All places, and their states.
struct Lines {
    names: Vec<String>,
    /// The folders of places on this machine.
    folders: Vec<Option<PathBuf>>,
    places: Several,
    board: Board,
    /// The approvals that were printed, by their numbers.
    printed: BTreeMap<usize, String>,
}

impl Lines {
    fn of(names: &[String]) -> Result<Self, CommandError> {
        let folder = |name: &String| {
            let is_here = !name.starts_with("ssh://");
            is_here.then(|| folders::canonical(Path::new(name)).ok()).flatten()
        };
        let folders = names.iter().map(folder).collect();
        let (names, followed) = follow_all(names, Audience::Lines)?.into_iter().unzip();
        let places = Several::of(followed);
        let board = Board::of(places.commands.len());
        Ok(Self { names, folders, places, board, printed: BTreeMap::new() })
    }

    async fn next(&mut self) -> Option<Vec<Change>> {
        let (place, event) = self.places.events.recv().await?;
        Some(self.board.apply(place, event))
    }

    /// Prints the open items, once every place has reported them or timed out.
    async fn list(
        &mut self,
        kinds: &[ItemKind],
        team: Option<&str>,
    ) -> Result<Status, CommandError> {
        let until = Instant::now() + LIST_TIMEOUT;
        while !self.board.is_known() {
            if !matches!(timeout_at(until, self.next()).await, Ok(Some(_))) {
                break;
            }
        }
        let until = Instant::now() + NEWS_TIMEOUT;
        while self.board.awaits_news() {
            if !matches!(timeout_at(until, self.next()).await, Ok(Some(_))) {
                break;
            }
        }
        let elsewhere = self.read_stores().await;
        let elsewhere = elsewhere.into_iter().map(|(place, asks)| {
            let AsksElsewhere { work, box_name } = asks;
            json!({
                "place": self.name(place), "team": work.team, "taskId": work.task, "box": box_name,
            })
        });
        let elsewhere: Value = elsewhere.collect();
        let mut items = self.items();
        items.retain(|item| item.what.is_wanted(kinds, team));
        let down = self.board.places.iter().zip(&self.names);
        let down = down.filter_map(|(state, name)| Some((name, state.why_down()?)));
        let away = self.board.away.iter().zip(&self.names);
        let away = away.filter_map(|(why, name)| Some((name, why.as_deref()?)));
        let one = |(place, why): (&String, &str)| json!({ "place": place, "why": why });
        let listed = json!({
            "items": items,
            "elsewhere": elsewhere,
            "down": down.map(one).collect::<Value>(),
            "storeAway": away.map(one).collect::<Value>(),
        });
        output::json(&listed);
        Ok(Status::Done)
    }

    /// Reads the stores of the folders that are here: for the news, where no driver tells them, and for what asks elsewhere.
    async fn read_stores(&mut self) -> Vec<(usize, AsksElsewhere)> {
        let mut elsewhere = Vec::new();
        for place in 0..self.folders.len() {
            let away = self.board.away.get(place).is_some_and(Option::is_some);
            let Some(Some(folder)) = self.folders.get(place).filter(|_| !away) else { continue };
            match undriven::told(folder).await {
                Ok(told) => {
                    if self.board.news.get(place).is_some_and(Option::is_none) {
                        self.board.told(place, &told.news);
                    }
                    elsewhere.extend(told.elsewhere.into_iter().map(|asks| (place, asks)));
                }
                Err(fault) => self.board.is_away(place, fault.text().to_string()),
            }
        }
        elsewhere
    }

    async fn watch(&mut self) -> Result<Status, CommandError> {
        while let Some(changes) = self.next().await {
            for change in &changes {
                let line = match change {
                    Change::Asked(open) => {
                        output::json(&self.question(open));
                        continue;
                    }
                    Change::PartAnswered(open, part) => {
                        let (place, id) = (self.name(open.place), &open.row.question.id);
                        Watched::PartAnswered { place, id, part }
                    }
                    Change::Gone(open, by) => {
                        let (place, id) = (self.name(open.place), &open.row.question.id);
                        Watched::Answered { place, id, by: by.as_deref() }
                    }
                    Change::Down(place, why) => Watched::Down { place: self.name(*place), why },
                    Change::Up(place) => Watched::Up { place: self.name(*place) },
                    Change::StoreAway(place, why) => {
                        Watched::StoreAway { place: self.name(*place), why }
                    }
                    Change::StoreBack(place) => Watched::StoreBack { place: self.name(*place) },
                    Change::NewsAdded(place, item) => {
                        let (place, item) = (self.name(*place), Box::new(Item::of_news(item)));
                        Watched::NotificationAdded { place, item }
                    }
                    Change::NewsGone(place, item) => {
                        let (source, source_id) = item_json::source_of_news(item);
                        let (place, id, how) = (self.name(*place), &item.id, Resolution::Dismissed);
                        let gone = DismissedNews { place, id, source, source_id, how };
                        Watched::NotificationResolved(gone)
                    }
                    Change::Sent(_) | Change::Refused(..) => continue,
                };
                output::json(&line);
            }
        }
        Ok(Status::Done)
    }

    async fn answer(&mut self) -> Result<Status, CommandError> {
        let mut typed = TypedLines::start(BufReader::new(WaitingInput(stdin())))
            .map_err(|error| CommandError::invalid(error.to_string()))?;
        output::note(HELP);
        loop {
            tokio::select! {
                line = typed.next_line() => match line {
                    Some(Some(line)) if line.trim() == "quit" => break,
                    Some(Some(line)) if line.trim() == "news" => self.print_news(),
                    Some(Some(line)) if line.trim() == "clear news" => self.clear_news().await,
                    Some(Some(line)) => self.typed(&line).await,
                    Some(None) => output::note("this line is too long, or no text"),
                    None => break,
                },
                changes = self.next() => match changes {
                    Some(changes) => self.print(&changes),
                    None => break,
                },
            }
        }
        let until = Instant::now() + LAST_ANSWERS_TIMEOUT;
        while !self.board.sent.is_empty() {
            let Ok(Some(changes)) = timeout_at(until, self.next()).await else {
                let text = "what was answered last is not acknowledged; look whether it is there";
                return Err(CommandError::refused(text));
            };
            self.print(&changes);
        }
        Ok(Status::Done)
    }

    async fn typed(&mut self, line: &str) {
        let (word, rest) = line.trim().split_once(char::is_whitespace).unwrap_or((line.trim(), ""));
        if word.is_empty() {
            let open: Vec<Open> = self.board.open.values().cloned().collect();
            for open in &open {
                self.print_row(open);
            }
            if open.is_empty() {
                output::print("nothing waits for you");
            }
            self.print_unknown().await;
            return;
        }
        let Ok(number) = word.parse::<usize>() else { return output::note(HELP) };
        let Some(open) = self.board.open.get(&number).cloned() else {
            return output::note(&format!("there is no open question {number}"));
        };
        if rest.trim().is_empty() {
            return self.print_whole(&open);
        }
        let is_printed = self.printed.get(&number) == Some(&open.row.whole(Lang::En));
        if open.row.may_be_approved_by(rest) && !is_printed {
            self.print_whole(&open);
            return output::note("not approved: this is all that you approve; answer it again");
        }
        let Some(commands) = self.places.commands.get(open.place).cloned() else { return };
        let command = self.board.answer(&open, rest.trim());
        if commands.send(command).await.is_err() {
            output::note("this place is not followed any more");
        }
    }

    fn name(&self, place: usize) -> &str {
        self.names.get(place).map_or("", String::as_str)
    }

    fn question<'a>(&'a self, open: &'a Open) -> PlacedQuestion<'a> {
        let (row, content) = (&open.row, &open.row.question.tellask_content);
        PlacedQuestion {
            place: self.name(open.place),
            head: QuestionHead::of(row),
            headline: headline(content),
            content,
            asks: Asks::of(row),
            task_doc_path: &row.taskdoc,
            event: "asked",
        }
    }

    /// Returns all open items.
    fn items(&self) -> Vec<Placed<'_, Item<'_>>> {
        let open: Vec<&Open> = self.board.open.values().collect();
        let mut groups: HashMap<Asked<'_>, Vec<&Open>> = HashMap::new();
        for one in &open {
            if let Some(asked) = one.row.asked() {
                groups.entry(asked).or_default().push(one);
            }
        }
        let questions = open.iter().map(|one| {
            let group = one.row.asked().and_then(|asked| groups.get(&asked));
            let same = group.into_iter().flatten();
            let same = same.filter(|other| other.row.dialog != one.row.dialog).take(MOST_ALIKE);
            let alike = same.map(|other| other.row.question.id.clone()).collect();
            Placed { what: Item::of_question(&one.row, alike), place: self.name(one.place) }
        });
        let places = self.board.news.iter().enumerate();
        let told =
            places.flat_map(|(place, items)| items.iter().flatten().map(move |item| (place, item)));
        let told =
            told.map(|(place, item)| Placed { what: Item::of_news(item), place: self.name(place) });
        questions.chain(told).collect()
    }

    /// Dismisses the news of all places; answers stay.
    async fn clear_news(&mut self) {
        for (place, commands) in self.places.commands.clone().into_iter().enumerate() {
            let open = self.board.news.get(place).and_then(Option::as_ref);
            let open = open.into_iter().flatten().filter(|item| item.can_be_dismissed());
            let ids: Vec<String> = open.map(|item| item.id.clone()).collect();
            if ids.is_empty() {
                continue;
            }
            let ticket = self.board.take_ticket();
            if commands.send(Command::DismissNews { ticket, ids }).await.is_err() {
                output::note("this place is not followed any more");
            }
        }
    }

    fn print_news(&self) {
        let places = self.board.news.iter().enumerate();
        let all: Vec<(usize, &NewsItem)> = places
            .flat_map(|(place, items)| items.iter().flatten().map(move |item| (place, item)))
            .collect();
        for (place, item) in &all {
            self.print_item(*place, item);
        }
        let away = self.board.away.iter().flatten().count();
        if all.is_empty() && away == 0 {
            output::print("there is no news");
        }
        self.print_away();
    }

    /// Prints which places have unknown open items, and what asks on other boxes.
    async fn print_unknown(&mut self) {
        for (place, asks) in self.read_stores().await {
            output::print(&format!("{}: {}", self.name(place), asks.line()));
        }
        let places = self.board.places.iter().enumerate();
        for (place, why) in places.filter_map(|(place, state)| Some((place, state.why_down()?))) {
            output::print(&format!("{}: {why}", self.name(place)));
        }
        self.print_away();
    }

    /// Prints which stores cannot be used, so that the known news may be old.
    fn print_away(&self) {
        for (place, why) in self.board.away.iter().enumerate() {
            if let Some(why) = why {
                output::print(&store_line(self.name(place), why));
            }
        }
    }

    fn print_item(&self, place: usize, item: &NewsItem) {
        let place = match self.names.len() {
            1 => String::new(),
            _ => format!("{}  ", self.name(place)),
        };
        output::print(&format!("{place}{}", item_json::news_line(item)));
    }

    fn print(&self, changes: &[Change]) {
        for change in changes {
            match change {
                Change::Asked(open) => self.print_row(open),
                Change::PartAnswered(open, part) => {
                    output::print(&format!("{}  {part} is answered", open.number));
                }
                Change::Gone(open, by) => {
                    let by = by.as_ref().map_or_else(String::new, |by| format!(" by {by}"));
                    output::print(&format!("{}  is answered{by}", open.number));
                }
                Change::Down(place, why) => {
                    output::print(&format!("{}: {why}", self.name(*place)));
                }
                Change::Up(place) => output::print(&format!("{}: connected", self.name(*place))),
                Change::StoreAway(place, why) => output::print(&store_line(self.name(*place), why)),
                Change::StoreBack(place) => {
                    output::print(&format!("{}: the store can be used again", self.name(*place)));
                }
                Change::NewsAdded(place, item) => self.print_item(*place, item),
                Change::NewsGone(..) => {}
                Change::Sent(number) => output::print(&format!("{number}  the answer is recorded")),
                Change::Refused(number, why) => {
                    output::print(&format!("{number}  not sent: {why}"));
                }
            }
        }
    }

    fn print_row(&self, open: &Open) {
        let place = match self.names.len() {
            1 => String::new(),
            _ => format!("{}  ", self.name(open.place)),
        };
        let asked = headline(&open.row.question.tellask_content);
        output::print(&format!("{}  {place}{}  {asked}", open.number, open.row.asker(Lang::En)));
    }

    fn print_whole(&mut self, open: &Open) {
        self.print_row(open);
        if !open.row.said.is_empty() {
            output::print(&format!("said before: {}", open.row.said));
        }
        let whole = open.row.whole(Lang::En);
        output::print(&whole);
        if open.row.is_approval() {
            self.printed.insert(open.number, whole);
        }
        if let Some(inquiry) = &open.row.inquiry {
            for line in part_lines(inquiry, &open.row.answers) {
                output::print(&line);
            }
        }
    }
}

/// Returns the line that the notices, failures and tasks of a place are not known, and why.
fn store_line(place: &str, why: &str) -> String {
    format!("{place}: its news may not be all there is: {why}")
}

/// Follows these places, with how each is shown.
fn follow_all(
    places: &[String],
    audience: Audience,
) -> Result<Vec<(String, Followed)>, CommandError> {
    places.iter().map(|place| follow_place(place, audience)).collect()
}

/// Follows a place; returns how it is shown.
fn follow_place(place: &str, audience: Audience) -> Result<(String, Followed), CommandError> {
    let hello = other_driver::hello_of_session(audience);
    if place.starts_with("ssh://") {
        let line =
            Line::parse(place, None).map_err(|fault| CommandError::usage(fault.to_string()))?;
        let line = line.only_running();
        let followed = follow(place, move || {
            let (line, hello) = (line.clone(), hello.clone());
            async move { line.connect(hello, Leaving::DriverStays).await }
        });
        return Ok((place.to_owned(), followed));
    }
    let folder = folders::canonical(Path::new(place))?;
    let name = env::display_path(&folder);
    let followed = follow(&name, move || {
        let (folder, hello) = (folder.clone(), hello.clone());
        async move {
            let found = other_driver::find(&folder, hello, Leaving::DriverStays).await;
            if let Some(driver) = found.map_err(|error| ConnectError::Line(error.text))? {
                return Ok(driver);
            }
            let events = undriven::events(&folder).await;
            Err(ConnectError::AtRest(events.map_err(|error| ConnectError::Line(error.text))?))
        }
    });
    Ok((name, followed))
}
