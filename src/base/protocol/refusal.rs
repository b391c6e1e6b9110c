//! Reasons without values for refusing a command, in both languages.

use crate::domain::text::{Localized, Text};

macro_rules! refusals {
    ($($refusal:ident: $en:literal / $zh:literal;)*) => {
        /// A reason without values.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Refusal { $(#[doc = $en] $refusal,)* }

        impl Refusal {
            pub const ALL: &[Self] = &[$(Self::$refusal,)*];

            #[must_use]
            pub const fn text(self) -> Text {
                match self { $(Self::$refusal => Text::new($en, $zh),)* }
            }
        }
    };
}

refusals! {
    ViewsOnly: "this screen only views (`--view`): it changes nothing" / "此界面只用于查看（`--view`），不会改动任何内容";
    NoSuchDialog: "there is no such dialog" / "没有这个对话";
    NothingToContinue: "nothing to continue: it waits for you" / "没有可继续的：它在等你说话";
    NotAboutToContinue: "this dialog is not about to continue" / "这个对话并未准备继续";
    RunsAlready: "this dialog is running already" / "这个对话已经在运行";
    CannotContinue: "this dialog cannot be continued" / "这个对话不能继续";
    Waits: "it waits for an answer or side dialogs" / "它在等待回答或支线对话";
    IsDead: "this dialog is dead" / "这个对话已经死亡";
    DeadTakesNoMessages: "this dialog is dead: it takes no messages" / "这个对话已经死亡，听不到任何话";
    TakesNoMessages: "this dialog reasons by itself and takes no messages; write to its asker" / "这个对话在独自思考，不接收消息；请写给它的提问者";
    TooManyImages: "a message takes 10 images: remove some" / "一条消息最多 10 张图片：请移除一些";
    NoImagesHere: "an answer to a question of an earlier course takes no images: send them as a message" / "对更早课程中问题的答复不能附图片：请另发消息";
    NoImagesInParts: "an answer to some parts of a question takes no images: send them as a message" / "对问题部分内容的答复不能附图片：请另发消息";
    AnswersTooLong: "the answers to the parts of a question hold 512 KB until all are there: put a long text into a file, and name it" / "一个问题的部分答复在齐全之前最多 512 KB：长文本请写入文件并写明文件名";
    ImagesBusy: "other images are still being read; try again in a moment" / "其他图片仍在读取，请稍后再试";
    NothingToSend: "there is nothing to send" / "没有可发送的内容";
    QueueIsFull: "too many messages wait for this dialog already; they come first" / "已有太多消息在此排队，先等它们被听到";
    TakenAlready: "it was taken already: the model has it" / "它已被取走：模型已收到";
    AnswerIsEmpty: "an answer needs some text" / "请写下答复";
    AskerIsDead: "the dialog that asked is dead" / "提问的对话已经死亡";
    QuestionIsClosed: "this question is not open: it was withdrawn, or answered in an earlier course" / "这个问题已不再等待：已撤回，或已在更早的课程中答复";
    NothingIsStopped: "no dialog is stopped" / "没有已停止的对话";
    StillRunning: "something in it is running; stop it first" / "其中还有对话在运行，请先停止";
    MainsAreDoneNotDead: "a main dialog cannot be declared dead; mark it done instead" / "主线对话不能宣告死亡，请标记为完成";
    OnlyMainsAreKeptGoing: "only main dialogs are kept going" / "只有主线对话可以续推";
    NoDiligenceText: "the diligence file of this workspace is empty: nobody is pushed" / "此工作区的续推文件为空，因此不会续推";
    DeadUsesNoModel: "this dialog is dead: it uses no model" / "这个对话已经死亡，不再使用模型";
    DeadDecidesNothing: "this dialog is dead: its member decides nothing" / "这个对话已经死亡，其成员不再作决定";
    NoSuchMember: "its member is not in .minds/team.yaml" / "其成员不在 .minds/team.yaml 中";
    DeadTakesNoReminders: "this dialog is dead: it takes no reminders" / "这个对话已经死亡，不再记住任何事";
    NoSuchReminder: "there is no such reminder any more" / "这条提醒已不存在";
    ReminderIsTooLong: "a reminder holds 16 KiB: put a long text into the Taskdoc" / "一条提醒最多 16 KiB，长文本请写入任务文档";
    TooManyReminders: "there are 200 reminders: delete some first" / "提醒已有 200 条，请先删除一些";
    ReminderIsEmpty: "a reminder needs some text; delete it instead" / "提醒需要内容；若不再需要，请删除";
    OnlyTheProgramShares: "only the program shares reminders" / "只有程序能共享提醒";
    NoSuchSection: "there is no section of this name" / "没有这个名称的章节";
    SectionIsTooLarge: "the section is too large to be changed here; use an editor" / "此章节太大，无法在此修改，请使用编辑器";
    SectionHasChanged: "NOT saved: the section was changed meanwhile; your text is kept as a draft" / "未保存：章节其间已被修改；你的文字保留为草稿";
}

impl From<Refusal> for Localized {
    fn from(refusal: Refusal) -> Self {
        refusal.text().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::assert_translated;

    #[test]
    fn every_refusal_has_both_languages() {
        for refusal in Refusal::ALL {
            assert_translated(&(*refusal).into());
        }
    }
}
