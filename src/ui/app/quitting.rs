//! How the program quits.

use super::effect::Effect;

/// What happens to background processes when the program quits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum QuitPolicy {
    #[default]
    LetRun,
    Stop,
}

#[derive(Debug, Default)]
pub(super) struct Quitting {
    policy: QuitPolicy,
    begun: bool,
}

impl Quitting {
    /// What the user chose.
    pub fn policy(&self) -> QuitPolicy {
        self.policy
    }

    /// Quits, and stops background processes.
    pub fn quit_and_stop(&mut self) -> Effect {
        self.policy = QuitPolicy::Stop;
        Effect::Quit
    }

    /// The driver is asked to end.
    pub fn begin(&mut self) {
        self.begun = true;
    }

    pub fn has_begun(&self) -> bool {
        self.begun
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn background_processes_keep_running_unless_the_user_chose_otherwise() {
        let mut quitting = Quitting::default();
        quitting.begin();
        assert_eq!(quitting.policy(), QuitPolicy::LetRun);
        assert_eq!(quitting.quit_and_stop(), Effect::Quit);
        assert_eq!(quitting.policy(), QuitPolicy::Stop);
    }
}
