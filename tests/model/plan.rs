//! What persons and the machine do in one episode: a list of steps, made from a number. A step can be left
//! out without changing what the others are.

use fastrand::Rng;

use dominds_tui::domain::Layout;
use dominds_tui::domain::dialogs::keep_going::KeepGoingSwitch;

/// What an episode is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Profile {
    Everything,
    /// Sessions that are asked, asked back, updated, answered, stopped, spoken to and killed.
    Waits,
}

/// What is played, besides the number of the episode.
#[derive(Debug, Clone, Copy)]
pub struct Game {
    pub profile: Profile,
    /// The layout of the tree.
    pub layout: Layout,
}

/// One thing that a person or the machine does. Numbers choose among what there is at that moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    Say(u32),
    /// What runs is stopped for the words.
    SayNow(u32),
    Answer(u32),
    Stop(u32),
    StopAll,
    Continue(u32),
    ContinueAll,
    Dead(u32),
    /// A task that a dialog gave away has ended.
    Result(u32),
    KeepGoing(KeepGoingSwitch),
    /// A notice is dismissed.
    Dismiss(u32),
    RetryNow(u32),
    Wait,
    /// Until nothing moves; then everything is looked at.
    Settle,
    /// The program is killed between two steps of a tree.
    Kill,
    /// It dies within a file operation, so many from now.
    Die(u32),
    Restart,
}

/// A step, and the time before it in milliseconds.
pub type Planned = (u64, Step);

const PLANNED: usize = 30;
/// So often everything is looked at in between.
const SETTLED: usize = 6;

pub fn plan(seed: u64, profile: Profile) -> Vec<Planned> {
    let mut rng = Rng::with_seed(seed);
    let steps = (1..=PLANNED).map(|n| {
        let pause = rng.u64(0..4_000);
        let step = if n % SETTLED == 0 { Step::Settle } else { step(&mut rng, profile) };
        (pause, step)
    });
    steps.collect()
}

fn step(rng: &mut Rng, profile: Profile) -> Step {
    let n = rng.u32(..1_000_000);
    let switch =
        [KeepGoingSwitch::On, KeepGoingSwitch::Off, KeepGoingSwitch::Refill][rng.usize(..3)];
    let die = rng.u32(0..40);
    let all: &[(u32, Step)] = &[
        (16, Step::Say(n)),
        (6, Step::SayNow(n)),
        (14, Step::Answer(n)),
        (9, Step::Stop(n)),
        (2, Step::StopAll),
        (18, Step::Continue(n)),
        (4, Step::ContinueAll),
        (4, Step::Dead(n)),
        (10, Step::Result(n)),
        (3, Step::KeepGoing(switch)),
        (4, Step::Dismiss(n)),
        (1, Step::RetryNow(n)),
        (12, Step::Wait),
        (6, Step::Kill),
        (5, Step::Die(die)),
        (2, Step::Restart),
    ];
    let waits: &[(u32, Step)] = &[
        (18, Step::Say(n)),
        (8, Step::SayNow(n)),
        (6, Step::Answer(n)),
        (14, Step::Stop(n)),
        (24, Step::Continue(n)),
        (10, Step::Result(n)),
        (14, Step::Wait),
        (10, Step::Kill),
        (6, Step::Die(die)),
    ];
    *chosen(rng, if profile == Profile::Waits { waits } else { all })
}

/// One of these, by weight.
pub fn chosen<'a, T>(rng: &mut Rng, among: &'a [(u32, T)]) -> &'a T {
    let all = among.iter().map(|(weight, _)| weight).sum();
    let mut place = rng.u32(0..all);
    for (weight, one) in among {
        if place < *weight {
            return one;
        }
        place -= weight;
    }
    unreachable!("the weights add up")
}
