//! Commands about the workspace and the program: `init`, `doctor`, `trust`, `sandbox`, `manual`.

pub(super) mod doctor;
pub(super) mod init;
pub(super) mod manual;
pub(super) mod probe;
pub(super) mod sandbox;
pub(super) mod servers;
