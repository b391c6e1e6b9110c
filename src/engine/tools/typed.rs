//! Tools whose arguments are a type. Everything follows from the type: the schema for the model is
//! derived from it, and the model's arguments are deserialized into it or refused.

use std::fmt;
use std::future::{Future, ready};
use std::marker::PhantomData;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use super::args::{Args, not_run, parameters};
use super::outcome::ToolOutcome;
use super::stop::StopFlag;
use super::tool::{Description, Tool, ToolCx, ToolSpec, interrupted};
use crate::domain::Lang;

/// The arguments of a tool: a struct that derives both, and denies unknown fields. Optional fields are an
/// `Option`.
pub trait ToolArgs: DeserializeOwned + JsonSchema + Send + 'static {}

impl<A: DeserializeOwned + JsonSchema + Send + 'static> ToolArgs for A {}

/// The name of a tool, and whether it changes nothing.
#[derive(Debug, Clone, Copy)]
pub struct ToolName {
    name: &'static str,
    only_reads: bool,
}

impl From<&'static str> for ToolName {
    fn from(name: &'static str) -> Self {
        Self { name, only_reads: false }
    }
}

/// The name of a tool that changes nothing.
#[must_use]
pub fn reads(name: &'static str) -> ToolName {
    ToolName { name, only_reads: true }
}

/// How a tool with these arguments presents itself; its text names them all, in both languages.
pub(super) fn spec<A: ToolArgs>(name: ToolName, text: fn(Lang) -> &'static str) -> ToolSpec {
    let parameters = parameters::<A>();
    let ToolName { name, only_reads } = name;
    ToolSpec { name: name.into(), description: Description::Own(text), parameters, only_reads }
}

/// The arguments as their type, or the outcome of a call that does not fit.
pub(super) fn read<A: ToolArgs>(args: Args, name: &str, lang: Lang) -> Result<A, ToolOutcome> {
    let read = args.typed();
    read.map_err(|fault| ToolOutcome::failed(not_run(name, &fault.text(lang), lang)))
}

/// A tool that needs nothing but its arguments.
pub fn instant<A: ToolArgs>(
    name: impl Into<ToolName>,
    text: fn(Lang) -> &'static str,
    work: impl Fn(&ToolCx, &A) -> ToolOutcome + Send + Sync + 'static,
) -> Arc<dyn Tool> {
    asynchronous(name, text, move |cx, args| ready(work(&cx, &args)))
}

/// A tool that touches the disk, so it runs where blocking is allowed.
pub fn blocking<A: ToolArgs>(
    name: impl Into<ToolName>,
    text: fn(Lang) -> &'static str,
    work: impl Fn(&ToolCx, &A) -> ToolOutcome + Send + Sync + 'static,
) -> Arc<dyn Tool> {
    let work = Arc::new(work);
    asynchronous(name, text, move |cx, args| {
        let (work, lang) = (Arc::clone(&work), cx.lang);
        in_background(move || work(&cx, &args), lang)
    })
}

/// Makes a tool whose work may take long: it checks the flag and ends early.
pub(super) fn stoppable<A: ToolArgs>(
    name: impl Into<ToolName>,
    text: fn(Lang) -> &'static str,
    work: impl Fn(&ToolCx, &A, &StopFlag) -> ToolOutcome + Send + Sync + 'static,
) -> Arc<dyn Tool> {
    let work = Arc::new(work);
    asynchronous(name, text, move |cx, args| {
        let (work, lang) = (Arc::clone(&work), cx.lang);
        async move {
            let stop = StopFlag::default();
            let _dropped_with_the_call = stop.set_on_drop();
            in_background(move || work(&cx, &args, &stop), lang).await
        }
    })
}

/// A tool that waits for something.
pub fn asynchronous<A, O>(
    name: impl Into<ToolName>,
    text: fn(Lang) -> &'static str,
    work: impl Fn(ToolCx, A) -> O + Send + Sync + 'static,
) -> Arc<dyn Tool>
where
    A: ToolArgs,
    O: Future<Output = ToolOutcome> + Send + 'static,
{
    Arc::new(TypedTool { spec: spec::<A>(name.into(), text), work, args: PhantomData })
}

/// Boxed, so that all tools share one kind of task: each kind takes room in the program.
fn in_background(
    work: impl FnOnce() -> ToolOutcome + Send + 'static,
    lang: Lang,
) -> BoxFuture<'static, ToolOutcome> {
    let work: Box<dyn FnOnce() -> ToolOutcome + Send> = Box::new(work);
    let done = async move {
        let done = tokio::task::spawn_blocking(work).await;
        done.unwrap_or_else(|_| ToolOutcome::failed(interrupted(lang)))
    };
    Box::pin(done)
}

struct TypedTool<A, F> {
    spec: ToolSpec,
    work: F,
    args: PhantomData<fn() -> A>,
}

impl<A, F> fmt::Debug for TypedTool<A, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TypedTool").field("spec", &self.spec).finish_non_exhaustive()
    }
}

impl<A, F, O> Tool for TypedTool<A, F>
where
    A: ToolArgs,
    F: Fn(ToolCx, A) -> O + Send + Sync,
    O: Future<Output = ToolOutcome> + Send + 'static,
{
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn call(&self, cx: ToolCx, args: Args) -> BoxFuture<'static, ToolOutcome> {
        match read(args, &self.spec.name, cx.lang) {
            Ok(args) => Box::pin((self.work)(cx, args)),
            Err(refused) => Box::pin(ready(refused)),
        }
    }
}
