//! Assistants as files: pulled, compared and pushed over the API.

use std::fs;
use std::path::Path;

use frontdesk_e2e::{App, Client, Given, Key, Outcome, Scratch, Tenant, on_every_engine};
use serde_json::{Value, json};

use crate::agent_scene::new_assistant;
use crate::shapes::text;

on_every_engine! {
    what_was_pulled_is_pushed_without_a_change,
    a_push_makes_an_assistant_what_its_files_say,
    files_are_pushed_into_another_account,
    a_change_that_somebody_made_meanwhile_is_not_overwritten,
    files_that_were_edited_are_not_overwritten,
    an_instruction_that_others_follow_is_told,
}

/// A directory for an assistant's files, and a key.
pub(crate) struct Files {
    pub(crate) base: String,
    pub(crate) key: Key,
    scratch: Scratch,
}

impl Files {
    pub(crate) fn of(app: &App, tenant: &Tenant) -> Self {
        Self { base: app.base(), key: tenant.key.clone(), scratch: Scratch::new() }
    }

    pub(crate) fn run(&self, app: &App, command: &str, more: &[&str]) -> Outcome {
        let dir = self.dir().display().to_string();
        let args = ["assistant", command, &dir, "--url", &self.base, "--key", &self.key.secret];
        app.run_bare(&[&args[..], more].concat())
    }

    #[track_caller]
    pub(crate) fn done(&self, app: &App, command: &str, more: &[&str]) -> Value {
        self.run(app, command, &[more, &["--json"]].concat()).expect_success().json()
    }

    pub(crate) fn dir(&self) -> &Path {
        self.scratch.path()
    }

    pub(crate) fn read(&self, path: &str) -> String {
        fs::read_to_string(self.dir().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.dir().join(path);
        fs::create_dir_all(path.parent().expect("a directory")).expect("made");
        fs::write(path, text).expect("written");
    }

    /// Replaces a text that a file has.
    #[track_caller]
    pub(crate) fn edit(&self, path: &str, from: &str, to: &str) {
        let before = self.read(path);
        assert!(before.contains(from), "{path} has no {from}: {before}");
        self.write(path, &before.replace(from, to));
    }

    /// Every file with its text.
    pub(crate) fn all(&self) -> Vec<(String, String)> {
        fn walk(root: &Path, at: &Path, found: &mut Vec<(String, String)>) {
            for entry in fs::read_dir(at).expect("a directory") {
                let path = entry.expect("an entry").path();
                if path.is_dir() {
                    walk(root, &path, found);
                } else {
                    let name = path.strip_prefix(root).expect("below").display().to_string();
                    found.push((name, fs::read_to_string(&path).expect("text")));
                }
            }
        }
        let mut found = Vec::new();
        walk(self.dir(), self.dir(), &mut found);
        found.sort();
        found
    }

    pub(crate) fn restore(&self, files: &[(String, String)]) {
        for (path, text) in files {
            self.write(path, text);
        }
    }
}

/// A server, an account and an assistant with everything that one may have.
pub(crate) struct Scene {
    pub(crate) app: App,
    pub(crate) tenant: Tenant,
    pub(crate) client: Client,
    pub(crate) assistant: String,
}

impl Given for Scene {
    fn given(engine: frontdesk_e2e::Engine) -> Self {
        let app = App::given(engine);
        let tenant = app.tenant();
        let client = tenant.client.clone();
        let assistant = new_assistant(
            &client,
            json!({
                "name": "Robin", "system_prompt": "You are Robin.\n\n- Be \"brief\".", "model": "gpt-5", "temperature": 0.2,
                "history_limit": null, "tool_access": { "add_tag": false }, "gated_tools": ["close_deal"],
                "schedule": { "mode": "custom_hours", "hours": { "mon": [["09:00", "17:00"]] } },
                "default_handoff_user_id": tenant.account.owner,
            }),
        );
        let made = |body: Value| client.post("/instructions", body).expect(201).id();
        let texts = [
            made(json!({ "title": "Refunds", "body": "Within 30 days.\r\nAsk for the number." })),
            made(json!({ "title": "退款", "body": "# Not a title" })),
        ];
        let path = format!("/assistants/{assistant}");
        client.put(&format!("{path}/instructions"), json!({ "instruction_ids": texts })).expect(200);
        for trigger in [
            json!({ "name": "Monday", "kind": "recurring", "goal": "Say\nhello.", "period": "weekly", "send_time": "09:00", "day_of_week": 1, "enabled": true }),
            json!({ "name": "Shop", "kind": "webhook", "goal": "Look at the order." }),
        ] {
            let mut trigger = trigger;
            trigger["assistant_id"] = json!(assistant);
            client.post("/triggers", trigger).expect(201);
        }
        Self { app, tenant, client, assistant }
    }
}

impl Scene {
    /// The assistant's files.
    #[track_caller]
    pub(crate) fn pulled(&self) -> Files {
        let files = Files::of(&self.app, &self.tenant);
        files.done(&self.app, "pull", &["--assistant", &self.assistant]);
        files
    }

    pub(crate) fn definition(&self) -> Value {
        self.client.get(&format!("/assistants/{}/definition", self.assistant)).expect(200).data().clone()
    }
}

fn what_was_pulled_is_pushed_without_a_change(scene: Scene) {
    let app = &scene.app;
    let files = scene.pulled();
    let paths: Vec<String> = files.all().into_iter().map(|(path, _)| path).collect();
    assert_eq!(
        paths,
        [
            "assistant.toml",
            "frontdesk.lock",
            "instructions/instruction.md",
            "instructions/refunds.md",
            "prompt.md",
            "triggers/monday.toml",
            "triggers/shop.toml"
        ]
    );
    assert_eq!(files.read("prompt.md"), "You are Robin.\n\n- Be \"brief\".\n");
    assert_eq!(files.read("instructions/refunds.md"), "# Refunds\n\nWithin 30 days.\nAsk for the number.\n");
    let (before, there) = (scene.definition(), files.all());
    assert_eq!(files.done(app, "diff", &["--check"])["changes"], json!([]));
    assert_eq!(files.done(app, "push", &[])["changes"], json!([]));
    assert_eq!(files.done(app, "pull", &[])["changed"], json!([]));
    assert_eq!((scene.definition(), files.all()), (before, there));
    // A file that says the same in other words keeps them.
    files.edit("assistant.toml", "temperature = 0.2", "# As agreed in May.\ntemperature=0.20");
    assert_eq!(files.done(app, "push", &[])["changes"], json!([]));
    files.done(app, "pull", &[]);
    assert!(files.read("assistant.toml").contains("# As agreed in May."));
    // Nothing of it is a secret.
    assert!(!files.all().iter().any(|(_, text)| text.contains(&files.key.secret)));
}

fn a_push_makes_an_assistant_what_its_files_say(scene: Scene) {
    let app = &scene.app;
    let files = scene.pulled();
    files.write("prompt.md", "You are Robin of Acme.\n");
    files.edit("assistant.toml", "[\n    \"refunds\",\n    \"instruction\",\n]", "[\"hours\", \"refunds\"]");
    files.edit("assistant.toml", "temperature = 0.2\n", "");
    fs::remove_file(files.dir().join("instructions/instruction.md")).expect("there");
    files.write("instructions/hours.md", "# Hours\n\nOpen on Mondays.\n");
    files.edit("triggers/monday.toml", "send_time = \"09:00\"", "send_time = \"10:30\"");
    fs::remove_file(files.dir().join("triggers/shop.toml")).expect("there");
    files.write("triggers/calls.toml", "name = 'Calls'\nkind = 'webhook'\ngoal = 'Look.'\nenabled = true\n");
    let (refused, before) = (files.run(app, "push", &[]), scene.definition());
    assert!(
        refused.out.contains("- You are Robin.") && refused.out.contains("+ You are Robin of Acme."),
        "{refused:?}"
    );
    assert!(refused.expect_failure().contains("--yes"));
    assert_eq!(scene.definition(), before, "nothing was pushed without an answer");
    let shown = files.run(app, "diff", &["--check"]);
    assert_eq!(shown.code, Some(1), "{shown:?}");
    for line in ["added triggers/calls.toml", "removed triggers/shop.toml", "    + send_time = \"10:30\""] {
        assert!(shown.out.contains(line), "{line}: {}", shown.out);
    }
    let pushed = files.done(app, "push", &["--yes"]);
    let address = text(&pushed["webhook_urls"][0][1]);
    assert_eq!(pushed["webhook_urls"][0][0], "calls");
    let (_, path) = address.split_once("/api/").expect("an address");
    scene.client.vendors().post(&format!("/api/{path}"), json!({})).expect(202);
    let after = scene.definition();
    let (assistant, triggers) = (&after["assistant"], after["triggers"].as_array().expect("a list"));
    assert_eq!(
        (
            &assistant["system_prompt"],
            &assistant["temperature"],
            &assistant["model"],
            &assistant["history_limit"]
        ),
        (&json!("You are Robin of Acme."), &Value::Null, &json!("gpt-5"), &Value::Null)
    );
    let titles: Vec<&str> =
        after["instructions"].as_array().expect("a list").iter().map(|one| text(&one["title"])).collect();
    assert_eq!(titles, ["Hours", "Refunds"]);
    let names: Vec<(&str, &Value)> =
        triggers.iter().map(|one| (text(&one["name"]), &one["send_time"])).collect();
    assert_eq!(names, [("Monday", &json!("10:30")), ("Calls", &Value::Null)]);
    assert_eq!(triggers[0]["id"], before["triggers"][0]["id"], "it was changed, not made anew");
    assert_eq!(after["instructions"][1]["id"], before["instructions"][0]["id"]);
    // What is not followed any more is still in the library.
    let library = scene.client.get("/instructions?limit=100").expect(200);
    assert_eq!(library.data().as_array().map(Vec::len), Some(3));
    assert_eq!(files.done(app, "push", &["--yes"])["changes"], json!([]));
    assert_eq!(scene.definition(), after);
}

fn files_are_pushed_into_another_account(scene: Scene) {
    let app = &scene.app;
    let mut files = scene.pulled();
    files.edit(
        "assistant.toml",
        &format!("default_handoff_user_id = \"{}\"\n", scene.tenant.account.owner),
        "",
    );
    files.done(app, "push", &["--yes"]);
    let production = app.tenant();
    let staging = std::mem::replace(&mut files.key, production.key.clone());
    assert!(files.run(app, "pull", &[]).expect_failure().contains("--assistant"));
    let pushed = files.done(app, "push", &["--yes"]);
    let id = text(&pushed["assistant_id"]);
    assert_ne!(id, scene.assistant);
    let theirs = production.client.get(&format!("/assistants/{id}/definition")).expect(200).data().clone();
    assert_eq!(theirs["instructions"][1]["title"], "退款");
    assert_eq!(theirs["triggers"].as_array().map(Vec::len), Some(2));
    assert_eq!(files.done(app, "push", &[])["changes"], json!([]));
    // The directory still is the other account's assistant too.
    files.key = staging;
    assert_eq!(files.done(app, "push", &[])["assistant_id"], json!(scene.assistant));
    // Without the lock, the same assistant is found again, and another one of its name is not taken for it.
    files.key = production.key.clone();
    fs::remove_file(files.dir().join("frontdesk.lock")).expect("there");
    assert_eq!(files.done(app, "push", &["--yes"])["assistant_id"], json!(id));
    assert_eq!(production.client.get("/assistants").expect(200).data().as_array().map(Vec::len), Some(1));
    fs::remove_file(files.dir().join("frontdesk.lock")).expect("there");
    files.write("prompt.md", "Another.\n");
    assert!(files.run(app, "push", &["--yes"]).expect_failure().contains(&format!("--assistant {id}")));
    assert_eq!(files.done(app, "push", &["--yes", "--assistant", "robin"])["assistant_id"], json!(id));
    assert_eq!(
        production.client.get(&format!("/assistants/{id}")).expect(200).data()["system_prompt"],
        "Another."
    );
}

fn a_change_that_somebody_made_meanwhile_is_not_overwritten(scene: Scene) {
    let app = &scene.app;
    let files = scene.pulled();
    files.edit("assistant.toml", "model = \"gpt-5\"", "model = \"gpt-5-mini\"");
    let trigger = text(&scene.definition()["triggers"][0]["id"]).to_owned();
    let instruction = text(&scene.definition()["instructions"][0]["id"]).to_owned();
    let changes: [(String, Value); 3] = [
        (format!("/assistants/{}", scene.assistant), json!({ "system_prompt": "Changed in the dashboard." })),
        (format!("/instructions/{instruction}"), json!({ "body": "Changed in the dashboard." })),
        (format!("/triggers/{trigger}"), json!({ "goal": "Changed in the dashboard." })),
    ];
    for (path, change) in changes {
        scene.client.patch(&path, change).expect(200);
        let before = scene.definition();
        let refused = files.run(app, "push", &["--yes"]);
        assert!(
            refused.out.contains("- ") && refused.out.contains("Changed in the dashboard."),
            "{refused:?}"
        );
        assert!(refused.expect_failure().contains("changed on the server"));
        assert_eq!(scene.definition(), before);
        // What only happened to it is no change.
        files.done(app, "push", &["--yes", "--overwrite"]);
        assert!(!scene.definition().to_string().contains("Changed in the dashboard."));
        files.edit("assistant.toml", "temperature = 0.", "temperature = 0.1");
    }
}

fn files_that_were_edited_are_not_overwritten(scene: Scene) {
    let app = &scene.app;
    let files = scene.pulled();
    files.write("prompt.md", "Mine.\n");
    files.write("triggers/new.toml", "name = 'New'\nkind = 'webhook'\ngoal = 'Look.'\n");
    let there = files.all();
    let refused = files.run(app, "pull", &[]).expect_failure();
    assert!(refused.contains("prompt.md") && refused.contains("triggers/new.toml"), "{refused}");
    assert_eq!(files.all(), there);
    // Changes of the server come into files that were left alone.
    files.write("prompt.md", "You are Robin.\n\n- Be \"brief\".\n");
    fs::remove_file(files.dir().join("triggers/new.toml")).expect("there");
    let id = text(&scene.definition()["triggers"][0]["id"]).to_owned();
    scene.client.delete(&format!("/triggers/{id}")).expect(200);
    scene.client.patch(&format!("/assistants/{}", scene.assistant), json!({ "model": null })).expect(200);
    files.done(app, "pull", &[]);
    assert!(!files.read("assistant.toml").contains("model ="));
    assert!(!files.dir().join("triggers/monday.toml").exists());
    files.write("prompt.md", "Mine.\n");
    files.done(app, "pull", &["--overwrite"]);
    assert!(files.read("prompt.md").starts_with("You are Robin."));
}

fn an_instruction_that_others_follow_is_told(scene: Scene) {
    let app = &scene.app;
    let refunds = scene.definition()["instructions"][0]["id"].clone();
    let other = new_assistant(&scene.client, json!({ "name": "Kim" }));
    scene
        .client
        .put(&format!("/assistants/{other}/instructions"), json!({ "instruction_ids": [refunds] }))
        .expect(200);
    let files = scene.pulled();
    files.edit("instructions/refunds.md", "30 days", "14 days");
    let pushed = files.run(app, "push", &["--yes"]).expect_success();
    assert!(pushed.err.contains("Other assistants follow instructions/refunds.md too"), "{pushed:?}");
    let theirs = scene.client.get(&format!("/assistants/{other}/instructions")).expect(200);
    assert!(text(&theirs.data()[0]["body"]).contains("14 days"));
    // A text that is in the library already is used, and not made again.
    let kim = Files::of(app, &scene.tenant);
    kim.write("assistant.toml", "name = 'Lee'\ninstructions = ['a']\n");
    kim.write("instructions/a.md", &files.read("instructions/refunds.md"));
    let made = kim.done(app, "push", &["--yes"]);
    let lee =
        scene.client.get(&format!("/assistants/{}/instructions", text(&made["assistant_id"]))).expect(200);
    assert_eq!(lee.data()[0]["id"], refunds);
}
