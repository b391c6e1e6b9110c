//! Several drivers combined into one, for one screen: an inbox over several workspaces. Each has its own
//! connection; their events are merged as if one driver sent them: `routes`.

mod routes;

use std::io;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::sleep;

use crate::domain::text::Text;
use crate::protocol::{Command, DriverEvent};

use self::routes::{Routed, Routes};
use super::client::{COMMANDS, ConnectionTasks, EVENTS, Ended};
use super::reconnecting::Followed;

/// The longest wait for all places to report their open questions, before the first ones are shown.
const FIRST_WAIT: Duration = Duration::from_secs(3);

const BUSY: Text = Text::new(
    "this place does not take commands at the moment; try again",
    "此位置目前无法接收命令；请稍后再试",
);

/// Several drivers that are followed, each by itself.
#[derive(Debug)]
pub struct Several {
    /// The commands, one channel per place, in the order of the places.
    pub commands: Vec<mpsc::Sender<Command>>,
    /// The events, with the number of their place.
    pub events: mpsc::Receiver<(usize, DriverEvent)>,
    tasks: Vec<ConnectionTasks>,
    passing: JoinSet<()>,
}

impl Several {
    #[must_use]
    pub fn of(places: Vec<Followed>) -> Self {
        let (to, from) = mpsc::channel(EVENTS);
        let (mut all, mut tasks, mut passing) = (Vec::new(), Vec::new(), JoinSet::new());
        for (number, place) in places.into_iter().enumerate() {
            let Followed { commands, events, tasks: of_place, .. } = place;
            passing.spawn(pass_on(number, events, to.clone()));
            all.push(commands);
            tasks.push(of_place);
        }
        Self { commands: all, events: from, tasks, passing }
    }
}

/// The channels of several drivers, combined into those of one.
#[derive(Debug)]
pub struct Fleet {
    pub commands: mpsc::Sender<Command>,
    pub events: mpsc::Receiver<DriverEvent>,
    pub tasks: ConnectionTasks,
}

impl Fleet {
    /// Combines these places, with their names.
    #[must_use]
    pub fn of(places: Vec<(String, Followed)>) -> Self {
        let (commands, commands_rx) = mpsc::channel(COMMANDS);
        let (events_tx, events) = mpsc::channel(EVENTS);
        let (names, followed): (Vec<String>, Vec<Followed>) = places.into_iter().unzip();
        let routes = Routes::new(labels(&names.iter().map(String::as_str).collect::<Vec<_>>()));
        let Several { commands: places, events: from, tasks: ends, mut passing } =
            Several::of(followed);
        let screen = (commands_rx, events_tx);
        let mut tasks = JoinSet::new();
        tasks.spawn(async move {
            run(screen, routes, (places, from)).await;
            passing.shutdown().await;
            for end in ends {
                end.join().await?;
            }
            io::Result::Ok(Ended::Left)
        });
        Self { commands, events, tasks: ConnectionTasks::of(tasks) }
    }
}

async fn pass_on(
    place: usize,
    mut events: mpsc::Receiver<DriverEvent>,
    to: mpsc::Sender<(usize, DriverEvent)>,
) {
    while let Some(event) = events.recv().await {
        if to.send((place, event)).await.is_err() {
            return;
        }
    }
}

/// Runs until the screen has left and every place has acknowledged the commands it was sent.
async fn run(
    (mut commands, events): (mpsc::Receiver<Command>, mpsc::Sender<DriverEvent>),
    mut routes: Routes,
    (places, mut from): (Vec<mpsc::Sender<Command>>, mpsc::Receiver<(usize, DriverEvent)>),
) {
    let mut places = Some(places);
    let mut is_leaving = false;
    let mut waited = Box::pin(sleep(FIRST_WAIT));
    let mut waits = true;
    loop {
        let told = tokio::select! {
            command = commands.recv(), if !is_leaving => {
                // A screen that leaves gets its replies first; one that is gone needs none.
                is_leaving = command.as_ref().is_none_or(|it| matches!(it, Command::Shutdown { .. }));
                let is_gone = command.is_none();
                let Routed { to, reply } = command.map(|it| routes.command(it)).unwrap_or_default();
                let refused = send(to, places.as_deref().unwrap_or_default());
                if is_gone {
                    places = None;
                }
                let refused = refused.into_iter().flat_map(|(place, event)| routes.event(place, event));
                reply.into_iter().chain(refused).collect()
            }
            () = &mut waited, if waits => {
                waits = false;
                routes.wait_no_more().into_iter().collect()
            }
            said = from.recv() => match said {
                Some((place, event)) => routes.event(place, event),
                None => break,
            },
        };
        for event in told {
            // A screen that is gone needs no events; sent commands are still acknowledged.
            let _ = events.send(event).await;
        }
    }
    let _ = events.send(DriverEvent::Stopped).await;
}

/// Sends commands, and returns what is said of those that cannot be sent. Never waits: a place may be waiting
/// for this task.
fn send(
    commands: Vec<(usize, Command)>,
    places: &[mpsc::Sender<Command>],
) -> Vec<(usize, DriverEvent)> {
    let refused = |(place, command): (usize, Command)| {
        let ticket = command.ticket();
        if places.get(place).is_some_and(|to| to.try_send(command).is_ok()) {
            return None;
        }
        tracing::warn!(place, "a place does not take commands");
        let text = BUSY.into();
        let told = match ticket {
            Some(ticket) => DriverEvent::Refused { ticket, text },
            None => DriverEvent::Notice(text),
        };
        Some((place, told))
    };
    commands.into_iter().filter_map(refused).collect()
}

/// Returns the shortest distinct labels: the machine or the last folder, else both, else everything.
fn labels(names: &[&str]) -> Vec<String> {
    let forms: [fn(&str) -> String; 3] = [short, medium, |name| name.to_owned()];
    let of = |form: &fn(&str) -> String| names.iter().map(|name| form(name)).collect::<Vec<_>>();
    let tells_apart = |labels: &Vec<String>| {
        labels.iter().enumerate().all(|(at, label)| !labels.iter().take(at).any(|it| it == label))
    };
    forms.iter().map(of).find(tells_apart).unwrap_or_else(|| {
        names.iter().enumerate().map(|(at, name)| format!("{} {name}", at + 1)).collect()
    })
}

/// The machine, or the last folder of a place on this one.
fn short(name: &str) -> String {
    match name.strip_prefix("ssh://").and_then(|rest| rest.split_once('/')) {
        Some((machine, _)) => machine.rsplit('@').next().unwrap_or(machine).to_owned(),
        None => last_folder(name),
    }
}

fn medium(name: &str) -> String {
    let folder = last_folder(name);
    let short = short(name);
    if short == folder { short } else { format!("{short}/{folder}") }
}

fn last_folder(path: &str) -> String {
    path.trim_end_matches('/').rsplit('/').next().unwrap_or(path).to_owned()
}

#[cfg(test)]
mod tests;
