//! What a model is told that makes the same call again and again.

use crate::domain::text::in_lang;

use super::Texts;

impl Texts {
    /// A guide after the third result of this tool that is the same.
    #[must_use]
    pub fn repeated_call(self, tool: &str) -> String {
        in_lang!(
            self.0,
            "[System notice] `{tool}` was called three times in a row with the same arguments, and its result was the \
             same each time. One more call will not change it. Look at the request and at the result again; then answer \
             with what you have, do something else, or say what keeps you from going on. If you call it like this \
             again, this dialog is stopped.",
            "[系统提示] `{tool}` 以相同的参数连续调用了三次，每次结果都相同，再调用一次也不会改变。\
             请重新看一遍请求和结果，然后用已有的信息作答、换一种做法，或说明是什么妨碍了你继续。\
             如果仍这样调用，本对话将被停止。"
        )
    }
}
