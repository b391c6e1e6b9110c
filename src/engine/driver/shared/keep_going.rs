//! The keep-going configuration of a member.

use crate::domain::KeepGoing;
use crate::minds::Minds;

/// The keep-going configuration of a dialog's member.
#[derive(Debug, Clone, Default)]
pub struct KeepGoingPolicy {
    pub keep_going: KeepGoing,
    /// Generations between two warnings about context pressure.
    pub cadence: u32,
}

impl KeepGoingPolicy {
    /// `most`: pushes of the member in a row.
    pub fn new(minds: &Minds, most: u32, cadence: u32) -> Self {
        let text = minds.diligence().map(str::to_owned);
        Self { keep_going: KeepGoing { most, text }, cadence }
    }
}
