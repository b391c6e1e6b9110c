//! The tools with which members read resources of servers: one lists them, one reads one. They are there if a server
//! that was agreed to has some that its entry lets through; a member sees those of its toolsets.

use std::collections::BTreeMap;
use std::sync::Arc;

use rmcp::ServiceError;
use rmcp::model::{
    CallToolResponse, ReadResourceRequestParams, ReadResourceResponse, ResourceContents,
};
use schemars::JsonSchema;
use serde::Deserialize;
use tokio::sync::mpsc;
use tokio::time::timeout;

use super::listing::marked;
use super::resource_list::{MAX_ADDRESS_CHARS, MAX_ID_CHARS, ResourceEntry, ResourceKind};
use super::result::{blob_bytes, call_result, sanitize};
use super::snapshot::ActiveList;
use super::supervisor::SupervisorRequest;
use super::tool::{CALL_TIMEOUT, lease, outcome, too_long, was_not_taken};
use super::uri_template;
use crate::domain::text::{Text, in_lang};
use crate::minds::mcp_config::{FETCH_RESOURCE, LIST_RESOURCES, ResourceRules};
use crate::tools::{Tool, ToolCx, ToolOutcome, typed};

/// Most entries of one answer; further ones are counted.
const MAX_SHOWN: usize = 100;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct ListArgs {
    server_id: Option<String>,
    query: Option<String>,
    kind: Option<ResourceKind>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct FetchArgs {
    resource_id: String,
    arguments: Option<BTreeMap<String, String>>,
}

/// An entry of a list, with an id that no other has.
struct Found<'a> {
    id: String,
    list: &'a ActiveList,
    entry: &'a ResourceEntry,
}

impl Found<'_> {
    /// The id that it has while others have its own too.
    fn marked_id(&self) -> String {
        let Self { list, entry, .. } = self;
        marked(&entry.id, &format!("{} {:?} {}", list.server, entry.kind, entry.address))
    }
}

/// The tools for what these servers listed; none without such a server.
pub(super) fn tools(
    tx: &mpsc::Sender<SupervisorRequest>,
    lists: &Arc<[ActiveList]>,
) -> Vec<Arc<dyn Tool>> {
    if lists.is_empty() {
        return Vec::new();
    }
    let list_text = |lang| Text::of_document(include_str!("list_resources.md")).in_lang(lang);
    let fetch_text = |lang| Text::of_document(include_str!("fetch_resource.md")).in_lang(lang);
    let (listed, lists, tx) = (lists.clone(), lists.clone(), tx.clone());
    vec![
        typed::instant(typed::reads(LIST_RESOURCES), list_text, move |cx, args: &ListArgs| {
            ToolOutcome::done(list(&listed, cx, args))
        }),
        typed::asynchronous(FETCH_RESOURCE, fetch_text, move |cx, args: FetchArgs| {
            fetch(lists.clone(), tx.clone(), cx, args)
        }),
    ]
}

/// What the caller may read. An id that several entries have gets a digest behind it.
fn visible<'a>(lists: &'a [ActiveList], cx: &ToolCx) -> Vec<Found<'a>> {
    let entries = |list: &'a ActiveList| {
        let resources = list.listing.resources.iter();
        resources.flat_map(|resources| &resources.entries).map(move |entry| (list, entry))
    };
    let all: Vec<(&ActiveList, &ResourceEntry)> = lists.iter().flat_map(entries).collect();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for (_, entry) in &all {
        *counts.entry(&entry.id).or_default() += 1;
    }
    let found = all.into_iter().map(|(list, entry)| {
        let is_shared = counts.get(entry.id.as_str()).is_some_and(|count| *count > 1);
        let found = Found { id: entry.id.clone(), list, entry };
        if is_shared { Found { id: found.marked_id(), ..found } } else { found }
    });
    found.filter(|found| cx.toolsets.contains(&found.list.server)).collect()
}

/// The entry with this id. Whether it has its mark depends on all servers, so an id that was noted with it stays good.
fn named<'a>(all: &'a [Found<'a>], id: &str) -> Option<&'a Found<'a>> {
    let by_mark = || all.iter().find(|found| found.marked_id() == id);
    all.iter().find(|found| found.id == id).or_else(by_mark)
}

fn list(lists: &[ActiveList], cx: &ToolCx, args: &ListArgs) -> String {
    let server = given(args.server_id.as_deref());
    let words = given(args.query.as_deref()).map(str::to_lowercase);
    let is_wanted = |found: &Found<'_>| {
        let Found { id, list, entry } = found;
        let has = |words: &str| id.to_lowercase().contains(words) || entry.has(words);
        server.is_none_or(|server| server == list.server)
            && args.kind.is_none_or(|kind| kind == entry.kind)
            && words.as_deref().is_none_or(has)
    };
    let found: Vec<Found<'_>> = visible(lists, cx).into_iter().filter(is_wanted).collect();
    let mut shown: Vec<String> = found
        .iter()
        .take(MAX_SHOWN)
        .map(|found| found.entry.lines(&found.id, &found.list.server))
        .collect();
    if shown.is_empty() {
        let none = Text::new("No resource matches.", "没有匹配的资源。");
        shown.push(none.in_lang(cx.lang).to_owned());
    }
    if let Some(more) = found.len().checked_sub(MAX_SHOWN).filter(|more| *more > 0) {
        shown.push(in_lang!(
            cx.lang,
            "{more} more are not shown: narrow the list with `query`, `serverId` or `kind`.",
            "另有 {more} 项未显示：请用 `query`、`serverId` 或 `kind` 缩小范围。"
        ));
    }
    shown.join("\n")
}

fn given(text: Option<&str>) -> Option<&str> {
    text.map(str::trim).filter(|text| !text.is_empty())
}

/// Dropping the future cancels the request at the server.
async fn fetch(
    lists: Arc<[ActiveList]>,
    tx: mpsc::Sender<SupervisorRequest>,
    cx: ToolCx,
    args: FetchArgs,
) -> ToolOutcome {
    let id = args.resource_id.trim();
    let all = visible(&lists, &cx);
    let Some(found) = named(&all, id) else {
        let id = sanitize(id, MAX_ID_CHARS);
        return ToolOutcome::failed(in_lang!(
            cx.lang,
            "There is no resource `{id}`; call {LIST_RESOURCES}.",
            "没有资源 `{id}`；请调用 {LIST_RESOURCES}。"
        ));
    };
    let values = args.arguments.unwrap_or_default();
    let result = timeout(CALL_TIMEOUT, read(found, &tx, &cx, &values)).await;
    let result = result.unwrap_or_else(|_| Err(too_long(&found.list.server, cx.lang)));
    result.unwrap_or_else(ToolOutcome::failed)
}

/// The error is the text of a failure.
async fn read(
    found: &Found<'_>,
    tx: &mpsc::Sender<SupervisorRequest>,
    cx: &ToolCx,
    values: &BTreeMap<String, String>,
) -> Result<ToolOutcome, String> {
    let server = found.list.server.as_str();
    let rules = found.list.config.resources.clone().unwrap_or_default();
    let params = ReadResourceRequestParams::new(address(found, &rules, values, cx)?);
    let mut handle = lease(server, tx, cx).await?;
    let mut answer = handle.connection.peer.read_resource_once(params.clone()).await;
    // A server may end between two calls. Once only: the next one may end in the same way.
    if answer.as_ref().is_err_and(|error| was_not_taken(error, &handle.connection.end)) {
        handle = lease(server, tx, cx).await?;
        answer = handle.connection.peer.read_resource_once(params).await;
    }
    let answer = match answer {
        Ok(ReadResourceResponse::Complete(result)) => {
            check_size(&result.contents, &rules, cx)?;
            Ok(CallToolResponse::Complete(call_result(result.contents)))
        }
        Ok(ReadResourceResponse::InputRequired(asked)) => {
            Ok(CallToolResponse::InputRequired(asked))
        }
        Ok(_) => Err(ServiceError::UnexpectedResponse),
        Err(error) => Err(error),
    };
    outcome(answer, server, &handle.connection.end, cx)
}

/// The address to ask for.
fn address(
    found: &Found<'_>,
    rules: &ResourceRules,
    values: &BTreeMap<String, String>,
    cx: &ToolCx,
) -> Result<String, String> {
    let Found { id, entry, .. } = found;
    match entry.kind {
        ResourceKind::Resource if values.is_empty() => Ok(entry.address.clone()),
        ResourceKind::Resource => Err(in_lang!(
            cx.lang,
            "The resource `{id}` was not read: it takes no `arguments`.",
            "未读取资源 `{id}`：它不接受 `arguments`。"
        )),
        ResourceKind::ResourceTemplate => {
            let missing = |name: String| {
                in_lang!(
                    cx.lang,
                    "The resource `{id}` was not read: `arguments` needs a text for `{name}`.",
                    "未读取资源 `{id}`：`arguments` 需要 `{name}` 的文本。"
                )
            };
            let made = uri_template::expand(&entry.address, values).map_err(missing)?;
            let plain = uri_template::plain(&entry.address, values).map_err(missing)?;
            if made.len() <= MAX_ADDRESS_CHARS && rules.allows_made(&made, &plain) {
                return Ok(made);
            }
            Err(in_lang!(
                cx.lang,
                "The resource `{id}` was not read: the address is too long, or `.minds/mcp.yaml` forbids it.",
                "未读取资源 `{id}`：地址过长，或 `.minds/mcp.yaml` 不允许。"
            ))
        }
    }
}

/// The error says that a resource is larger than its server's entry allows.
fn check_size(
    contents: &[ResourceContents],
    rules: &ResourceRules,
    cx: &ToolCx,
) -> Result<(), String> {
    let sizes = contents.iter().map(|content| match content {
        ResourceContents::TextResourceContents { text, .. } => text.len(),
        ResourceContents::BlobResourceContents { blob, .. } => blob_bytes(blob),
        _ => 0,
    });
    let bytes: usize = sizes.sum();
    match rules.max_bytes.filter(|most| bytes > *most) {
        Some(most) => Err(in_lang!(
            cx.lang,
            "The resource was read and left out: it has {bytes} bytes, and `maxBytes` of its server is {most}.",
            "资源已读取但未采用：它有 {bytes} 字节，而其服务器的 `maxBytes` 是 {most}。"
        )),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::listing::Listing;
    use super::super::resource_list::ResourceList;
    use super::*;
    use crate::minds::mcp_config::{HttpServer, McpServer, ToolFilter, Transport};
    use crate::tools::test_support::TestBench;

    /// A server with resources at these addresses.
    fn server(name: &str, addresses: &[&str], rules: &ResourceRules) -> ActiveList {
        let entry = |address: &&str| {
            let value = json!({"uri": address, "name": "n"});
            let resource = serde_json::from_value(value).unwrap();
            ResourceEntry::of_resource(resource, rules, &Arc::default())
        };
        let mut resources = ResourceList::default();
        resources.add(addresses.iter().filter_map(entry).collect(), false);
        let transport = Transport::Http(HttpServer { url: "x".to_owned(), headers: Vec::new() });
        let config = McpServer {
            stateless: true,
            transport,
            filter: ToolFilter::default(),
            name_rules: Vec::new(),
            resources: Some(rules.clone()),
            prompts: None,
        };
        let mut listing = Listing::new(Vec::new(), &config, &Arc::default());
        listing.resources = Some(resources);
        let (config, listing) = (Arc::new(config), Arc::new(listing));
        ActiveList { server: name.to_owned(), config, listing }
    }

    /// A caller that has these toolsets.
    fn caller(toolsets: &[&str]) -> ToolCx {
        let toolsets = toolsets.iter().map(|&toolset| toolset.to_owned()).collect();
        ToolCx { toolsets: Arc::new(toolsets), ..TestBench::new().cx.clone() }
    }

    fn ids(lists: &[ActiveList], toolsets: &[&str]) -> Vec<String> {
        visible(lists, &caller(toolsets)).into_iter().map(|found| found.id).collect()
    }

    #[test]
    fn an_id_that_several_entries_have_is_marked_in_every_order_and_for_everyone() {
        let rules = ResourceRules::default();
        let lists = [server("a", &["x://1", "x:1"], &rules), server("b", &["x/1", "y"], &rules)];
        let all = ids(&lists, &["a", "b"]);
        assert!(all.iter().take(3).all(|id| id.len() == 10 && id.starts_with("x_1_")), "{all:?}");
        assert_eq!(all[3], "y");
        assert!(all[0] != all[1] && all[1] != all[2] && all[0] != all[2]);
        let reordered = [server("b", &["y", "x/1"], &rules), server("a", &["x:1"], &rules)];
        let expected = [all[3].as_str(), all[2].as_str(), all[1].as_str()];
        assert_eq!(ids(&reordered, &["a", "b"]), expected);
        assert_eq!(ids(&lists, &["b"]), all[2..]);
        let rest = &lists[1..];
        assert_eq!(ids(rest, &["b"]), ["x_1", "y"]);
        let left = visible(rest, &caller(&["b"]));
        for (id, address) in [(&all[2], Some("x/1")), (&all[1], None), (&all[3], Some("y"))] {
            let found = named(&left, id).map(|found| found.entry.address.as_str());
            assert_eq!(found, address, "{id}");
        }
    }

    #[test]
    fn a_member_is_told_of_the_resources_of_its_toolsets_alone() {
        let rules = ResourceRules::default();
        let lists = [server("a", &["x:1"], &rules), server("b", &["x:2"], &rules)];
        let args = |value| serde_json::from_value::<ListArgs>(value).unwrap();
        let listed = |toolsets: &[&str], value| list(&lists, &caller(toolsets), &args(value));
        let both = listed(&["a", "b"], json!({}));
        assert!(both.contains("- x_1\n") && both.contains("- x_2\n"), "{both}");
        for (toolsets, value) in [
            (&["b"][..], json!({})),
            (&["a", "b"], json!({"serverId": " b "})),
            (&["a", "b"], json!({"query": "X:2", "kind": "resource"})),
        ] {
            let one = listed(toolsets, value);
            assert!(one.starts_with("- x_2\n") && !one.contains("x_1"), "{one}");
        }
        let none = listed(&["a", "b"], json!({"kind": "resource_template"}));
        assert_eq!(none, "No resource matches.");
    }

    #[test]
    fn entries_beyond_the_most_are_counted() {
        let addresses: Vec<String> = (0..=MAX_SHOWN).map(|n| format!("x:{n}")).collect();
        let addresses: Vec<&str> = addresses.iter().map(String::as_str).collect();
        let lists = [server("a", &addresses, &ResourceRules::default())];
        let args = serde_json::from_value::<ListArgs>(json!({})).unwrap();
        let shown = list(&lists, &caller(&["a"]), &args);
        assert_eq!(shown.lines().filter(|line| line.starts_with("- ")).count(), MAX_SHOWN);
        assert!(shown.contains("1 more are not shown"), "{shown}");
    }

    #[test]
    fn an_address_that_is_made_from_a_template_keeps_the_blacklist() {
        let filter = ToolFilter { whitelist: Vec::new(), blacklist: vec!["*secret*".to_owned()] };
        let rules = ResourceRules { filter, ..ResourceRules::default() };
        let template = json!({"uriTemplate": "f:///{+p}", "name": "n"});
        let template = serde_json::from_value(template).unwrap();
        let entry = ResourceEntry::of_template(template, &rules, &Arc::default()).unwrap();
        let list = server("a", &[], &rules);
        let found = Found { id: "f_p".to_owned(), list: &list, entry: &entry };
        let made = |value: &str| {
            let values = BTreeMap::from([("p".to_owned(), value.to_owned())]);
            address(&found, &rules, &values, &caller(&[]))
        };
        assert_eq!(made("docs/a"), Ok("f:///docs/a".to_owned()));
        for refused in ["secret/a", "docs/../x", "", &"a".repeat(MAX_ADDRESS_CHARS)] {
            assert!(made(refused).is_err_and(|text| text.contains("was not read")), "{refused}");
        }
    }

    #[test]
    fn a_resource_that_is_larger_than_its_entry_allows_is_left_out() {
        let contents = json!([{"uri": "x:1", "text": "12345"}, {"uri": "x:1", "blob": "AAAA"}]);
        let contents: Vec<ResourceContents> = serde_json::from_value(contents).unwrap();
        for (max_bytes, fits) in [(None, true), (Some(8), true), (Some(7), false)] {
            let rules = ResourceRules { max_bytes, ..ResourceRules::default() };
            assert_eq!(check_size(&contents, &rules, &caller(&[])).is_ok(), fits, "{max_bytes:?}");
        }
    }

    #[test]
    fn every_argument_is_in_the_text_of_its_tool_in_both_languages() {
        use crate::domain::Lang;
        let lists: Arc<[ActiveList]> = [server("a", &[], &ResourceRules::default())].into();
        assert!(tools(&mpsc::channel(1).0, &Arc::default()).is_empty());
        for tool in tools(&mpsc::channel(1).0, &lists) {
            let spec = tool.spec();
            for field in spec.parameters["properties"].as_object().unwrap().keys() {
                for lang in [Lang::En, Lang::Zh] {
                    let text = spec.description.text(lang);
                    assert!(text.contains(&format!("`{field}`")), "{}: {field}", spec.name);
                }
            }
        }
    }
}
