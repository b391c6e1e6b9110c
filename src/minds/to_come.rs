//! Names of toolsets and tools that may stand in a team file though nothing here has them yet.

pub(super) const TOOLSETS: [&str; 1] = ["os"];

pub(super) const TOOLS: [&str; 21] = [
    "shell_cmd",
    "stop_daemon",
    "get_daemon_output",
    "env_get",
    "env_set",
    "env_unset",
    "readonly_shell",
    "apply_patch",
    "read_picture",
    "write_picture",
    "mcp_restart",
    "mcp_release",
    "add_personal_memory",
    "drop_personal_memory",
    "replace_personal_memory",
    "clear_personal_memory",
    "add_team_memory",
    "drop_team_memory",
    "replace_team_memory",
    "clear_team_memory",
    "ripgrep_search",
];
