//! How much memory work of any size may take.

#![expect(clippy::expect_used, reason = "a test that cannot go on says why")]

mod search;
