//! The rounds of fresh-boots reasoning, as `latest.yaml` holds them.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Most rounds a phase may have.
pub const MAX_EFFORT: u32 = 100;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FbrPhase {
    /// Spreads out.
    Divergence,
    /// Narrows down.
    Convergence,
    /// Has to conclude; its rounds are attempts.
    Finalization,
}

impl FbrPhase {
    const ALL: [Self; 3] = [Self::Divergence, Self::Convergence, Self::Finalization];
}

/// One round, and so one generation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FbrRound {
    /// Rounds per phase.
    pub effort: u32,
    pub phase: FbrPhase,
    /// From 1 to `effort`.
    pub iteration: u32,
    /// The prompt of this round stands in the course.
    pub prompt_delivered: bool,
}

impl FbrRound {
    /// The round a dialog begins with. `effort` is brought into its bounds.
    #[must_use]
    pub fn first(effort: u32) -> Self {
        let effort = effort.clamp(1, MAX_EFFORT);
        Self { effort, phase: FbrPhase::Divergence, iteration: 1, prompt_delivered: false }
    }

    /// The round after this one; `None` behind the last attempt to conclude.
    #[must_use]
    pub fn next(self) -> Option<Self> {
        let next = |phase, iteration| Self { phase, iteration, prompt_delivered: false, ..self };
        if self.iteration < self.effort {
            return Some(next(self.phase, self.iteration + 1));
        }
        let phases = FbrPhase::ALL.iter().skip_while(|phase| **phase != self.phase);
        phases.skip(1).map(|phase| next(*phase, 1)).next()
    }

    /// This round with its prompt in the course.
    #[must_use]
    pub fn delivered(self) -> Self {
        Self { prompt_delivered: true, ..self }
    }

    /// The round of a dialog whose course holds this many prompts.
    #[must_use]
    pub fn after_prompts(effort: u32, prompts: usize) -> Self {
        let first = Self::first(effort);
        let Some(further) = prompts.checked_sub(1) else { return first };
        let rounds = std::iter::successors(Some(first), |round| round.next());
        rounds.take(further.saturating_add(1)).last().unwrap_or(first).delivered()
    }

    fn is_sound(self) -> bool {
        (1..=MAX_EFFORT).contains(&self.effort) && (1..=self.effort).contains(&self.iteration)
    }
}

/// `fbrState` of `latest.yaml`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum FbrState {
    Serial(SerialFbr),
    /// A state that a newer program wrote.
    Unknown(Value),
}

/// One round after the other.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SerialFbr {
    kind: SerialKind,
    #[serde(flatten)]
    round: FbrRound,
    /// Keys of a newer writer, kept.
    #[serde(flatten)]
    extra: Map<String, Value>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum SerialKind {
    Serial,
}

impl FbrState {
    #[must_use]
    pub fn begin(round: FbrRound) -> Self {
        Self::Serial(SerialFbr { kind: SerialKind::Serial, round, extra: Map::new() })
    }

    /// The round, where the state is in a shape to go on with.
    #[must_use]
    pub fn round(&self) -> Option<FbrRound> {
        match self {
            Self::Serial(serial) => Some(serial.round).filter(|round| round.is_sound()),
            Self::Unknown(_) => None,
        }
    }

    /// The same state in another round.
    #[must_use]
    pub fn at(&self, round: FbrRound) -> Self {
        match self {
            Self::Serial(serial) => Self::Serial(SerialFbr { round, ..serial.clone() }),
            Self::Unknown(_) => self.clone(),
        }
    }
}
