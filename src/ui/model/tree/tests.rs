//! The order of rows, folding, and malformed trees.

use std::time::Instant;

use proptest::prelude::*;

use super::*;
use crate::domain::{AgentId, Course, DisplayState, Genseq, Lang, RootId, SelfId, Stamp};

fn id(root: &str, this: &str) -> DialogId {
    DialogId::side(&RootId::new(root), &SelfId::new(this))
}

/// A row of tree `root`; `this` equal to `root` is its main dialog. `made` orders it.
fn row(root: &str, this: &str, asker: Option<&str>, made: u32) -> TreeRow {
    TreeRow {
        dialog: id(root, this),
        asker: asker.map(SelfId::new),
        agent: AgentId::new(this),
        slug: None,
        taskdoc: "t.tsk".to_owned(),
        state: DisplayState::Idle,
        course: Course::FIRST,
        genseq: Genseq(1),
        created_at: Stamp::new(format!("2026-01-01 00:00:{made:02}")),
        last_modified: Stamp::default(),
        questions: 0,
        pending: 0,
        title: String::new(),
        reasoning: None,
        context_percent: None,
        context_level: None,
        keep_going: None,
        history: false,
        layout: None,
        queued: std::sync::Arc::default(),
        unreviewed: 0,
        retrying: false,
        model: None,
        autonomy: None,
    }
}

/// `depth name symbol` of each visible row.
fn listing(tree: &mut Tree) -> Vec<String> {
    let rows = tree.visible().iter();
    rows.map(|row| {
        let name = match &row.node {
            TreeNode::Taskdoc(path) => path.as_str(),
            TreeNode::Group(group) => group.name().in_lang(Lang::En),
            TreeNode::Dialog(dialog) => dialog.this.as_str(),
        };
        let symbol = match row.branch {
            Branch::Open => "v",
            Branch::Closed => ">",
            Branch::Leaf => "-",
            Branch::LastLeaf => "`",
        };
        format!("{} {name} {symbol}", row.depth)
    })
    .collect()
}

fn family() -> Tree {
    let mut tree = Tree::default();
    tree.set(vec![
        row("m", "m", None, 1),
        row("m", "c", Some("b"), 4),
        row("m", "a", Some("m"), 2),
        row("m", "b", Some("m"), 3),
        TreeRow { taskdoc: "u.tsk".to_owned(), ..row("n", "n", None, 0) },
    ]);
    tree
}

#[test]
fn side_dialogs_are_children_of_their_askers_and_the_newest_come_first() {
    let mut tree = family();
    assert_eq!(
        listing(&mut tree),
        ["0 t.tsk v", "1 m v", "2 b v", "3 c `", "2 a `", "0 u.tsk v", "1 n `"]
    );
}

#[test]
fn what_asks_the_person_comes_first_with_its_tree_but_not_while_the_tree_has_the_focus() {
    let mut tree = family();
    let other = || TreeRow { taskdoc: "u.tsk".to_owned(), ..row("n", "n", None, 0) };
    let calm = listing(&mut tree);
    tree.put(asking(row("m", "a", Some("m"), 2)));
    assert_eq!(listing(&mut tree), calm);
    tree.set_focused(false);
    let of_a = ["0 t.tsk v", "1 m v", "2 a -", "2 b v", "3 c `", "0 u.tsk v", "1 n `"];
    assert_eq!(listing(&mut tree), of_a);
    tree.put(asking(other()));
    tree.put(row("m", "a", Some("m"), 2));
    let of_n = ["0 u.tsk v", "1 n `", "0 t.tsk v", "1 m v", "2 b v", "3 c `", "2 a `"];
    assert_eq!(listing(&mut tree), of_n);
    tree.set_focused(true);
    tree.put(other());
    assert_eq!(listing(&mut tree), of_n);
    let mut anew = Tree::default();
    anew.set(
        tree.all()
            .filter(|row| row.agent.as_str() != "n")
            .cloned()
            .chain([asking(other())])
            .collect(),
    );
    assert_eq!(listing(&mut anew), of_n, "also at the start");
}

#[test]
fn while_the_keys_go_elsewhere_a_view_of_the_beginning_shows_what_is_new() {
    let mut tree = family();
    tree.set_focused(false);
    tree.top(4);
    tree.put(TreeRow { taskdoc: "v.tsk".to_owned(), ..row("x", "x", None, 9) });
    assert_eq!(tree.top(4), 0);
    assert_eq!(listing(&mut tree)[..3], ["0 v.tsk v", "1 x `", "0 t.tsk v"]);
}

#[test]
fn folding_hides_children_and_folding_again_selects_the_parent() {
    let mut tree = family();
    tree.select(&id("m", "b"));
    tree.fold();
    assert_eq!(listing(&mut tree)[2..4], ["2 b >", "2 a `"]);
    tree.fold();
    assert_eq!(tree.selected_dialog(), Some(id("m", "m")));
    tree.fold();
    assert_eq!(listing(&mut tree), ["0 t.tsk v", "1 m >", "0 u.tsk v", "1 n `"]);
    tree.select(&id("m", "c"));
    assert_eq!(tree.selected_dialog(), Some(id("m", "c")));
    assert_eq!(listing(&mut tree).len(), 7);
}

#[test]
fn no_row_is_hidden_by_the_shape_of_its_tree() {
    let mut tree = Tree::default();
    tree.set(vec![
        row("m", "m", None, 1),
        row("m", "a", Some("b"), 2),
        row("m", "b", Some("a"), 3),
        row("m", "s", Some("s"), 4),
    ]);
    let all = ["0 t.tsk v", "1 m v", "2 s -", "2 a v", "3 b `"];
    assert_eq!(listing(&mut tree), all);
    tree.select(&id("m", "m"));
    tree.fold();
    tree.select(&id("m", "b"));
    assert_eq!(
        (tree.selected_dialog(), listing(&mut tree)),
        (Some(id("m", "b")), all.map(String::from).to_vec())
    );
    // Children of a cycle are visible too, and a cycle without its main dialog.
    tree.set(vec![
        row("m", "d", Some("c"), 1),
        row("m", "a", Some("c"), 2),
        row("m", "b", Some("a"), 3),
        row("m", "c", Some("b"), 4),
    ]);
    assert_eq!(listing(&mut tree), ["0 t.tsk v", "1 a v", "2 b v", "3 c v", "4 d `"]);
}

#[test]
fn a_row_with_an_unknown_asker_is_a_child_of_the_main_dialog_or_the_taskdoc() {
    let mut tree = Tree::default();
    tree.set(vec![row("m", "m", None, 1), row("m", "a", Some("gone"), 2)]);
    assert_eq!(listing(&mut tree), ["0 t.tsk v", "1 m v", "2 a `"]);
    tree.set(vec![row("m", "a", Some("gone"), 2)]);
    assert_eq!(listing(&mut tree), ["0 t.tsk v", "1 a `"]);
}

#[test]
fn removing_a_tree_removes_its_side_dialogs() {
    let mut tree = family();
    tree.remove(&id("m", "m"));
    assert_eq!(listing(&mut tree), ["0 u.tsk v", "1 n `"]);
}

#[test]
fn counts_follow_the_states() {
    let mut tree = family();
    tree.put(TreeRow { state: DisplayState::Proceeding, ..row("m", "a", Some("m"), 2) });
    assert_eq!(tree.counts().running, 1);
    assert!(tree.any_running());
}

#[test]
fn ten_thousand_rows_are_cheap_to_update_and_to_scroll() {
    let mut tree = Tree::default();
    let rows = (0..10_000).map(|n| {
        let name = format!("d{n:05}");
        let asker = if n % 10 == 0 { None } else { Some(format!("d{:05}", n - n % 10)) };
        let root = format!("d{:05}", n - n % 10);
        row(&root, &name, asker.as_deref(), n % 60)
    });
    tree.set(rows.collect());
    assert_eq!(tree.visible().len(), 10_001);
    let started = Instant::now();
    for _ in 0..1_000 {
        tree.put(TreeRow { state: DisplayState::Proceeding, ..row("d00010", "d00010", None, 10) });
        tree.step(1);
        tree.top(40);
        assert_eq!(tree.visible().len(), 10_001);
    }
    assert!(started.elapsed().as_millis() < 500, "no rebuild without a structural change");
}

fn asking(row: TreeRow) -> TreeRow {
    let reason = crate::domain::dialogs::latest::Blocker::Human;
    TreeRow { state: DisplayState::Blocked { reason }, ..row }
}

fn waits(row: TreeRow) -> TreeRow {
    let reason = crate::domain::dialogs::latest::Blocker::SideDialogs;
    TreeRow { state: DisplayState::Blocked { reason }, ..row }
}

#[test]
fn a_filter_keeps_what_it_fits_with_the_rows_above_also_folded_ones() {
    let mut tree = family();
    tree.select(&id("m", "m"));
    tree.fold();
    tree.set_filter(Filter::new("@c"));
    assert_eq!(listing(&mut tree), ["0 t.tsk v", "1 m v", "2 b v", "3 c `"]);
    assert_eq!((tree.selected_dialog(), tree.fitting()), (Some(id("m", "c")), 1));
    tree.set_filter(Filter::new("@nobody"));
    assert!(tree.visible().is_empty() && tree.selected_dialog().is_none());
    tree.set_filter(None);
    assert_eq!(listing(&mut tree), ["0 t.tsk v", "1 m >", "0 u.tsk v", "1 n `"]);
    tree.set_filter(Filter::new("u.tsk"));
    tree.select(&id("m", "c"));
    assert_eq!((tree.selected_dialog(), tree.filter()), (Some(id("m", "c")), None));
}

#[test]
fn in_groups_a_dialog_moves_to_that_of_its_state_but_not_from_under_the_cursor() {
    let mut tree = family();
    tree.put(waits(row("m", "a", Some("m"), 2)));
    tree.select(&id("m", "b"));
    tree.toggle_groups();
    let grouped = ["0 waiting v", "1 a `", "0 idle v", "1 c -", "1 b -", "1 m -", "1 n `"];
    assert_eq!(listing(&mut tree), grouped);
    assert_eq!(tree.selected_dialog(), Some(id("m", "b")));
    tree.put(waits(row("m", "b", Some("m"), 3)));
    assert_eq!(listing(&mut tree), grouped);
    tree.put(waits(row("m", "c", Some("b"), 4)));
    let others = ["0 waiting v", "1 c -", "1 a `", "0 idle v", "1 b -", "1 m -", "1 n `"];
    assert_eq!(listing(&mut tree), others);
    tree.step(1);
    let left = ["0 waiting v", "1 c -", "1 b -", "1 a `", "0 idle v", "1 m -", "1 n `"];
    assert_eq!(listing(&mut tree), left);
    assert_eq!(tree.selected_dialog(), Some(id("m", "m")));
    tree.put(waits(row("m", "m", None, 1)));
    assert_eq!(listing(&mut tree), left);
    tree.set_focused(true);
    let anew = ["0 waiting v", "1 c -", "1 b -", "1 a -", "1 m `", "0 idle v", "1 n `"];
    assert_eq!(listing(&mut tree), anew);
    tree.select(&id("m", "b"));
    tree.toggle_groups();
    assert_eq!(tree.selected_dialog(), Some(id("m", "b")));
}

#[test]
fn rows_that_groups_left_blank_are_filled_when_the_user_moves() {
    let mut tree = family();
    tree.put(waits(row("m", "a", Some("m"), 2)));
    tree.toggle_groups();
    tree.select(&id("m", "m"));
    let place = |tree: &mut Tree| {
        let top = tree.top(9);
        (tree.selected_dialog(), tree.selected_at() + tree.blank_above() - top)
    };
    assert_eq!(place(&mut tree), (Some(id("m", "m")), 5));
    tree.put(row("m", "a", Some("m"), 2));
    assert_eq!(place(&mut tree), (Some(id("m", "m")), 5));
    assert_eq!((tree.blank_above(), tree.row_at(0), tree.row_at(1)), (1, None, Some(0)));
    tree.step(1);
    assert_eq!(place(&mut tree), (Some(id("n", "n")), 5));
}

#[test]
fn while_the_keys_go_elsewhere_every_dialog_is_in_its_group_and_no_row_is_blank() {
    let mut tree = family();
    tree.put(waits(row("m", "a", Some("m"), 2)));
    tree.toggle_groups();
    tree.select(&id("m", "m"));
    tree.top(9);
    tree.set_focused(false);
    tree.put(row("m", "a", Some("m"), 2));
    tree.put(waits(row("m", "m", None, 1)));
    tree.top(9);
    let grouped = ["0 waiting v", "1 m `", "0 idle v", "1 c -", "1 b -", "1 a -", "1 n `"];
    assert_eq!(listing(&mut tree), grouped);
    assert_eq!((tree.selected_dialog(), tree.blank_above()), (Some(id("m", "m")), 0));
}

#[test]
fn a_group_that_becomes_empty_goes_once_the_cursor_leaves_it() {
    let mut tree = family();
    tree.put(waits(row("m", "a", Some("m"), 2)));
    tree.toggle_groups();
    tree.step(isize::MIN);
    assert_eq!(tree.selected(), Some(&TreeNode::Group(Group::Waiting)));
    tree.put(row("m", "a", Some("m"), 2));
    assert_eq!(listing(&mut tree)[..2], ["0 waiting `", "0 idle v"]);
    tree.step(1);
    assert_eq!(listing(&mut tree)[..2], ["0 idle v", "1 c -"]);
    assert_eq!(tree.selected(), Some(&TreeNode::Group(Group::Idle)));
}

#[test]
fn all_rows_are_folded_and_unfolded_at_once() {
    let mut tree = family();
    tree.select(&id("m", "c"));
    let open = listing(&mut tree);
    tree.fold_all();
    assert_eq!(listing(&mut tree), ["0 t.tsk >", "0 u.tsk >"]);
    assert_eq!(tree.selected(), Some(&TreeNode::Taskdoc("t.tsk".to_owned())));
    tree.unfold_all();
    assert_eq!(listing(&mut tree), open);
}

#[test]
fn a_dialog_is_unread_from_its_next_change_until_it_is_looked_at() {
    let mut tree = family();
    let changed = TreeRow { genseq: Genseq(2), ..row("m", "a", Some("m"), 2) };
    assert!(!tree.all().any(|row| tree.is_unread(row)));
    tree.put(changed.clone());
    tree.put(row("m", "new", Some("m"), 9));
    let unread = |tree: &Tree| {
        let rows = tree.all().filter(|row| tree.is_unread(row));
        rows.map(|row| row.dialog.this.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(unread(&tree), ["a", "new"]);
    tree.look_at(&id("m", "a"));
    tree.set(vec![row("m", "m", None, 1), changed, row("m", "new", Some("m"), 9)]);
    assert_eq!(unread(&tree), ["new"]);
}

#[test]
fn a_mark_goes_with_its_dialog() {
    let mut tree = family();
    tree.toggle_mark(&RootId::new("m"));
    tree.toggle_mark(&RootId::new("n"));
    tree.remove(&id("n", "n"));
    assert_eq!(tree.marked().iter().map(RootId::as_str).collect::<Vec<_>>(), ["m"]);
    tree.set(vec![row("n", "n", None, 0)]);
    assert!(tree.marked().is_empty());
}

/// Changes that happen without the user.
#[derive(Debug, Clone)]
enum Happening {
    Changes(usize, Group),
    Begins(u32),
    ListedAgain,
}

fn happening() -> impl Strategy<Value = Happening> {
    prop_oneof![
        (0_usize..5, 0_usize..4).prop_map(|(at, group)| Happening::Changes(at, Group::ALL[group])),
        (10_u32..50).prop_map(Happening::Begins),
        Just(Happening::ListedAgain),
    ]
}

fn happen(tree: &mut Tree, happening: &Happening) {
    match happening {
        Happening::Changes(at, group) => {
            let row = tree.all().nth(*at).cloned();
            if let Some(row) = row {
                tree.put(match group {
                    Group::Waiting => waits(row),
                    Group::Running => TreeRow { state: DisplayState::Proceeding, ..row },
                    Group::NeedsMe => asking(row),
                    Group::Idle => TreeRow { state: DisplayState::Idle, ..row },
                });
            }
        }
        Happening::Begins(made) => {
            tree.put(row("m", &format!("new{made}"), Some("a"), *made));
        }
        Happening::ListedAgain => tree.set(tree.all().cloned().collect()),
    }
}

proptest! {
    #[test]
    fn the_row_under_the_cursor_never_moves_by_itself(
        grouped in any::<bool>(),
        filter in prop_oneof![Just(""), Just("t.tsk"), Just("@c"), Just("@new")],
        steps in 0_isize..8,
        height in 1_usize..12,
        happenings in proptest::collection::vec(happening(), 1..20),
    ) {
        let mut tree = family();
        if grouped {
            tree.toggle_groups();
        }
        tree.set_filter(Filter::new(filter));
        tree.step(steps);
        let place = |tree: &mut Tree| {
            let top = tree.top(height);
            (tree.selected().cloned(), tree.blank_above() + tree.selected_at() - top)
        };
        let before = place(&mut tree);
        for happening in &happenings {
            happen(&mut tree, happening);
            if before.0.is_some() {
                prop_assert_eq!(place(&mut tree), before.clone(), "{:?}", happening);
            }
        }
    }
}
