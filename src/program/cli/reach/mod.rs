//! Drivers elsewhere: `serve`, `attach`, the inbox over several workspaces, other machines.

pub(super) mod drivers;
pub(super) mod inbox;
pub(super) mod install;
pub(super) mod relay;
pub(super) mod serve;
