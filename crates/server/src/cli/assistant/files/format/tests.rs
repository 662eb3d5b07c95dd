use std::collections::BTreeSet;

use frontdesk_agent::assistants::Assistant;
use frontdesk_triggers::Trigger;
use frontdesk_web::Example;
use proptest::prelude::*;

use super::*;

/// Texts as an account may have them: without blanks around them, and not blank.
fn text() -> impl Strategy<Value = String> {
    let odd = prop_oneof![
        Just("\n"),
        Just("# "),
        Just("---"),
        Just("\"\"\""),
        Just("'''"),
        Just("\\"),
        Just("\t"),
        Just("ä"),
        Just("\u{202e}"),
        Just("\u{1b}"),
        Just("= ["),
        Just("{{name}}"),
        Just("\u{feff}"),
        Just("\u{85}"),
    ];
    let piece = prop_oneof![odd.prop_map(str::to_owned), "[a-zA-Z0-9 .,:;\"'#=]{1,12}"];
    let text = proptest::collection::vec(piece, 1..12).prop_map(|pieces| format!("x{}", pieces.concat()));
    text.prop_map(|text| text.trim().to_owned())
}

fn maybe<T: std::fmt::Debug + Clone + 'static>(
    value: impl Strategy<Value = T> + 'static,
) -> impl Strategy<Value = Option<T>> {
    proptest::option::of(value)
}

prop_compose! {
    fn settings()(
        (name, prompt, color, model) in (text(), maybe(text()), maybe("#[0-9a-f]{6}"), maybe(text())),
        (temperature, limit, cost) in (maybe(0.0..2.0_f64), maybe(0_i64..1_000), maybe(0.01..900_000.0_f64)),
        flags in any::<[bool; 6]>(),
        access in proptest::collection::btree_map(prop_oneof![Just("add_tag"), Just("search_contacts")], any::<bool>(), 0..2),
        children in 0_i64..20,
        hours in any::<bool>(),
    ) -> Value {
        let schedule = if hours {
            json!({ "mode": "custom_hours", "hours": { "mon": [["09:00", "12:00"], ["13:00", "17:30"]], "sun": [["10:00", "11:00"]] } })
        } else {
            json!({ "mode": "always" })
        };
        json!({
            "name": name, "system_prompt": prompt, "color": color, "model": model, "temperature": temperature,
            "history_limit": limit, "enabled": flags[0], "transcribe_media": flags[1], "handle_voice": flags[2],
            "handle_images": flags[3], "voice_replies": flags[4], "tool_access": access,
            "gated_tools": if flags[5] { vec!["close_deal"] } else { vec![] },
            "delegation": { "enabled": flags[5], "max_children_per_run": children, "max_cost_usd": cost,
                "allowed_tools": flags[4].then(|| vec!["add_tag"]) },
            "schedule": schedule, "targets": ["whatsapp"],
        })
    }
}

prop_compose! {
    fn content()(
        assistant in settings(),
        unconfined in any::<bool>(),
        texts in proptest::collection::vec((text(), text()), 0..4),
        triggers in proptest::collection::vec((text(), text(), 0..3), 0..4),
    ) -> Content {
        let instructions: Vec<Value> =
            texts.iter().map(|(title, body)| json!({ "title": title, "body": body })).collect();
        let triggers: Vec<Value> = triggers
            .iter()
            .map(|(name, goal, kind)| match kind {
                0 => json!({ "name": name, "goal": goal, "kind": "webhook", "enabled": true }),
                1 => json!({ "name": name, "goal": goal, "kind": "once", "run_at": "2027-01-31T09:00:00.5+02:00" }),
                _ => json!({ "name": name, "goal": goal, "kind": "recurring", "period": "weekly", "send_time": "09:05", "day_of_week": 0 }),
            })
            .collect();
        let names = |of: &str, count: usize| (0..count).map(|at| format!("{of}-{at}")).collect();
        let unconfined = if unconfined { vec!["search_contacts"] } else { vec![] };
        let (texts, timers) = (instructions.len(), triggers.len());
        let body = json!({ "assistant": assistant, "unconfined_tools": unconfined, "instructions": instructions, "triggers": triggers });
        Content::of_body(&body, names("text", texts), names("trigger", timers)).expect("a definition")
    }
}

proptest! {
    #[test]
    fn what_is_written_reads_back_as_it_was(content in content()) {
        let files = write(&content).unwrap();
        prop_assert_eq!(&read(&files).unwrap(), &content);
        // Also after an editor or git has changed the ends of lines, and left blanks at the end.
        let windows = files.iter().map(|(path, text)| (path.clone(), text.replace('\n', "\r\n")));
        let back: Files = windows.map(|(path, text)| (path, text.replace("\r\n", "\n") + "\n\n")).collect();
        prop_assert_eq!(&read(&back).unwrap(), &content);
    }

    #[test]
    fn no_text_makes_the_reader_panic(text in any::<String>(), toml in "[a-z_\\[\\]='\" \n.0-9]{0,80}") {
        for text in [&text, &toml] {
            for path in ["assistant.toml", "prompt.md", "instructions/a.md", "triggers/a.toml"] {
                let mut files = Files::from([
                    (SETTINGS.to_owned(), "name = 'Robin'\ninstructions = ['a']".to_owned()),
                    ("instructions/a.md".to_owned(), "# A\n\nB".to_owned()),
                ]);
                files.insert(path.to_owned(), text.clone());
                let _whatever = read(&files);
            }
        }
    }
}

#[test]
fn every_field_of_the_api_has_its_place_in_the_files() {
    let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<BTreeSet<String>>();
    let mut settings: BTreeSet<String> = fields::SETTINGS.iter().map(|name| (*name).to_owned()).collect();
    for (ours, theirs) in [("instructions", "system_prompt"), ("unconfined_tools", "id")] {
        settings.remove(ours);
        settings.insert(theirs.to_owned());
    }
    settings.extend(["instruction_count", "created_at", "updated_at"].map(str::to_owned));
    assert_eq!(settings, keys(&frontdesk_web::example::json(&Assistant::example())));
    let mut trigger: BTreeSet<String> = fields::TRIGGER.iter().map(|name| (*name).to_owned()).collect();
    let others = ["id", "assistant_id", "last_fired_at", "last_error", "created_at", "updated_at"];
    trigger.extend(others.map(str::to_owned));
    assert_eq!(trigger, keys(&frontdesk_web::example::json(&Trigger::example())));
}

#[test]
fn mistakes_are_named_with_their_file() {
    let refused = |files: &[(&str, &str)]| {
        let base = [(SETTINGS, "name = 'Robin'")];
        let files: Files =
            base.iter().chain(files).map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
        read(&files).unwrap_err().to_string()
    };
    let one = ("instructions/a.md", "# A\n\nB");
    for (files, said) in [
        (
            vec![(SETTINGS, "name = 'Robin'\nmodle = 'x'")],
            "assistant.toml: there is no field \"modle\". Did you mean \"model\"?",
        ),
        (vec![(SETTINGS, "name = ")], "assistant.toml is no TOML"),
        (vec![(SETTINGS, "")], "assistant.toml: name is required"),
        (vec![(SETTINGS, "name = 'R'\ntemperature = nan")], "finite"),
        (vec![(SETTINGS, "name = 'R'\ntemperature = 9.5")], "assistant.toml: temperature must be"),
        (vec![(SETTINGS, "name = 'R'\nsystem_prompt = 'x'")], "no field \"system_prompt\""),
        (vec![(SETTINGS, "name = 'R'\nid = 'x'")], "no field \"id\""),
        (vec![(SETTINGS, "name = 'R'\ninstructions = ['a']")], "there is no file instructions/a.md"),
        (vec![(SETTINGS, "name = 'R'\ninstructions = ['../../etc/passwd']")], "there is no file"),
        (vec![(SETTINGS, "name = 'R'\ninstructions = ['a', 'a']"), one], "twice"),
        (vec![one], "does not name \"a\""),
        (
            vec![(SETTINGS, "name = 'R'\ninstructions = ['a']"), ("instructions/a.md", "B")],
            "first line must be the title",
        ),
        (
            vec![(SETTINGS, "name = 'R'\ninstructions = ['a']"), ("instructions/a.md", "# A")],
            "instructions/a.md: body",
        ),
        (
            vec![("triggers/a.toml", "name = 'A'\nkind = 'once'\ngoal = 'G'")],
            "triggers/a.toml: run_at is required",
        ),
        (vec![("triggers/a.toml", "asistant_id = 'A'")], "triggers/a.toml: there is no field"),
    ] {
        let message = refused(&files);
        assert!(message.contains(said), "{files:?}: {message}");
    }
}
