//! Notices when the user declares a dialog dead.

use crate::domain::text::{Text, in_lang};
use crate::domain::{Pending, TellaskKind};

use super::{Texts, quote};

impl Texts {
    /// The result of a call whose side dialog was declared dead, with the user's `note`.
    #[must_use]
    pub fn declared_dead(self, pending: &Pending, note: Option<&str>) -> String {
        let (what, call_name) = (self.closed_call(pending), pending.call_name.as_str());
        let (reason, advice) = if call_name == TellaskKind::Session.name() {
            (
                Text::new(
                    "The human declared the side dialog of this session dead; it will never reply.",
                    "人已宣告此会话的支线对话死亡，它不会再回复。",
                ),
                Text::new(
                    "The session name is free: a new `tellask` with it begins a new side dialog that \
                     knows nothing of the old one, so say everything it needs.",
                    "会话名已空出：再次用它 `tellask` 会开启全新的支线对话，不带任何旧上下文，请在新诉请中写全所需信息。",
                ),
            )
        } else if call_name == TellaskKind::FreshBoots.name() {
            (
                Text::new(
                    "The human declared this reasoning dead; it will bring no conclusion.",
                    "人已宣告这次推理死亡，它不会给出结论。",
                ),
                Text::new("Decide without it, or begin a new one.", "请自行判断，或重新发起。"),
            )
        } else {
            (
                Text::new(
                    "The human declared the side dialog of this request dead; it will never reply.",
                    "人已宣告此诉请的支线对话死亡，它不会再回复。",
                ),
                Text::new(
                    "If the request still matters, make a new one and say everything it needs.",
                    "若仍有需要，请重新发起并写全所需信息。",
                ),
            )
        };
        let (reason, advice) = (reason.in_lang(self.0), advice.in_lang(self.0));
        let note = note.map(str::trim).filter(|note| !note.is_empty());
        let note = note.map(|note| {
            format!("{}\n{note}", Text::new("The human's note:", "人的附言：").in_lang(self.0))
        });
        let request = quote(&pending.tellask_content);
        let request =
            format!("{}\n\n{request}", Text::new("The request was:", "诉请原文：").in_lang(self.0));
        let notice = in_lang!(self.0, "{what}. {reason}", "{what}。{reason}");
        let parts = [Some(notice), note, Some(request), Some(advice.to_owned())];
        parts.into_iter().flatten().collect::<Vec<_>>().join("\n\n")
    }

    /// For a side dialog whose asker is dead.
    #[must_use]
    pub fn asker_is_dead(self) -> String {
        Text::new("[System notice] The dialog that gave you this work was declared dead. Nobody waits for \
             your reply any more, and you owe none.", "【系统提示】交给你这项工作的对话已被宣告死亡。不再有人等你的回复，你也不再欠回复。").in_lang(self.0)
        .to_owned()
    }
}
