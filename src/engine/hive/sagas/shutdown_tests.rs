//! Teams that are shut down, with an interruption after each step.

use std::fs;
use std::sync::Arc;

use super::tests::{Bench, CLOCK, TEAM, save, shutdown, spawn};
use super::*;
use crate::domain::teams::memory::{Author, MemoryQuery, MemoryType, NewMemory};
use crate::domain::teams::org_change::TeamStatus;
use crate::domain::teams::task::{AttemptId, TaskStatus};
use crate::domain::{AgentId, Clock, RootId};
use crate::hive::test_support::Database;
use crate::hive::views::TeamSlots;
use crate::hive::{VaultChange, VaultRow};

impl Bench {
    /// Starts the first task of each team, so that it has a dialog.
    async fn start_all(&mut self) -> Vec<AttemptId> {
        let org = Arc::clone(self.minds().hive().org());
        let slots = |team: &OrgTeam| TeamSlots {
            team: team.name.clone(),
            limits: team.limits,
            used_up: crate::domain::teams::notices::NewNotice::of_team(
                (AgentId::new("lead"), team.name.clone()),
                "day",
                String::new(),
            ),
        };
        let teams: Vec<TeamSlots> = org.teams().map(slots).collect();
        let roots = ["aa/bb/01", "aa/bb/02", "aa/bb/03"].map(RootId::new).to_vec();
        let day = CLOCK.day_began();
        let claimed = self.store.claim(&teams, roots, (day, &CLOCK)).await.unwrap();
        claimed.iter().map(crate::domain::teams::task::ActiveTask::attempt).collect()
    }
}

#[tokio::test]
async fn s6_1_a_team_that_is_shut_down_leaves_its_files_in_a_backup_and_its_name_free() {
    for database in Database::all() {
        let mut bench = Bench::on(database).await;
        let before = bench.files();
        bench.change(&spawn("qa", "main")).await.unwrap();
        let entry = VaultRow::plain(TeamName::new("qa"), "k".into(), "v".into(), "@qa");
        let by = VaultChange::ByMember;
        bench.store.vault_put(&[entry], by, CLOCK.moment()).await.unwrap().unwrap();
        let [attempt] = bench.start_all().await.try_into().unwrap();
        let closing = bench.change(&shutdown("qa", "main", false)).await.unwrap();
        assert_eq!(closing, Changed::Closing(vec![TeamName::new("qa")]));
        let view = bench.view().await;
        assert_eq!(view.status_of(&TeamName::new("qa")), TeamStatus::ShuttingDown);
        assert_eq!(view.active.len(), 0);
        let [ended] = view.ended.to_vec().try_into().unwrap();
        assert_eq!((ended.status, ended.of_closing_team), (TaskStatus::Cancelled, true));

        // Its dialogs are not archived yet.
        assert_eq!(bench.settle().await, [""; 0]);
        assert!(bench.path().join(".minds/hive/teams/qa.yaml").exists());
        let again = bench.change(&shutdown("qa", "main", false)).await.unwrap_err();
        assert_eq!(again, "Team 'qa' is shutting down");
        let other = bench.change(&spawn("docs", "main")).await.unwrap_err();
        assert_eq!(other, "another organisation change of team 'main' is running");
        bench.store.put_away(&attempt, 0).await.unwrap();
        assert_eq!(bench.settle().await, [""; 0]);
        assert!(bench.path().join(".minds/hive/teams/qa.yaml").exists(), "who asked is not told");
        bench.store.delivered(&attempt).await.unwrap();
        assert_eq!(bench.settle().await, [""; 0]);

        let mut after = bench.files();
        let kept: Vec<String> =
            after.keys().filter(|name| name.contains("backups")).cloned().collect();
        for file in ["qa.yaml", "qa-persona.md", "qa.tsk/goals.md"] {
            let file = format!(".hive/backups/teams/qa-20261127120000/{file}");
            assert!(kept.contains(&file), "{file}: {kept:?}");
        }
        after.retain(|name, _| !name.contains("backups"));
        after.remove(".hive/backups/");
        assert_eq!(after, before);
        let view = bench.view().await;
        assert!(view.teams.is_empty() && view.changes.is_empty() && view.listed.is_empty());
        assert!(bench.store.vault_rows(None).await.unwrap().is_empty(), "its vault is gone");
        bench.change(&spawn("qa", "main")).await.unwrap();
    }
}

#[tokio::test]
async fn s6_1_teams_below_are_shut_down_first_and_only_if_that_is_said() {
    for database in Database::all() {
        let mut bench = Bench::on(database).await;
        bench.change(&spawn("qa", "main")).await.unwrap();
        bench.change(&spawn("lab", "qa")).await.unwrap();
        bench.change(&spawn("den", "lab")).await.unwrap();
        let before = (bench.files(), bench.view().await);
        let refused = bench.change(&shutdown("qa", "main", false)).await.unwrap_err();
        assert_eq!(refused, "Team 'qa' has children: lab; use cascade");
        assert_eq!((bench.files(), bench.view().await), before);
        let closing = bench.change(&shutdown("qa", "main", true)).await.unwrap();
        assert_eq!(closing, Changed::Closing(["den", "lab", "qa"].map(TeamName::new).to_vec()));
        // Nothing was started: there is nobody to be told but the dialogs that asked.
        for team in ["qa", "lab", "den"] {
            assert_eq!(
                bench.view().await.status_of(&TeamName::new(team)),
                TeamStatus::ShuttingDown
            );
        }
        for delivery in bench.view().await.deliveries.iter() {
            bench.store.delivered(&delivery.of).await.unwrap();
        }
        assert_eq!(bench.settle().await, [""; 0]);
        assert_eq!(bench.minds().hive().org().count_without_root(), 0);
        assert_eq!(bench.minds().team().visible().count(), 1);
    }
}

#[tokio::test]
async fn s6_1_a_child_that_cannot_be_shut_down_keeps_those_above_it_whole() {
    for database in Database::all() {
        let mut bench = Bench::on(database).await;
        bench.change(&spawn("qa", "main")).await.unwrap();
        bench.change(&spawn("lab", "qa")).await.unwrap();
        bench.change(&shutdown("lab", "qa", false)).await.unwrap();
        let before = bench.view().await;
        let refused = bench.change(&shutdown("qa", "main", true)).await.unwrap_err();
        assert_eq!(refused, "cascade failed on child 'lab': Team 'lab' is shutting down");
        assert_eq!(bench.view().await, before);
    }
}

#[tokio::test]
async fn r1_a_team_whose_end_was_interrupted_after_any_step_is_finished() {
    for database in Database::all() {
        let closing = |bench: &Bench| {
            let change = shutdown("qa", "main", false);
            let Ok(Planned::Shutdown { closing, .. }) =
                planned(bench.path(), &change, &CLOCK.now())
            else {
                unreachable!();
            };
            closing
        };
        for done in 0..=6 {
            let mut bench = Bench::on(database).await;
            bench.change(&spawn("qa", "main")).await.unwrap();
            bench.change(&save("qa", None, "triage")).await.unwrap();
            let trigger = bench.path().join(".minds/hive/triggers/qa/watch.yaml");
            fs::create_dir_all(trigger.parent().unwrap()).unwrap();
            fs::write(trigger, "type: keyword\nconfig: { pattern: x }\ntask: t\n").unwrap();
            let steps = closing(&bench).steps();
            assert_eq!(steps.len(), 6);
            bench.change(&shutdown("qa", "main", false)).await.unwrap();
            for delivery in bench.view().await.deliveries.iter() {
                bench.store.delivered(&delivery.of).await.unwrap();
            }
            steps.iter().take(done).for_each(|step| step.take(bench.path()).unwrap());
            assert_eq!(bench.settle().await, [""; 0], "after {done} steps");
            let after = bench.files();
            assert_eq!(after.get(TEAM_FILE).map(String::as_str), Some(TEAM), "after {done} steps");
            for kept in ["qa.yaml", "triggers/watch.yaml", "qa-skills/triage.md"] {
                assert!(
                    after.contains_key(&format!(".hive/backups/teams/qa-20261127120000/{kept}"))
                );
            }
            assert!(bench.view().await.teams.is_empty());
            assert_eq!(bench.settle().await, [""; 0]);
            assert_eq!(bench.files(), after);
        }
    }
}

#[tokio::test]
async fn a_team_that_is_made_and_shut_down_again_at_once_has_a_backup_of_its_own() {
    for database in Database::all() {
        let mut bench = Bench::on(database).await;
        for _ in 0..3 {
            bench.change(&spawn("qa", "main")).await.unwrap();
            bench.change(&shutdown("qa", "main", false)).await.unwrap();
            for delivery in bench.view().await.deliveries.iter() {
                bench.store.delivered(&delivery.of).await.unwrap();
            }
            assert_eq!(bench.settle().await, [""; 0]);
        }
        let backups = fs::read_dir(bench.path().join(".hive/backups/teams")).unwrap();
        assert_eq!(backups.count(), 3);
    }
}

#[tokio::test]
async fn s12_9_what_a_team_remembered_is_exported_and_its_rows_are_gone_when_it_is_shut_down() {
    for database in Database::all() {
        let mut bench = Bench::on(database).await;
        bench.change(&spawn("qa", "main")).await.unwrap();
        for (team, key) in [("qa", "redis"), ("main", "kept")] {
            let new = NewMemory {
                team: TeamName::new(team),
                key: key.to_owned(),
                content: "Close the connection.".to_owned(),
                kind: MemoryType::Lesson,
                reason: None,
                by: Author::Human,
                lang: Lang::En,
            };
            bench.store.save_memory(&new, CLOCK.moment()).await.unwrap().unwrap();
        }
        bench.change(&shutdown("qa", "main", false)).await.unwrap();
        for delivery in bench.view().await.deliveries.iter() {
            bench.store.delivered(&delivery.of).await.unwrap();
        }
        assert_eq!(bench.settle().await, [""; 0]);
        let files = bench.files();
        let exported: Vec<_> = files.iter().filter(|(name, _)| name.contains("/memory/")).collect();
        let folder = ".hive/backups/teams/qa-20261127120000/memory/redis-";
        let file = exported.iter().find(|(name, _)| name.starts_with(folder)).unwrap();
        assert!(
            file.1.contains("key: \"redis\"") && file.1.ends_with("\n\nClose the connection.\n")
        );
        assert_eq!(exported.iter().filter(|(name, _)| name.contains(".md")).count(), 1);
        assert_eq!(bench.store.memory_teams().await.unwrap(), [TeamName::main()]);
        assert!(!bench.store.memory_index_differs().await.unwrap());
        let text = "connection".to_owned();
        let query = MemoryQuery { team: TeamName::main(), text, kind: None, most: 5 };
        assert_eq!(bench.store.search_memories(&query, &CLOCK).await.unwrap().len(), 1);
    }
}

#[tokio::test]
async fn nobody_goes_with_a_team_who_is_not_in_it_whatever_its_file_says() {
    for database in Database::all() {
        let mut bench = Bench::on(database).await;
        bench.write(TEAM_FILE, "default_responder: lead\nmembers:\n  lead: {}\n  qa: {}\n");
        let file = "lead: qa\nspawned: { members: [lead, ../../x, qa] }\n";
        bench.write(".minds/hive/teams/qa.yaml", file);
        bench.write(".minds/team/lead/persona.md", "mine");
        bench.change(&shutdown("qa", "main", false)).await.unwrap();
        assert_eq!(bench.settle().await, [""; 0]);
        assert!(bench.minds().member(&AgentId::new("lead")).is_some());
        assert!(bench.minds().member(&AgentId::new("qa")).is_none());
        assert!(bench.path().join(".minds/team/lead/persona.md").exists());
    }
}
