//! The edits by their names in Dominds 1.29, which writes in the same call: prepared and applied as in two steps, by
//! the same rules. Calls of one round that name the same path are made in their order.

use std::fmt;
use std::future::ready;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use futures_util::future::BoxFuture;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tokio::time::Instant;

use super::apply;
use super::file_queue::{EditQueues, QueueTicket};
use super::hunks::{Hunks, NewHunk};
use super::plan::{EditArgs, Planner};
use super::prepare::{prepare, shown};
use super::shared::in_background;
use crate::domain::Lang;
use crate::domain::text::Text;
use crate::tools::args::Args;
use crate::tools::outcome::ToolOutcome;
use crate::tools::report::ToolReport;
use crate::tools::tool::{Tool, ToolCx, ToolSpec, interrupted};
use crate::tools::typed;

/// The argument of the two steps that has no meaning here.
const REPLACED_HUNK: &str = "existing_hunk_id";
const PREVIEW: &str = "preview";
/// The arguments that are not those of the edit.
const FLAGS: [&str; 2] = [PREVIEW, "show_diff"];

const PREVIEWED: Text = Text::new("this is what it would change", "将会作出这样的修改");
const NOT_WRITTEN: Text = Text::new(
    "Nothing is written. Call it again without `preview` to change the file.",
    "尚未写入。若要修改文件，请不带 `preview` 再次调用。",
);

/// What the tools share with those that prepare and apply.
#[derive(Debug, Clone)]
pub(super) struct EditState {
    pub hunks: Arc<Hunks>,
    /// The order of edits that are applied, by the true place of their file.
    pub turns: Arc<EditQueues>,
    /// The order of calls, by the path they name.
    calls: Arc<EditQueues>,
    count: Arc<AtomicU64>,
}

impl EditState {
    pub(super) fn new(hunks: &Arc<Hunks>) -> Self {
        Self {
            hunks: Arc::clone(hunks),
            turns: Arc::default(),
            calls: Arc::default(),
            count: Arc::default(),
        }
    }

    /// Enters the queue of calls for a path.
    fn enroll(&self, path: &str) -> QueueTicket {
        let order = self.count.fetch_add(1, Ordering::Relaxed);
        self.calls.enroll(path.trim(), order)
    }
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Flags {
    preview: Option<bool>,
    /// The difference is always shown.
    #[serde(rename = "show_diff")]
    _show_diff: Option<bool>,
}

/// A tool that makes an edit.
pub(super) fn tool<A: EditArgs>(
    name: &'static str,
    text: fn(Lang) -> &'static str,
    state: &EditState,
    plan: Planner<A>,
) -> Arc<dyn Tool> {
    let mut spec = typed::spec::<A>(name.into(), text);
    if let Some(Value::Object(fields)) = spec.parameters.pointer_mut("/properties") {
        fields.retain(|field, _| field != REPLACED_HUNK);
        fields.insert(PREVIEW.to_owned(), json!({ "type": "boolean" }));
    }
    Arc::new(EditAtOnce { spec, name, state: state.clone(), plan })
}

struct EditAtOnce<A> {
    spec: ToolSpec,
    name: &'static str,
    state: EditState,
    plan: Planner<A>,
}

impl<A> fmt::Debug for EditAtOnce<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EditAtOnce").field("name", &self.name).finish_non_exhaustive()
    }
}

impl<A: EditArgs> Tool for EditAtOnce<A> {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn call(&self, cx: ToolCx, args: Args) -> BoxFuture<'static, ToolOutcome> {
        let (args, preview) = match read::<A>(args, self.name, cx.lang) {
            Ok(read) => read,
            Err(refused) => return Box::pin(ready(refused)),
        };
        let turn = self.state.enroll(args.target().path);
        let call = EditCall { name: self.name, args, preview, plan: self.plan };
        Box::pin(call.run(cx, self.state.clone(), turn))
    }
}

/// The arguments of the edit, and whether it is only shown.
fn read<A: EditArgs>(args: Args, name: &str, lang: Lang) -> Result<(A, bool), ToolOutcome> {
    let of_flags = |(key, _): &(String, Value)| FLAGS.contains(&key.as_str());
    let (flags, edit): (Map<_, _>, Map<_, _>) = args.into_object().into_iter().partition(of_flags);
    let flags: Flags = typed::read(flags.into(), name, lang)?;
    Ok((typed::read(edit.into(), name, lang)?, flags.preview.unwrap_or_default()))
}

struct EditCall<A> {
    name: &'static str,
    args: A,
    preview: bool,
    plan: Planner<A>,
}

impl<A: EditArgs> EditCall<A> {
    async fn run(self, cx: ToolCx, state: EditState, mut turn: QueueTicket) -> ToolOutcome {
        // All calls of the round enter the queue before the first one runs.
        tokio::task::yield_now().await;
        turn.come().await;
        let (name, lang, id) = (self.name, cx.lang, cx.new_id.clone());
        let (there, hunks) = (cx.clone(), Arc::clone(&state.hunks));
        let Some(planned) = in_background(move || self.plan(&there, &hunks)).await else {
            return ToolOutcome::failed(interrupted(lang));
        };
        let outcome = match planned {
            Ok(draft) => {
                let caller = cx.caller.clone();
                state.hunks.keep(id.clone(), draft, Instant::now());
                let outcome = apply::call(name, cx, &id, &state.hunks, &state.turns).await;
                // A refused edit is not kept for later, as one of two steps is.
                drop(state.hunks.take(&id, &caller, Instant::now()));
                outcome
            }
            Err(settled) => settled,
        };
        drop(turn);
        outcome
    }

    /// The edit, or the result of a call that makes none.
    fn plan(&self, cx: &ToolCx, hunks: &Hunks) -> Result<NewHunk, ToolOutcome> {
        let prepared = prepare(cx, &self.args, self.plan, hunks)
            .map_err(|refused| refused.outcome(self.name, self.args.target().path, cx.lang))?;
        if self.preview {
            let report = ToolReport::ok(self.name, &prepared.draft.path);
            return Err(shown(
                report,
                &prepared,
                &PREVIEWED,
                NOT_WRITTEN.in_lang(cx.lang),
                cx.lang,
            ));
        }
        Ok(prepared.draft)
    }
}
