//! What follows from an action, an event or the result of a request, and in which order.

pub(super) mod dismissing_news;
pub(super) mod ending;
pub(super) mod events;
pub(super) mod facts;
pub(super) mod following;
pub(super) mod problems;
pub(super) mod quitting;
pub(super) mod requests;
pub(super) mod results;
pub(super) mod startup;
