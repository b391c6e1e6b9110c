//! How much memory work of any size may take: the real program, its peak as the system counts it.

mod shell;
