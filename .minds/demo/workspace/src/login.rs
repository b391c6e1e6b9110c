//! Address and password, then a session cookie.

use crate::db::Db;
use crate::problem::Problem;
use crate::session::Session;
use crate::web::{Cookies, LoginForm, Redirect};

/// Logs a person in. A wrong address and a wrong password look the same from outside.
pub async fn login(db: &Db, jar: &mut Cookies, form: LoginForm) -> Result<Redirect, Problem> {
    let mut session = Session::from_cookie(jar).unwrap_or_else(Session::fresh);
    let user = db.user_by_address(&form.address).await?.ok_or(Problem::WrongLogin)?;
    if !crate::password::matches(&form.password, &user.password_hash) {
        return Err(Problem::WrongLogin);
    }
    session.user = Some(user.id);
    db.save_session(&session).await?;
    jar.set(session.cookie());
    Ok(Redirect::to("/bookings"))
}

/// Logs a person out on this device only.
pub async fn logout(db: &Db, jar: &mut Cookies) -> Result<Redirect, Problem> {
    if let Some(session) = Session::from_cookie(jar) {
        db.forget_session(session.id).await?;
    }
    jar.clear();
    Ok(Redirect::to("/"))
}
