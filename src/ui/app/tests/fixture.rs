//! A small workspace, an app that shows it, and keys as words.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{
    KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
};
use ratatui::layout::{Rect, Size};
use ratatui::text::Line;

use crate::app::Gesture;
use crate::app::answers::undoable::HeldAnswers;
use crate::app::dialogs::reading::Reading;
use crate::app::drawing::inline::Inline;
use crate::app::{App, AppOptions, AppStart, LookChange, PrintAmount};
use crate::bindings;
use crate::cx::UiSettings;
use crate::domain::dialogs::latest::{Blocker, StopReason};
use crate::domain::dialogs::record::Entry;
use crate::domain::reading::usage::Prices;
use crate::domain::safety::sandbox::Level;
use crate::domain::{
    CallId, CallSite, Course, DialogId, DisplayState, Genseq, HealthLevel, Lang, Question, RootId,
    SelfId, Stamp,
};
use crate::draft_writer::DraftTexts;
use crate::highlight::CodeColours;
use crate::keymap::Keymap;
use crate::links::Links;
use crate::model::DraftKey;
use crate::panes::transcript::ThinkingView;
use crate::protocol::event::Segment;
use crate::protocol::{
    Command, DriverEvent, ImageSupport, InboxRow, MemberView, Ticket, TranscriptPage, TreeRow,
    WorkspaceView,
};
use crate::samples::Shows;
use crate::terminal::MouseUse;
use crate::theme::{Glyphs, Theme};
use crate::user_settings::SettingOptions;

pub const CLOCK: Shows = Shows("2026-11-21 12:03:00");

/// Drafts in memory, shared with the test.
#[derive(Debug, Clone, Default)]
pub struct Notebook(pub Arc<Mutex<Vec<(String, String)>>>);

impl Notebook {
    pub fn with(key: &str, text: &str) -> Self {
        Self(Arc::new(Mutex::new(vec![(key.to_owned(), text.to_owned())])))
    }

    pub fn get(&self, key: &str) -> Option<String> {
        let all = self.0.lock().unwrap();
        all.iter().find(|(known, _)| known == key).map(|(_, text)| text.clone())
    }
}

impl Notebook {
    fn texts(&self) -> DraftTexts {
        self.0.lock().unwrap().iter().cloned().collect()
    }

    fn save(&self, changes: DraftTexts) {
        let mut all = self.0.lock().unwrap();
        for (key, text) in changes {
            all.retain(|(known, _)| *known != key);
            if !text.is_empty() {
                all.push((key, text));
            }
        }
    }
}

/// An app on a screen, with the commands it sent.
pub struct Stage {
    pub app: App,
    pub sent: Vec<Command>,
    pub now: Instant,
    drafts: Notebook,
    terminal: Terminal<TestBackend>,
}

impl Stage {
    pub fn new(width: u16, height: u16) -> Self {
        Self::with(width, height, Notebook::default(), &Glyphs::UTF8)
    }

    pub fn with(width: u16, height: u16, drafts: Notebook, glyphs: &Glyphs) -> Self {
        Self::made(width, height, drafts, glyphs, Lang::En)
    }

    pub fn chinese(width: u16, height: u16) -> Self {
        Self::made(width, height, Notebook::default(), &Glyphs::UTF8, Lang::Zh)
    }

    fn made(width: u16, height: u16, drafts: Notebook, glyphs: &Glyphs, lang: Lang) -> Self {
        let now = Instant::now();
        let ui = UiSettings {
            theme: Theme::plain(),
            glyphs: *glyphs,
            keymap: bindings::defaults(),
            lang,
            colours: CodeColours::at_once(),
            links: Links::default(),
        };
        let app = App::new(AppOptions {
            ui,
            clock: Arc::new(CLOCK),
            drafts: drafts.texts(),
            undo_answers: Duration::ZERO,
            moment: now,
            start: AppStart::default(),
        });
        let terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        Self { app, sent: Vec::new(), now, drafts, terminal }
    }

    /// The mouse is used.
    pub fn use_mouse(&mut self) {
        let is_inline = self.app.inline.is_some();
        let switched = self.app.pointer.use_mouse(MouseUse::On, is_inline);
        self.app.effects.extend(switched);
    }

    /// The sandbox level of commands is known.
    pub fn show_level(&mut self, level: Level) {
        self.app.model.level = Some(level);
    }

    /// The person has set how thinking looks in a dialog that is opened.
    pub fn show_thinking(&mut self, thinking: ThinkingView) {
        self.app.reading = Reading::new(thinking);
    }

    /// These settings can be changed.
    pub fn offer(&mut self, settings: SettingOptions) {
        self.app.model.settings = settings;
    }

    /// The person has set what models cost.
    pub fn set_prices(&mut self, prices: Prices) {
        self.app.model.prices = prices;
    }

    /// Answers can be undone for five seconds.
    pub fn with_undo(mut self) -> Self {
        self.app.held_answers = HeldAnswers::new(Duration::from_secs(5));
        self
    }

    pub fn apply(&mut self, event: DriverEvent) -> &mut Self {
        let sent = self.app.apply(event);
        self.sent.extend(sent);
        self.drafts.save(self.app.take_drafts());
        self
    }

    /// Keys as words: `j`, `<enter>`, `<alt+a>`; `"text"` is typed letter by letter.
    pub fn keys(&mut self, words: &str) -> &mut Self {
        for word in words.split(' ').filter(|word| !word.is_empty()) {
            let key = word.strip_prefix('<').and_then(|word| word.strip_suffix('>'));
            match key {
                Some(name) => self.key(named(name)),
                None => {
                    self.type_text(word);
                }
            }
        }
        self
    }

    /// Presses a key, or none, after the time in which a question can be read.
    pub fn agree(&mut self, key: &str) -> &mut Self {
        self.screen();
        self.wait(Duration::from_secs(1)).keys(key)
    }

    /// One key by its name in key files.
    pub fn key_named(&mut self, name: &str) -> &mut Self {
        let one = name.chars().count() == 1;
        self.keys(&if one { name.to_owned() } else { format!("<{name}>") })
    }

    pub fn type_text(&mut self, text: &str) -> &mut Self {
        for c in text.chars() {
            self.key(KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE));
        }
        self
    }

    fn key(&mut self, key: KeyEvent) {
        let sent = self.app.key(key);
        self.sent.extend(sent);
        self.drafts.save(self.app.take_drafts());
    }

    /// The mouse, if it is used.
    pub fn mouse(&mut self, kind: MouseEventKind, column: u16, row: u16) -> &mut Self {
        let event = MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE };
        if let Some(gesture) = Gesture::of(event) {
            let sent = self.app.point(gesture);
            self.sent.extend(sent);
        }
        self
    }

    pub fn click(&mut self, column: u16, row: u16) -> &mut Self {
        self.mouse(MouseEventKind::Down(MouseButton::Left), column, row)
    }

    /// The first cell of the screen where this text is.
    pub fn place_of(&mut self, text: &str) -> (u16, u16) {
        let screen = self.screen();
        let found = screen.lines().enumerate().find_map(|(y, line)| {
            let at = line.find(text)?;
            let x = crate::text::width::width(line.get(..at)?);
            Some((u16::try_from(x).ok()?, u16::try_from(y).ok()?))
        });
        found.unwrap_or_else(|| panic!("{text} is not in\n{screen}"))
    }

    pub fn wait(&mut self, time: Duration) -> &mut Self {
        self.now += time;
        self.app.tick(self.now);
        self.drafts.save(self.app.take_drafts());
        self
    }

    /// Gives the screen another size.
    pub fn resize(&mut self, width: u16, height: u16) {
        self.terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        self.app.resized();
    }

    /// Draws one layout twice and returns the second frame.
    pub fn drawn_twice(&mut self) -> String {
        let screen = self.app.layout(self.terminal.size().unwrap());
        self.terminal.draw(|frame| screen.draw(frame)).unwrap();
        self.terminal.draw(|frame| screen.draw(frame)).unwrap();
        self.text()
    }

    /// Gives it other keys.
    pub fn use_keys(&mut self, keymap: Keymap) {
        Arc::make_mut(&mut self.app.ui).keymap = keymap;
    }

    pub fn settings(&self) -> Arc<UiSettings> {
        self.app.ui.clone()
    }

    /// Draws everything in this theme.
    pub fn wear(&mut self, theme: Theme) {
        self.app.change_look(LookChange::Look { theme, follows: None });
    }

    /// Draws and returns the cells; on an inline screen those of its live rows.
    pub fn drawn(&mut self) -> Buffer {
        if let Some(height) = self.app.inline_rows(self.terminal.size().unwrap()) {
            return self.live_frame(height).backend().buffer().clone();
        }
        self.screen();
        self.terminal.backend().buffer().clone()
    }

    /// Returns what an inline screen prints now; nothing on another screen.
    pub fn printed(&mut self) -> Buffer {
        let size = self.terminal.size().unwrap();
        let width = size.width;
        self.app.inline_rows(size);
        let lines = self.app.take_printed(PrintAmount::OneFrame);
        let height = u16::try_from(lines.len()).unwrap();
        let mut printed = Buffer::empty(Rect { width, height, ..Rect::default() });
        for (y, line) in (0..height).zip(&lines) {
            printed.set_line(0, y, line, width);
        }
        printed
    }

    /// Draws the live rows of an inline screen.
    fn live_frame(&mut self, height: u16) -> Terminal<TestBackend> {
        let size = self.terminal.size().unwrap();
        let screen = self.app.layout(Size { height, ..size });
        let mut terminal = Terminal::new(TestBackend::new(size.width, height)).unwrap();
        terminal.draw(|frame| screen.draw(frame)).unwrap();
        let sent = self.app.take_commands();
        self.sent.extend(sent);
        terminal
    }

    /// Draws and returns the screen.
    pub fn screen(&mut self) -> String {
        let screen = self.app.layout(self.terminal.size().unwrap());
        self.terminal.draw(|frame| screen.draw(frame)).unwrap();
        let sent = self.app.take_commands();
        self.sent.extend(sent);
        self.text()
    }

    /// Makes the screen an inline one.
    pub fn inline(mut self) -> Self {
        self.app.inline = Some(Inline::default());
        self
    }

    /// Draws a frame of an inline screen: returns the rows printed above it, and its own rows.
    pub fn inline_frame(&mut self) -> (Vec<String>, String) {
        let size = self.terminal.size().unwrap();
        let height = self.app.inline_rows(size).expect("an inline screen");
        let printed = self.app.take_printed(PrintAmount::OneFrame);
        let printed = printed.iter().map(Line::to_string).collect();
        (printed, text_of(&self.live_frame(height)))
    }

    fn text(&self) -> String {
        text_of(&self.terminal)
    }

    /// All of the text in the composer.
    pub fn draft(&self, key: &DraftKey) -> String {
        self.app.writing.drafts().get(key).to_owned()
    }

    pub fn has_no_overlay(&self) -> bool {
        self.app.overlays.is_empty()
    }

    pub fn composer_text(&self) -> String {
        self.app.writing.composer().field.text()
    }

    pub fn cursor(&self) -> (u16, u16) {
        let position = self.terminal.backend().cursor_position();
        (position.x, position.y)
    }

    pub fn last_open(&self) -> (Ticket, DialogId) {
        let mut opens = self.sent.iter().rev();
        let found = opens.find_map(|command| {
            let Command::Open { ticket, dialog, .. } = command else {
                return None;
            };
            Some((*ticket, dialog.clone()))
        });
        found.expect("a dialog was opened")
    }

    /// Answers the newest request for a new dialog with this one.
    pub fn dialog_made(&mut self, made: &DialogId) -> &mut Self {
        let mut creates = self.sent.iter().rev();
        let ticket = creates.find_map(|command| {
            let Command::Create { ticket, .. } = command else {
                return None;
            };
            Some(*ticket)
        });
        let (ticket, dialog) = (ticket.expect("a dialog was begun"), Some(made.clone()));
        self.apply(DriverEvent::Done { ticket, dialog })
    }

    /// Answers the newest request to open with these records.
    pub fn page(&mut self, lines: &[&str]) -> &mut Self {
        let (ticket, dialog) = self.last_open();
        self.page_at(ticket, dialog, 0, lines)
    }

    pub fn page_at(
        &mut self,
        ticket: Ticket,
        dialog: DialogId,
        first_line: usize,
        lines: &[&str],
    ) -> &mut Self {
        let page = TranscriptPage {
            agent: "orchestrator".into(),
            course: Course::FIRST,
            courses: Course::FIRST,
            first_line,
            entries: lines.iter().map(|line| entry(line)).collect(),
            dialog,
        };
        self.apply(DriverEvent::Page { ticket, page: Box::new(page) })
    }

    pub fn fact(&mut self, dialog: &DialogId, line: usize, record: &str) -> &mut Self {
        self.fact_in(dialog, 1, line, record)
    }

    pub fn fact_in(
        &mut self,
        dialog: &DialogId,
        course: u32,
        line: usize,
        record: &str,
    ) -> &mut Self {
        self.apply(DriverEvent::Fact(crate::samples::stored(dialog, Course(course), line, record)))
    }

    pub fn live(&mut self, dialog: &DialogId, segment: Segment, text: &str) -> &mut Self {
        self.apply(DriverEvent::Live { dialog: dialog.clone(), segment, text: text.to_owned() })
    }
}

fn text_of(terminal: &Terminal<TestBackend>) -> String {
    let buffer = terminal.backend().buffer();
    let cells = usize::from(buffer.area.width);
    let rows = buffer.content().chunks(cells);
    let lines = rows.map(|row| {
        let mut line = String::new();
        let mut hidden = 0;
        for cell in row {
            if hidden == 0 {
                line.push_str(cell.symbol());
                hidden = crate::text::width::width(cell.symbol()).max(1);
            }
            hidden -= 1;
        }
        line.trim_end().to_owned()
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn named(name: &str) -> KeyEvent {
    let (modifiers, name) = match name.rsplit_once('+') {
        Some(("alt", name)) => (KeyModifiers::ALT, name),
        Some(("ctrl", name)) => (KeyModifiers::CONTROL, name),
        Some(("shift", name)) => (KeyModifiers::SHIFT, name),
        Some(_) | None => (KeyModifiers::NONE, name),
    };
    let code = match name {
        "enter" => KeyCode::Enter,
        "esc" => KeyCode::Esc,
        "tab" if modifiers == KeyModifiers::SHIFT => KeyCode::BackTab,
        "tab" => KeyCode::Tab,
        "up" => KeyCode::Up,
        "down" => KeyCode::Down,
        "pageup" => KeyCode::PageUp,
        "pagedown" => KeyCode::PageDown,
        "backspace" => KeyCode::Backspace,
        "space" => KeyCode::Char(' '),
        "f1" => KeyCode::F(1),
        "f5" => KeyCode::F(5),
        other => KeyCode::Char(other.chars().next().expect("a key")),
    };
    KeyEvent::new(code, modifiers)
}

pub fn root() -> RootId {
    RootId::new("aa/bb/1")
}

pub fn main_dialog() -> DialogId {
    DialogId::main(root())
}

pub fn side(name: &str) -> DialogId {
    DialogId::side(&root(), &SelfId::new(name))
}

/// A row made at minute `minute` and last changed `age` seconds before now.
pub fn row(
    dialog: &DialogId,
    asker: Option<&DialogId>,
    agent: &str,
    state: DisplayState,
) -> TreeRow {
    TreeRow {
        dialog: dialog.clone(),
        asker: asker.map(|asker| asker.this.clone()),
        agent: agent.into(),
        slug: None,
        taskdoc: "add-2fa.tsk".to_owned(),
        state,
        course: Course::FIRST,
        genseq: Genseq(14),
        created_at: Stamp::new("2026-11-21 11:58:00"),
        last_modified: Stamp::new("2026-11-21 12:01:00"),
        questions: 0,
        pending: 0,
        title: String::new(),
        reasoning: None,
        context_percent: None,
        context_level: None,
        keep_going: None,
        history: false,
        layout: None,
        queued: Arc::default(),
        unreviewed: 0,
        retrying: false,
        model: None,
        autonomy: None,
    }
}

pub fn blocked(reason: Blocker) -> DisplayState {
    DisplayState::Blocked { reason }
}

pub fn stopped() -> DisplayState {
    DisplayState::Stopped { reason: StopReason::UserStop, continue_enabled: Some(true) }
}

pub fn rows() -> Vec<TreeRow> {
    let main = main_dialog();
    let (researcher, reviewer, dba) = (side("r"), side("v"), side("d"));
    vec![
        TreeRow {
            title: "add 2FA".to_owned(),
            context_percent: Some(34),
            context_level: Some(HealthLevel::Healthy),
            keep_going: Some((2, 3)),
            ..row(&main, None, "orchestrator", DisplayState::Proceeding)
        },
        TreeRow {
            slug: Some("totp".into()),
            created_at: Stamp::new("2026-11-21 11:59:00"),
            last_modified: Stamp::new("2026-11-21 12:02:48"),
            ..row(&researcher, Some(&main), "researcher", blocked(Blocker::SideDialogs))
        },
        TreeRow {
            slug: Some("schema".into()),
            created_at: Stamp::new("2026-11-21 12:00:00"),
            questions: 1,
            ..row(&dba, Some(&researcher), "dba", blocked(Blocker::Human))
        },
        TreeRow {
            created_at: Stamp::new("2026-11-21 12:00:30"),
            last_modified: Stamp::new("2026-11-21 11:58:00"),
            ..row(&reviewer, Some(&main), "reviewer", DisplayState::Idle)
        },
        TreeRow {
            taskdoc: "nightly.tsk".to_owned(),
            created_at: Stamp::new("2026-11-21 10:59:00"),
            last_modified: Stamp::new("2026-11-21 11:00:00"),
            ..row(&DialogId::main(RootId::new("cc/dd/9")), None, "ops", stopped())
        },
    ]
}

pub fn question(dialog: &DialogId, agent: &str, call: &str, text: &str, at: &str) -> InboxRow {
    let site = CallSite {
        course: Course::FIRST,
        message_index: 0,
        call_site_genseq: None,
        extra: serde_json::Map::new(),
    };
    let mut question = Question::new(dialog, &CallId::new(call), text, Stamp::new(at), site);
    question.id = call.to_owned();
    InboxRow {
        dialog: dialog.clone(),
        agent: agent.into(),
        slug: None,
        taskdoc: "add-2fa.tsk".to_owned(),
        question,
        blocks: Vec::new(),
        said: "The migration drops three columns.\nTwo are empty, one is not.".to_owned(),
        inquiry: None,
        answers: std::collections::BTreeMap::new(),
        work: None,
    }
}

pub const DROP: &str = "Drop users.legacy_otp, or keep it?\na  drop it now\nb  keep it for 90 days, then drop\nc  keep it";

pub fn questions() -> Vec<InboxRow> {
    vec![
        InboxRow {
            slug: Some("schema".into()),
            blocks: vec!["researcher".into(), "orchestrator".into()],
            ..question(&side("d"), "dba", "q1", DROP, "2026-11-21 12:01:00")
        },
        question(
            &main_dialog(),
            "orchestrator",
            "q2",
            "Which database for the audit log?",
            "2026-11-21 12:02:20",
        ),
    ]
}

pub fn workspace() -> WorkspaceView {
    let member = |id: &str, gofor: &str| MemberView {
        id: id.into(),
        name: id.to_uppercase(),
        icon: String::new(),
        gofor: gofor.to_owned(),
        model: String::new(),
        toolsets: Vec::new(),
        tools: Vec::new(),
        images: ImageSupport::default(),
    };
    WorkspaceView {
        folder: "~/srv/api".to_owned(),
        members: vec![
            member("orchestrator", "plans and delegates"),
            member("dba", "schemas and migrations"),
            member("reviewer", "reads changes"),
        ],
        default_responder: Some("orchestrator".into()),
        taskdocs: vec!["add-2fa.tsk".to_owned(), "nightly.tsk".to_owned()],
        models: Vec::new(),
        has_memory: false,
        has_vault: false,
        has_prompts: false,
    }
}

pub fn entry(record: &str) -> Entry {
    Entry::parse(record).expect("a record")
}

pub fn words(text: &str) -> String {
    format!(
        r#"{{"ts":"2026-11-21 12:02:00","type":"agent_words_record","genseq":14,"content":{}}}"#,
        serde_json::to_string(text).unwrap()
    )
}

/// The transcript of the mock-up.
pub const STORY: &[&str] = &[
    r#"{"ts":"2026-11-21 11:58:00","type":"gen_start_record","genseq":13}"#,
    r#"{"ts":"2026-11-21 11:58:00","type":"human_text_record","genseq":13,"content":"Add two-factor login. Recovery codes must survive a database restore.","msgId":"m","grammar":"markdown","origin":"user"}"#,
    r#"{"ts":"2026-11-21 11:58:06","type":"agent_thought_record","genseq":13,"content":"Codes are secrets, so they are hashed; where do they live?"}"#,
    r#"{"ts":"2026-11-21 11:58:08","type":"agent_words_record","genseq":13,"content":"Two ways to store the codes. I ask the **DBA** for the column type and read the login handler meanwhile."}"#,
    r#"{"ts":"2026-11-21 11:58:09","type":"func_call_record","genseq":13,"id":"t1","name":"read_file","rawArgumentsText":"{\"path\":\"src/login.rs\",\"range\":\"1~120\"}"}"#,
    r#"{"ts":"2026-11-21 11:58:13","type":"func_result_record","genseq":13,"id":"t1","name":"read_file","content":"one\ntwo\nthree"}"#,
    r#"{"ts":"2026-11-21 12:02:48","type":"tellask_call_record","genseq":13,"id":"c1","name":"tellask","rawArgumentsText":"{\"targetAgentId\":\"researcher\",\"sessionSlug\":\"totp\",\"tellaskContent\":\"Which TOTP crate is maintained, and does it\\nneed OpenSSL?\"}","deliveryMode":"tellask_call_start"}"#,
    r#"{"ts":"2026-11-21 12:00:30","type":"tellask_call_record","genseq":13,"id":"c2","name":"tellaskSessionless","rawArgumentsText":"{\"targetAgentId\":\"reviewer\",\"tellaskContent\":\"Review the login.\"}","deliveryMode":"tellask_call_start"}"#,
    r#"{"ts":"2026-11-21 12:01:00","type":"tellask_result_record","callId":"c2","status":"completed","content":"【Completed】\n\n> The session cookie is not rotated after login.\n> See line 40.\n","responder":{"responderId":"reviewer"},"route":{"calleeDialogId":"v"},"callName":"tellaskSessionless","call":{"tellaskContent":"Review the login."}}"#,
    r#"{"ts":"2026-11-21 12:02:18","type":"gen_finish_record","genseq":13}"#,
    r#"{"ts":"2026-11-21 12:02:18","type":"gen_start_record","genseq":14}"#,
];

/// The dialog of the database administrator, up to its question.
pub const DBA_STORY: &[&str] = &[
    r#"{"ts":"2026-11-21 12:00:00","type":"human_text_record","genseq":1,"content":"x","msgId":"m","grammar":"markdown","origin":"runtime","tellaskReplyDirective":{"expectedReplyCallName":"replyTellask","targetDialogId":"r","targetCallId":"c","tellaskContent":"Plan the migration of the login table."}}"#,
    r#"{"ts":"2026-11-21 12:00:40","type":"agent_words_record","genseq":1,"content":"The migration drops three columns. Two are empty in production, one is not:\nusers.legacy_otp has 1,204 rows younger than 90 days."}"#,
    r#"{"ts":"2026-11-21 12:01:00","type":"tellask_call_record","genseq":1,"id":"q1","name":"askHuman","rawArgumentsText":"{\"tellaskContent\":\"Drop users.legacy_otp, or keep it?\\na  drop it now\\nb  keep it for 90 days, then drop\\nc  keep it\"}","deliveryMode":"tellask_call_start"}"#,
];

/// What [`streaming`] has written so far.
pub const STREAMED: [&str; 2] = [
    "Good. While that runs: the cookie must be rotated first, ",
    "otherwise the second factor can be skipped by replaying",
];

/// A stage that shows the mock-up's dialog while it streams, with no question open.
pub fn streaming(width: u16, height: u16) -> Stage {
    streaming_on(Stage::new(width, height))
}

/// The same on this screen.
pub fn streaming_on(mut stage: Stage) -> Stage {
    stage.apply(DriverEvent::Workspace(workspace()));
    stage.apply(DriverEvent::Rows(rows())).apply(DriverEvent::Inbox(Vec::new()));
    stage.keys("g j <enter>").page(STORY);
    stage.keys("1");
    stage.apply(DriverEvent::Inbox(questions()));
    for text in STREAMED {
        stage.live(&main_dialog(), Segment::Saying, text);
    }
    stage
}

/// A stage that starts with two open questions.
pub fn answering(width: u16, height: u16) -> Stage {
    let mut stage = Stage::new(width, height);
    stage.apply(DriverEvent::Workspace(workspace()));
    stage.apply(DriverEvent::Rows(rows())).apply(DriverEvent::Inbox(questions()));
    stage.page(DBA_STORY);
    stage
}

/// The number of the first line with this text.
pub fn line_of(screen: &str, text: &str) -> Option<usize> {
    screen.lines().position(|line| line.contains(text))
}
