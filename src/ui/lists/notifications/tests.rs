//! When it rings.

use crate::app::tests::fixture::{Stage, streaming};
use crate::effect::Effect;
use crate::user_settings::{ALWAYS, Setting, SettingOptions};

/// The list over the dialog of the mock-up, of a person with quiet hours.
pub fn stage(width: u16, height: u16) -> Stage {
    let mut stage = streaming(width, height);
    let hours = Some("22:00-07:00".to_owned());
    stage.offer(SettingOptions {
        quiet_hours: hours.clone(),
        own_hours: hours,
        remind_minutes: Some(15),
        ..SettingOptions::default()
    });
    stage.keys("1 %");
    stage
}

#[test]
fn what_is_chosen_is_used_and_written_and_the_hours_of_the_person_can_be_taken_again() {
    let mut stage = stage(80, 24);
    let screen = stage.screen();
    assert!(screen.contains("✓ nothing rings at 22:00-07:00"), "{screen}");
    assert!(screen.contains("✓ a reminder after 15 minutes"), "{screen}");
    for (keys, setting, shown) in [
        ("j j <enter>", Setting::QuietHours(Some(ALWAYS.to_owned())), "✓ nothing rings"),
        ("k <enter>", Setting::QuietHours(Some("22:00-07:00".to_owned())), "✓ nothing rings at"),
        ("k <enter>", Setting::QuietHours(None), "✓ questions ring at any time"),
        ("j j j <enter>", Setting::RemindMinutes(None), "✓ no reminder"),
    ] {
        let screen = stage.keys(keys).screen();
        assert!(screen.contains(shown), "{screen}");
        let effects = stage.app.take_effects();
        assert!(effects.contains(&Effect::Set(setting.clone())), "{setting:?} {effects:?}");
    }
}
