//! The driver that a front end shows: started in this process, or found in another one. Both give the same two
//! channels; only the beginning and the end differ.

use std::path::Path;
use std::sync::Arc;

use tokio::runtime::Handle;
use tokio::sync::{mpsc, watch};

use crate::app::{self, Models};
use crate::domain::safety::sandbox::Level;
use crate::domain::text::{Localized, Text, in_lang, localized};
use crate::domain::{Lang, Problem};
use crate::driver::{Audience, ClientProfile, Clients, DriverTasks, StoredTexts};
use crate::platform::service_manager::ServiceManager;
use crate::platform::signals::{Signals, StopSignal};
use crate::protocol::wire::Hello;
use crate::protocol::{Command, DriverEvent};
use crate::remote::client::{ConnectionTasks, Ended};
use crate::remote::{Connection, Fleet, RemoteTexts, Server};
use crate::sandbox::Sandbox;
use crate::store::{Store, StoreError};
use crate::tools::Shells;
use crate::ui::{DraftStore, DraftTexts, LOOKED, QuitPolicy, STORED_HINTS};

use super::full::{end_processes, start_options};
use super::hint_file;
use super::notify_command::Calls;
use super::own_texts;
use crate::cli::config::UserConfig;
use crate::cli::exit::CommandError;
use crate::cli::running::other_driver::{self, Found};
use crate::cli::running::unattended::{self, Until};

/// The driver that a front end shows.
pub struct Link {
    pub commands: mpsc::Sender<Command>,
    pub events: mpsc::Receiver<DriverEvent>,
    /// The sandbox level; `None` without a sandbox.
    pub level: Option<Level>,
    /// The driver lets this front end only look on.
    pub view: bool,
    pub texts: Texts,
    pub end: LinkEnd,
}

/// The work at the end.
pub enum LinkEnd {
    Here {
        tasks: DriverTasks,
        clients: Clients,
        server: Option<Server>,
        shells: Shells,
        store: Arc<Store>,
        calls: Calls,
    },
    Elsewhere(ConnectionTasks),
    /// Several drivers, which all go on.
    Several(ConnectionTasks),
}

/// The store of a person's texts.
pub struct Texts {
    place: TextsPlace,
    /// The last error in the log: a refused text is retried again and again.
    logged: Option<String>,
}

enum TextsPlace {
    Here(Arc<Store>),
    Elsewhere(RemoteTexts, Handle),
    /// A file of the person.
    Own,
}

impl Link {
    /// Finds the driver of the workspace, or starts one.
    ///
    /// # Errors
    /// The workspace is locked by a process without a socket, or cannot be opened.
    pub async fn open(
        workspace: &Path,
        models: Models,
        hello: Hello,
        setup: &UserConfig,
    ) -> Result<Self, CommandError> {
        let audience = hello.audience;
        // The scripted team of the demo has its workspace for itself.
        let Models::Configured(trust) = models else {
            return Self::start(workspace, models, audience, setup);
        };
        let start = || {
            let models = Models::Configured(trust.clone());
            Self::start(workspace, models, audience, setup)
        };
        Ok(match other_driver::find_or_start(workspace, hello, start).await? {
            Found::Elsewhere(connection) => Self::elsewhere(*connection),
            Found::Started(link) => link,
        })
    }

    /// Starts a driver in this process; others can reach it.
    fn start(
        workspace: &Path,
        models: Models,
        audience: Audience,
        setup: &UserConfig,
    ) -> Result<Self, CommandError> {
        let is_shared = matches!(models, Models::Configured(_));
        let (driver, store, shells) =
            app::start(start_options(workspace, models, audience, setup))?;
        let level = shells.sandbox().map(Sandbox::level);
        let server = is_shared
            .then(|| other_driver::listen(workspace, &driver, store.clone(), level))
            .flatten();
        let clients = driver.clients();
        let calls = Calls::start(clients.clone(), store.clone(), setup, workspace)?;
        let (commands, events, tasks) = driver.into_parts();
        let texts = Texts::new(TextsPlace::Here(store.clone()));
        let end = LinkEnd::Here { tasks, clients, server, shells, store, calls };
        Ok(Self { commands, events, level, view: false, texts, end })
    }

    /// The driver of a connection.
    pub fn elsewhere(mut connection: Connection) -> Self {
        let place = TextsPlace::Elsewhere(connection.take_texts(), Handle::current());
        let texts = Texts::new(place);
        let Connection { welcome, commands, events, tasks, .. } = connection;
        let (level, view) = (welcome.level, welcome.view);
        Self { commands, events, level, view, texts, end: LinkEnd::Elsewhere(tasks) }
    }

    /// Several drivers as one.
    pub fn several(fleet: Fleet) -> Self {
        let Fleet { commands, events, tasks } = fleet;
        let texts = Texts::new(TextsPlace::Own);
        Self { commands, events, level: None, view: false, texts, end: LinkEnd::Several(tasks) }
    }
}

impl LinkEnd {
    /// The driver is in this process.
    #[must_use]
    pub fn is_here(&self) -> bool {
        matches!(self, Self::Here { .. })
    }

    /// True if there are several drivers.
    #[must_use]
    pub fn is_several(&self) -> bool {
        matches!(self, Self::Several(_))
    }

    /// The driver is in this process, and can be reached from others: it can go on without its screen.
    #[must_use]
    pub fn can_go_on(&self) -> bool {
        matches!(self, Self::Here { server: Some(_), .. })
    }

    /// The screen is gone. Drives on in this process until that is over; nothing if the driver is in another one.
    pub async fn go_on(self, until: Until) -> std::io::Result<()> {
        let Self::Here { tasks, clients, server, shells, store, calls } = self else {
            return Ok(());
        };
        let mut signals = Signals::listen()?;
        let connected = server.as_ref().map_or_else(|| watch::channel(0).1, Server::connected);
        let mut ended_by = None;
        if let Some(channels) = clients.join(ClientProfile::own(Audience::Screen)).await {
            drop(clients);
            let of = (until, &ServiceManager::default());
            ended_by = unattended::drive(channels, connected, &mut signals, of).await;
        }
        calls.end().await;
        tasks.join().await;
        if let Some(server) = server {
            server.close().await;
        }
        end_processes(&shells, ended_by, QuitPolicy::LetRun).await;
        drop(store);
        Ok(())
    }

    /// Waits for the end. A driver of this process ends with everything it runs; another one goes on. Returns
    /// the text about that.
    pub async fn settle(
        self,
        asked: Option<StopSignal>,
        chosen: QuitPolicy,
        lang: Lang,
    ) -> Option<String> {
        match self {
            Self::Here { tasks, clients, server, shells, store, calls } => {
                drop(clients);
                calls.end().await;
                tasks.join().await;
                if let Some(server) = server {
                    server.close().await;
                }
                end_processes(&shells, asked, chosen).await;
                drop(store);
                None
            }
            Self::Several(tasks) => {
                if let Err(error) = tasks.join().await {
                    // The drivers go on, and a text that none has acknowledged stays a draft.
                    tracing::warn!(%error, "a connection was lost at the end");
                }
                Some(in_lang!(
                    lang,
                    "dominds-tui: the teams go on; `dominds-tui inbox` shows them again",
                    "dominds-tui：各团队继续运行；`dominds-tui inbox` 可再次显示"
                ))
            }
            Self::Elsewhere(tasks) => Some(match tasks.join().await {
                Ok(Ended::WithDriver) => in_lang!(
                    lang,
                    "dominds-tui: the driver has ended; everything is on disk",
                    "dominds-tui：驱动进程已结束；所有内容都已保存"
                ),
                Ok(Ended::Left) => goes_on(lang),
                Ok(Ended::Cut) => in_lang!(
                    lang,
                    "dominds-tui: the connection to the driver was lost; `dominds-tui` connects again",
                    "dominds-tui：与驱动进程的连接已断开；`dominds-tui` 可重新连接"
                ),
                Err(error) => in_lang!(
                    lang,
                    "dominds-tui: the connection to the driver was lost: {error}",
                    "dominds-tui：与驱动进程的连接已断开：{error}"
                ),
            }),
        }
    }
}

/// Returns the line printed when a screen detaches.
pub fn goes_on(lang: Lang) -> String {
    in_lang!(
        lang,
        "dominds-tui: the driver goes on; `dominds-tui` shows it again, `dominds-tui quit` ends it",
        "dominds-tui：驱动进程继续运行；`dominds-tui` 可再次显示，`dominds-tui quit` 可结束它"
    )
}

impl Texts {
    fn new(place: TextsPlace) -> Self {
        Self { place, logged: None }
    }

    /// The texts of the last time; `None` if they cannot be read.
    pub async fn read(&mut self) -> Option<DraftTexts> {
        let read = match &mut self.place {
            TextsPlace::Here(store) => {
                let store = store.clone();
                let read = tokio::task::spawn_blocking(move || StoredTexts(&store).read()).await;
                read.map_err(|error| Localized::same(error.to_string()))
                    .and_then(|read| read.map_err(|error| error.message()))
            }
            TextsPlace::Elsewhere(texts, _) => texts.read().await,
            TextsPlace::Own => {
                let read = tokio::task::spawn_blocking(own_texts::read).await;
                read.map_err(std::io::Error::other)
                    .flatten()
                    .map_err(|error| Localized::same(error.to_string()))
            }
        };
        read.inspect_err(|error| tracing::warn!(%error, "drafts could not be read")).ok()
    }
}

/// Drafts belong to the workspace; the state of the hints belongs to the person.
impl DraftStore for Texts {
    fn save(&mut self, name: &str, text: &str) -> Result<(), Problem> {
        if name == STORED_HINTS {
            hint_file::write(text);
            return Ok(());
        }
        if name == LOOKED {
            // It is not needed before the next start.
            if let Err(error) = self.save_looked(text) {
                tracing::warn!(%error, "what was looked at is not saved");
            }
            return Ok(());
        }
        let refused = match &mut self.place {
            TextsPlace::Here(store) => StoredTexts(store).write(name, text).err().map(|error| {
                let is_size = matches!(error, StoreError::DraftsTooLarge { .. });
                (error.message(), if is_size { FIX_SIZE } else { FIX_DISK })
            }),
            TextsPlace::Elsewhere(texts, runtime) => {
                runtime.block_on(texts.save(name, text)).err().map(|why| (why, FIX_DISK))
            }
            TextsPlace::Own => own_texts::save(name, text).err().map(|error| {
                let is_size = error.kind() == std::io::ErrorKind::FileTooLarge;
                let why = Localized::same(error.to_string());
                (why, if is_size { FIX_SIZE } else { FIX_DISK })
            }),
        };
        let Some((why, fix)) = refused else {
            self.logged = None;
            return Ok(());
        };
        self.log(&why);
        Err(not_saved(self.path(), &why, fix))
    }
}

impl Texts {
    fn path(&self) -> &'static str {
        match self.place {
            TextsPlace::Here(_) | TextsPlace::Elsewhere(..) => ".dialogs/.tui/drafts.json",
            TextsPlace::Own => own_texts::FILE,
        }
    }

    fn save_looked(&mut self, text: &str) -> Result<(), Localized> {
        match &mut self.place {
            TextsPlace::Here(store) => {
                StoredTexts(store).write(LOOKED, text).map_err(|error| error.message())
            }
            TextsPlace::Elsewhere(texts, runtime) => runtime.block_on(texts.save(LOOKED, text)),
            TextsPlace::Own => {
                own_texts::save(LOOKED, text).map_err(|error| Localized::same(error.to_string()))
            }
        }
    }

    fn log(&mut self, why: &Localized) {
        let text = why.to_string();
        if self.logged.as_ref() != Some(&text) {
            tracing::warn!(error = %text, "a draft could not be saved");
            self.logged = Some(text);
        }
    }
}

const FIX_DISK: Text = Text::new(
    "make room on the disk or the folder writable; it is tried again every few seconds",
    "请腾出磁盘空间，或让此文件夹可写；每隔几秒会再试",
);
const FIX_SIZE: Text =
    Text::new("send, shorten or clear one of the drafts", "请发送、缩短或清空其中一份草稿");

/// Returns the problem by which typed text is lost when the program ends.
fn not_saved(path: &str, why: &Localized, fix: Text) -> Problem {
    let text = localized!(
        [why] "what you type and do not send is not saved: {why}",
        "输入而未发送的内容没有保存：{why}"
    );
    Problem::new("drafts/not-saved", path, text, fix)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_draft_that_is_not_on_disk_says_why_where_and_what_to_do() {
        let why = StoreError::ReadOnly.message();
        for (fix, part) in [(FIX_SIZE, "shorten"), (FIX_DISK, "writable")] {
            let problem = not_saved(".dialogs/.tui/drafts.json", &why, fix);
            let message = problem.message();
            for lang in [Lang::En, Lang::Zh] {
                assert!(message.in_lang(lang).contains(why.in_lang(lang)), "{message}");
            }
            assert!(
                problem.path.ends_with("drafts.json")
                    && problem.fix.in_lang(Lang::En).contains(part)
            );
        }
    }
}
