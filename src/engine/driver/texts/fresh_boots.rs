//! Texts of fresh-boots reasoning: the prompt of each round, results of calls in it, its end.

use crate::domain::Assignment;
use crate::domain::dialogs::fresh_boots::{CONCLUSION_TOOLS, FbrPhase, FbrRound};
use crate::domain::text::{Text, in_lang};

use super::Texts;

impl Texts {
    /// The prompt of a round; the first one states the request.
    #[must_use]
    pub fn fresh_boots_prompt(self, assignment: &Assignment, round: FbrRound) -> String {
        let directive = self.fresh_boots_directive(round);
        if (round.phase, round.iteration) != (FbrPhase::Divergence, 1) {
            return directive;
        }
        let request = &assignment.tellask_content;
        let introduction = Text::new("# Fresh-boots reasoning\n\n\
             You asked yourself the question below, to think about it anew. The dialog that asks is \
             not shown, on purpose. Keep to the goal of the question; its wording and the directions \
             it suggests do not bind you. Each round has its own prompt; markers are added by the \
             runtime.", "# 重新思考（FBR）\n\n\
             下面的问题是你向自己提出的，为的是重新思考一遍。提问的对话有意不展示。请紧扣问题的目标；\
             它的措辞和暗示的方向并不约束你。每一轮都有各自的提示；标记由运行时添加。").in_lang(self.0);
        format!("{introduction}\n\n---\n\n{request}\n\n---\n\n{directive}")
    }

    fn fresh_boots_directive(self, round: FbrRound) -> String {
        let (n, of) = (round.iteration, round.effort);
        match round.phase {
            FbrPhase::Divergence => in_lang!(
                self.0,
                "[FBR divergence, round {n} of {of}]\n\
                     Take an angle that differs in kind from those before: another cause, another \
                     reader, another scale, the opposite assumption. Odd ideas are welcome, as \
                     candidates. Do not repeat, do not weigh them up yet, do not conclude. No calls.",
                "[FBR 发散 第 {n} 轮，共 {of} 轮]\n\
                     换一个与之前性质不同的角度：别的成因、别的读者、别的尺度、相反的假设。\
                     奇特的想法也欢迎，先当作候选。不要重复，先不权衡，不下结论。不要调用任何工具。"
            ),
            FbrPhase::Convergence => in_lang!(
                self.0,
                "[FBR convergence, round {n} of {of}]\n\
                     Go through what you have. Keep what several angles support, or what the question \
                     itself supports; attack your favourite; drop what stands alone, however bright. \
                     Say what is still unknown and what would settle it. Do not conclude yet. No calls.",
                "[FBR 收敛 第 {n} 轮，共 {of} 轮]\n\
                     梳理已有的想法。保留多个角度互相支持的，或问题本身支持的；反驳你最偏爱的那个；\
                     孤立的想法再亮眼也要舍弃。说明还有什么未知、怎样才能弄清。先不下结论。\
                     不要调用任何工具。"
            ),
            FbrPhase::Finalization => self.fresh_boots_attempt(n, of),
        }
    }

    fn fresh_boots_attempt(self, n: u32, of: u32) -> String {
        let [conclusion, unreasonable] = CONCLUSION_TOOLS;
        let again = match n {
            1 => "",
            _ => Text::new(
                "The last attempt did not end with one of the two calls.\n",
                "上一次没有以这两个调用之一结束。\n",
            )
            .in_lang(self.0),
        };
        in_lang!(
            self.0,
            "[FBR conclusion, attempt {n} of {of}]\n{again}\
                 End now with exactly one call:\n\
                 - `{conclusion}`, if a stable result is left: that result, what stays unknown, and \
                 the next step that matters most;\n\
                 - `{unreasonable}`, if contradictions or missing facts forbid one: what they are.\n\
                 No other words; only the call's `content` is read.",
            "[FBR 结论 第 {n} 次，共 {of} 次]\n{again}\
                 现在请以恰好一个调用结束：\n\
                 - 若得到稳定的结果，调用 `{conclusion}`：写明结果、仍未知的事、最要紧的下一步；\n\
                 - 若矛盾或缺少事实使结论无法成立，调用 `{unreasonable}`：写明是什么。\n\
                 不要输出其他文字；只有调用的 `content` 会被阅读。"
        )
    }

    /// The first message of the context.
    #[must_use]
    pub fn fresh_boots_notice(self) -> String {
        let [conclusion, unreasonable] = CONCLUSION_TOOLS;
        in_lang!(
            self.0,
            "[System notice] This dialog reasons without tools. No call is possible until a \
                 prompt asks for the conclusion; then only `{conclusion}` and `{unreasonable}`.",
            "[系统通知] 本对话只推理，没有工具。在提示要求给出结论之前不能进行任何调用；\
                 之后也只有 `{conclusion}` 和 `{unreasonable}`。"
        )
    }

    /// Replaces a refused call in the answer of the model.
    #[must_use]
    pub fn fresh_boots_refused(self, phase: FbrPhase) -> String {
        match phase {
            FbrPhase::Divergence | FbrPhase::Convergence => Text::new("[FBR violation] I made a call in a round without tools. It was refused and nothing \
                 was run; the round counts.", "[FBR 违规] 我在没有工具的一轮里进行了调用。调用被拒绝，什么也没有执行；本轮照计。").in_lang(self.0),
            FbrPhase::Finalization => Text::new("[FBR violation] I did not make exactly one of the two concluding calls, with \
                 content. Nothing was accepted.", "[FBR 违规] 我没有恰好进行两个结论调用之一并写明内容。没有接受任何结论。").in_lang(self.0),
        }
        .to_owned()
    }

    /// The conclusion where none was reached.
    #[must_use]
    pub fn fresh_boots_without_conclusion(self) -> String {
        Text::new(
            "No reasonable conclusion: all rounds ended without one of the two concluding calls. \
             Treat the question as open; state it anew with what it lacks, or decide without this.",
            "没有合理的结论：所有轮次结束时都没有给出结论调用。请把这个问题视为未决；\
             补足所缺的内容后重新提出，或不依赖它作出决定。",
        )
        .in_lang(self.0)
        .to_owned()
    }

    #[must_use]
    pub fn fresh_boots_off(self) -> String {
        Text::new(
            "Failed: fresh-boots reasoning is switched off here (effort 0). Go on without it.",
            "失败：此处已关闭重新思考（FBR，effort 为 0）。请直接继续。",
        )
        .in_lang(self.0)
        .to_owned()
    }

    pub(super) fn fresh_boots_heading(self) -> &'static str {
        Text::new("[FBR Side Dialog response]", "[FBR 支线对话回复]").in_lang(self.0)
    }
}
