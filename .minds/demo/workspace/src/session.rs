//! The session: a random id in a cookie, the rest in the table `sessions`.

use std::time::Duration;

use crate::web::Cookies;

/// How long a device stays logged in.
pub const LIFETIME: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// Who is there, if anybody.
pub struct Session {
    pub id: SessionId,
    pub user: Option<UserId>,
}

impl Session {
    /// A session nobody is logged in to yet, with a new random id.
    pub fn fresh() -> Self {
        Self { id: SessionId::random(), user: None }
    }

    /// The session the browser brought along, if it is one of ours.
    pub fn from_cookie(jar: &Cookies) -> Option<Self> {
        jar.get("harbour").and_then(crate::db::stored_session)
    }

    /// True if pages about a person may be shown.
    pub fn is_logged_in(&self) -> bool {
        self.user.is_some()
    }
}
