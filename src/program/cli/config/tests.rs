//! `config.yaml`: which parts are skipped, and the messages about them.

use super::*;
use crate::samples::assert_translated;

fn from_text(
    shown: &str,
    read: Result<Option<String>, UnreadFile>,
    ability: Capabilities,
) -> UserConfig {
    from_parts((shown, true), read, ability, None)
}

#[test]
fn the_environment_says_how_many_colours_there_are() {
    for (set, expected) in [
        (&[("TERM", "xterm-256color")][..], ColorDepth::Palette),
        (&[("TERM", "xterm-256color"), ("COLORTERM", "truecolor")], ColorDepth::True),
        (&[("TERM", "xterm"), ("COLORTERM", "24bit")], ColorDepth::True),
        (&[("TERM", "xterm"), ("COLORTERM", "yes")], ColorDepth::Sixteen),
        (&[("TERM", "linux")], ColorDepth::Sixteen),
        (&[("TERM", "xterm-kitty")], ColorDepth::True),
        (&[("TERM", "alacritty")], ColorDepth::True),
        (&[("TERM", "foot-extra")], ColorDepth::True),
        (&[("TERM", "xterm-ghostty")], ColorDepth::True),
        (&[("TERM", "wezterm")], ColorDepth::True),
        (&[("TERM", "tmux-direct")], ColorDepth::True),
        (&[("TERM", "putty-256color")], ColorDepth::Palette),
        (&[("TERM", "screen.xterm-256color")], ColorDepth::Palette),
        (&[("TERM", "footage")], ColorDepth::Sixteen),
        (&[("TERM", "vt100")], ColorDepth::None),
        (&[("TERM", "vt220-w")], ColorDepth::None),
        (&[("TERM", "xterm-mono")], ColorDepth::None),
        (&[("TERM", "vte")], ColorDepth::Sixteen),
        (&[], ColorDepth::Sixteen),
        (&[("TERM", "dumb"), ("COLORTERM", "truecolor")], ColorDepth::None),
        (&[("NO_COLOR", "1"), ("COLORTERM", "truecolor")], ColorDepth::None),
    ] {
        let variable = |name: &str| {
            set.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        };
        assert_eq!(color_depth(&variable), expected, "{set:?}");
    }
}

#[test]
fn only_the_linux_console_has_letters_and_no_signs() {
    for (term, expected) in [(Some("linux"), false), (Some("xterm"), true), (None, true)] {
        let variable = |name: &str| term.filter(|_| name == "TERM").map(str::to_owned);
        assert_eq!(has_signs(&variable), expected, "{term:?}");
    }
}

#[test]
fn every_invalid_entry_is_reported_with_its_line_and_a_fix() {
    let ability = Capabilities { depth: ColorDepth::None, utf8: true };
    for (text, expected) in [
        ("theme: dark\nlanguage: zh\nkeys:\n  tree:\n    stop: [x]\n", vec![]),
        ("", vec![]),
        ("theme: [\n", vec![(true, "")]),
        ("- a\n", vec![(true, "expected a mapping of settings")]),
        ("\ntheme: pink\n", vec![(true, "pink")]),
        ("language: fr\n", vec![(true, "is not a language")]),
        ("sandbox: off\nworkspaces: { /a/b: { sandbox: workspace+net } }\n", vec![]),
        ("mcp: { sandbox: workspace }\n", vec![]),
        ("mcp: { level: workspace }\n", vec![(true, "expected sandbox")]),
        ("sandbox: none\n", vec![(true, "\"none\" is not a level")]),
        ("workspaces: { a: { sandbox: off } }\n", vec![(true, "not absolute")]),
        ("workspaces: { /a: { box: off } }\n", vec![(true, "expected sandbox")]),
        ("workspaces: [/a]\n", vec![(true, "mapping of paths")]),
        ("colour: 1\n", vec![(true, "unknown setting \"colour\"")]),
        ("keys:\n  tree:\n    dance: x\n", vec![(true, "dance")]),
        ("keys:\n  tree:\n    stop: d\n", vec![(true, "stop: d is also bound to done")]),
        ("keys:\n  attic: {}\n  tree: 1\n", vec![(true, "attic"), (true, "tree")]),
        ("limits: 5\n", vec![(true, "a mapping of limits")]),
        ("limits:\n  side_dialogs: 0\n", vec![(true, "`side_dialogs` cannot be 0")]),
        ("limits:\n  answer_minutes: 1.5\n", vec![(true, "cannot be 1.5")]),
        ("quiet_hours: 22:00-07:00\nremind_minutes: 15\n", vec![]),
        ("composer_keys: vi\n", vec![]),
        ("keys: vi\ncomposer_keys: plain\n", vec![]),
        ("composer_keys: emacs\n", vec![(true, "\"emacs\" is none of: plain, vi")]),
        ("composer_keys: [vi]\n", vec![(true, "is none of: plain, vi")]),
        ("hang_up: finish-step\n", vec![]),
        ("after_restart: ask\n", vec![]),
        ("after_restart: never\n", vec![(true, "is none of: continue, ask")]),
        ("layout: 1.29\n", vec![]),
        ("layout: '1.19'\n", vec![]),
        ("layout: 1.17\n", vec![(true, "1.17 is none of: 1.19, 1.29")]),
        ("inbox: [\"ssh://box/w\", /home/me/w]\n", vec![]),
        ("inbox: [w]\n", vec![(true, "no places")]),
        ("inbox: ssh://box/w\n", vec![(true, "no places")]),
        ("hang_up: later\n", vec![(true, "is none of: go-on, finish-step, stop")]),
        ("quiet_hours: 22-07\n", vec![(true, "\"22-07\" are no hours")]),
        ("quiet_hours: [1]\n", vec![(true, "are no hours")]),
        ("remind_minutes: 0\n", vec![(true, "`remind_minutes` cannot be 0")]),
        ("notify_command: [ntfy, publish, me]\n", vec![]),
        ("notify_command: ntfy publish\n", vec![(true, "no command")]),
        ("notify_command: [bin/ntfy]\n", vec![(true, "no command")]),
        ("notify_command: []\n", vec![(true, "no command")]),
        ("notify_command: [ntfy, 1]\n", vec![(true, "no command")]),
        ("prices: { m: { input: 3, output: 15.5, cached: 0.3 } }\n", vec![]),
        ("prices: { m: { input: 0, output: 0 }, n: { input: 1, output: 2 } }\n", vec![]),
        ("prices: 3\n", vec![(true, "mapping of models")]),
        ("prices: { m: 3 }\n", vec![(true, "\"m\" has no prices")]),
        ("prices: { m: { input: 3 } }\n", vec![(true, "needs input and output")]),
        ("prices: { m: { input: -3, output: 1 } }\n", vec![(true, "`input` cannot be -3")]),
        ("prices: { m: { input: 3, output: free } }\n", vec![(true, "cannot be \"free\"")]),
        ("prices: { m: { input: 3, output: 1, gold: 1 } }\n", vec![(true, "unknown price")]),
        ("limits:\n  depth: 5\n", vec![(true, "unknown limit \"depth\"")]),
    ] {
        let setup = from_text("~/config.yaml", Ok(Some(text.to_owned())), ability);
        let reported: Vec<(bool, String)> = setup
            .problems
            .iter()
            .map(|fault| (fault.line.is_some(), fault.text.to_string()))
            .collect();
        assert_eq!(reported.len(), expected.len(), "{text:?}: {reported:?}");
        for ((has_line, message), (line, part)) in reported.into_iter().zip(expected) {
            assert!(has_line == line && message.contains(part), "{text:?}: {message}");
        }
        for fault in setup.problems {
            assert_eq!(fault.path, "~/config.yaml");
            assert_translated(&fault.text);
            assert_translated(&fault.fix);
        }
    }
    let top = tempfile::tempdir().unwrap();
    let workspace = top.path().join("ws");
    std::fs::create_dir_all(workspace.join("home")).unwrap();
    let put = |place: &str| {
        let file = top.path().join(place);
        std::fs::write(&file, "sandbox: off").unwrap();
        file
    };
    let (inside, outside) = (put("ws/home/config.yaml"), put("config.yaml"));
    assert_eq!(read_file(&outside, &workspace).unwrap().as_deref(), Some("sandbox: off"));
    assert!(read_file(&workspace.join("none"), &workspace).unwrap().is_none());
    let link = top.path().join("link.yaml");
    std::os::unix::fs::symlink(&inside, &link).unwrap();
    let setup = from_text("c", Err(std::io::Error::other("permission denied").into()), ability);
    assert_eq!(setup.problems.len(), 1);
    for unread in [inside, link, workspace] {
        let unread = read_file(&unread, &top.path().join("ws")).unwrap_err();
        assert_translated(&unread.text);
        assert_translated(&unread.fix);
        let setup = from_text("c", Err(unread), ability);
        assert_eq!((setup.problems.len(), setup.levels), (1, SandboxLevels::STRICTEST));
    }
}

#[test]
fn settings_that_others_may_write_are_not_obeyed_and_the_levels_are_the_strictest() {
    let top = tempfile::tempdir().unwrap();
    let file = top.path().join("config.yaml");
    let workspace = top.path().join("ws");
    std::fs::create_dir(&workspace).unwrap();
    assert!(matches!(read_file(&file, &workspace), Ok(None)));
    std::fs::write(&file, "sandbox: off\n").unwrap();
    let set = |mode| {
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).unwrap();
        let ability = Capabilities { depth: ColorDepth::None, utf8: true };
        from_text("~/config.yaml", read_file(&file, &workspace), ability)
    };
    for mode in [0o600, 0o644] {
        let config = set(mode);
        assert_eq!((config.levels.default, config.problems), (Level::Off, Vec::new()), "{mode:o}");
    }
    let mut config = set(0o646);
    assert_eq!(config.levels, SandboxLevels::STRICTEST);
    let problem = config.problems.pop().unwrap();
    assert_translated(&problem.text);
    assert!(problem.text.to_string().contains("can be written by others (0646)"), "{problem}");
    assert!(problem.fix.to_string().contains("chmod go-w "), "{problem}");
    if std::os::unix::fs::chown(&file, Some(12_345), None).is_err() {
        return eprintln!("SKIPPED: only the administrator gives files away");
    }
    assert_eq!(set(0o600).levels, SandboxLevels::STRICTEST);
}

#[test]
fn the_example_of_the_document_names_every_setting_and_has_no_problem() {
    let page = include_str!("../../../../docs/configure.md");
    let example = page.split("```yaml").nth(1).and_then(|rest| rest.split("```").next());
    let ability = Capabilities { depth: ColorDepth::None, utf8: true };
    let config = from_text("c", Ok(example.map(str::to_owned)), ability);
    assert_eq!(config.problems, []);
    for setting in SETTINGS {
        let name = setting.path.last().unwrap();
        assert!(example.unwrap().contains(&format!("{name}:")), "{name}");
    }
}

#[test]
fn limits_have_defaults_if_the_file_does_not_set_them() {
    let ability = Capabilities { depth: ColorDepth::None, utf8: true };
    let limits = |text: &str| from_text("c", Ok(Some(text.to_owned())), ability).limits;
    assert_eq!(limits(""), UserLimits::default());
    assert_eq!(limits("limits: { side_dialogs: -1, answer_minutes: soon }"), UserLimits::default());
    let set = limits("limits: { side_dialogs: 7, side_dialog_depth: 3, answer_minutes: 5 }");
    assert_eq!((set.side_dialog_limits.dialogs, set.side_dialog_limits.depth), (7, 3));
    assert_eq!(set.answer, AnswerLimit(Duration::from_mins(5)));
}

#[test]
fn the_level_of_a_workspace_wins_over_the_default_and_an_invalid_one_is_ignored() {
    let ability = Capabilities { depth: ColorDepth::None, utf8: true };
    let text = "sandbox: read-only\nworkspaces:\n  /no/such/a: { sandbox: off }\n  /no/such/b: { sandbox: x }\n";
    let levels = from_text("c", Ok(Some(text.to_owned())), ability).levels;
    for (path, level) in
        [("/no/such/a", Level::Off), ("/no/such/b", Level::ReadOnly), ("/no/such", Level::ReadOnly)]
    {
        assert_eq!(levels.of(Path::new(path)), level, "{path}");
    }
    let levels = from_text("c", Ok(Some("sandbox: [\n".to_owned())), ability).levels;
    assert_eq!(levels.of(Path::new("/")), Level::Workspace);
}

#[test]
fn a_problem_has_the_line_of_its_key() {
    let ability = Capabilities { depth: ColorDepth::None, utf8: true };
    let text = "theme: dark\nkeys:\n  tree:\n    stop: [x]\n    dance: [y]\nlanguage: fr\n";
    let setup = from_text("c", Ok(Some(text.to_owned())), ability);
    let lines: Vec<Option<usize>> = setup.problems.iter().map(|fault| fault.line).collect();
    assert_eq!(lines, [Some(5), Some(6)]);
}

#[test]
fn quiet_hours_and_the_reminder_are_not_set_unless_they_are_valid() {
    let ability = Capabilities { depth: ColorDepth::None, utf8: true };
    let read = |text: &str| from_text("c", Ok(Some(text.to_owned())), ability).attention;
    let none = AttentionSettings::default();
    assert_eq!(read(""), none);
    assert_eq!(read("quiet_hours:\nremind_minutes:\n"), none);
    assert_eq!(read("quiet_hours: 7:00-7:00\nremind_minutes: often\n"), none);
    let set = read("quiet_hours: \"22:00-07:00\"\nremind_minutes: 15\n");
    assert_eq!(set.quiet, crate::ui::QuietHours::parse("22:00-07:00"));
    assert_eq!(set.remind_after, Some(Duration::from_mins(15)));
}

#[test]
fn hints_are_shown_unless_they_are_switched_off() {
    let ability = Capabilities { depth: ColorDepth::None, utf8: true };
    for (text, hints, problems) in [
        ("", HintUse::On, 0),
        ("hints: off", HintUse::Off, 0),
        ("hints: false", HintUse::Off, 0),
        ("hints: never", HintUse::On, 1),
    ] {
        let config = from_text("c", Ok(Some(text.to_owned())), ability);
        assert_eq!((config.hints, config.problems.len()), (hints, problems), "{text}");
    }
}

#[test]
fn thinking_is_folded_unless_it_is_to_be_shown() {
    use crate::ui::ThinkingView;
    let ability = Capabilities { depth: ColorDepth::None, utf8: true };
    for (text, thinking, problems) in [
        ("", ThinkingView::Folded, 0),
        ("thinking: folded", ThinkingView::Folded, 0),
        ("thinking: shown", ThinkingView::Shown, 0),
        ("thinking: aloud", ThinkingView::Folded, 1),
    ] {
        let config = from_text("c", Ok(Some(text.to_owned())), ability);
        assert_eq!((config.thinking, config.problems.len()), (thinking, problems), "{text}");
    }
}

#[test]
fn the_set_vi_is_for_the_composer_too_unless_its_keys_are_named() {
    let ability = Capabilities { depth: ColorDepth::None, utf8: true };
    for (text, keys) in [
        ("", ComposerKeys::Plain),
        ("keys: vi", ComposerKeys::Vi),
        ("keys: { preset: vi, tree: { stop: x } }", ComposerKeys::Vi),
        ("keys: vi\ncomposer_keys: plain", ComposerKeys::Plain),
        ("keys: emacs", ComposerKeys::Plain),
        ("keys: plain\ncomposer_keys: vi", ComposerKeys::Vi),
    ] {
        let config = from_text("c", Ok(Some(text.to_owned())), ability);
        assert_eq!((config.composer_keys, config.problems.len()), (keys, 0), "{text}");
    }
}

#[test]
fn settings_of_the_terminal_are_words_and_an_invalid_one_is_its_default() {
    use crate::ui::LinkUse;
    use crate::ui::terminal::MouseUse;
    let ability = Capabilities { depth: ColorDepth::None, utf8: true };
    for (text, mouse, links, problems) in [
        ("", MouseUse::Off, LinkUse::Auto, 0),
        ("mouse: on\nlinks: off\ncode_colours: off\n", MouseUse::On, LinkUse::Never, 0),
        ("mouse: true\nlinks: \"on\"\n", MouseUse::On, LinkUse::Always, 0),
        ("mouse: yes\nlinks: 7\ncode_colours: [on]\n", MouseUse::Off, LinkUse::Auto, 3),
    ] {
        let config = from_text("c", Ok(Some(text.to_owned())), ability);
        assert_eq!((config.mouse, config.links, config.problems.len()), (mouse, links, problems));
    }
}

#[test]
fn the_address_of_a_shared_store_is_hidden_with_its_password() {
    let ability = Capabilities { depth: ColorDepth::None, utf8: true };
    let text = "hive: { url: \"postgres://me:pa55-of-me@h/d\", org: a, workspaces: [/nowhere] }";
    let config = from_text("c", Ok(Some(text.to_owned())), ability);
    assert!(matches!(config.tasks, SharedStore::Server(_)), "{:?}", config.problems);
    assert!(!format!("{config:?}").contains("pa55-of-me"));
    let secrets = crate::platform::logs::vault().secrets();
    let shown = secrets.redacted("pa55-of-me and postgres://me:pa55-of-me@h/d".to_owned());
    assert!(!shown.contains("pa55-of-me"), "{shown}");
}
