//! Attacks on assistants as files: two people at once, kills, other accounts' ids, names and files that are not what they seem.

use std::fs;

use frontdesk_e2e::{Scratch, at_once, on_every_engine};
use serde_json::{Value, json};

use crate::agent_scene::new_assistant;
use crate::assistant_files::Scene;
use crate::people::add;
use crate::shapes::text;

on_every_engine! {
    of_two_pushes_at_once_one_is_refused,
    a_push_or_a_pull_that_was_killed_is_made_again,
    ids_of_another_account_are_refused,
    nothing_outside_the_directory_is_read_or_written,
    commands_say_what_is_wrong,
}

fn revision(definition: &Value) -> String {
    text(&definition["revision"]).to_owned()
}

fn of_two_pushes_at_once_one_is_refused(scene: Scene) {
    let path = format!("/assistants/{}/definition", scene.assistant);
    for round in 0..3 {
        let before = scene.definition();
        let pushes = at_once(4, |number| {
            let body = json!({
                "expected_revision": before["revision"],
                "definition": {
                    "assistant": { "name": "Robin", "system_prompt": format!("Push {number} of {round}.") },
                    "instructions": [{ "title": "Whose", "body": format!("Push {number} of {round}.") }],
                    "triggers": [{ "name": format!("Push {number}"), "kind": "webhook", "goal": "Look." }],
                },
            });
            scene.client.put(&path, body)
        });
        let (done, refused): (Vec<_>, Vec<_>) = pushes.into_iter().partition(|push| push.status == 200);
        assert_eq!((done.len(), refused.len()), (1, 3));
        for push in &refused {
            assert_eq!(push.clone().expect(409).error("conflict")["reason"], "changed_meanwhile");
        }
        let after = scene.definition();
        assert_eq!(done[0].data()["definition"], after);
        // It is one person's as a whole.
        assert_eq!(after["instructions"][0]["body"], after["assistant"]["system_prompt"]);
        assert_eq!(after["triggers"].as_array().map(Vec::len), Some(1));
        assert_ne!(revision(&after), revision(&before));
    }
    // Two people with the same files.
    let (ann, ben) = (scene.pulled(), scene.pulled());
    ann.write("prompt.md", "Ann's.\n");
    ben.write("prompt.md", "Ben's.\n");
    let pushes = at_once(2, |number| [&ann, &ben][number].run(&scene.app, "push", &["--yes"]));
    let done = pushes.iter().filter(|push| push.code == Some(0)).count();
    assert_eq!(done, 1, "{pushes:?}");
    // The same files, as by a command that was killed and its repetition: whoever comes second finds it done.
    for round in 0..3 {
        let both = [scene.pulled(), scene.pulled()];
        for files in &both {
            files.write("prompt.md", &format!("Both, {round}.\n"));
        }
        let pushes = at_once(2, |number| both[number].run(&scene.app, "push", &["--yes"]));
        assert!(pushes.iter().all(|push| push.code == Some(0)), "{pushes:?}");
        assert_eq!(both[0].read("frontdesk.lock"), both[1].read("frontdesk.lock"));
    }
}

fn a_push_or_a_pull_that_was_killed_is_made_again(scene: Scene) {
    let app = &scene.app;
    let files = scene.pulled();
    let before = files.all();
    files.write("prompt.md", "Pushed.\n");
    files.write("triggers/new.toml", "name = 'New'\nkind = 'webhook'\ngoal = 'Look.'\n");
    let pushed = files.done(app, "push", &["--yes"]);
    let lock = files.read("frontdesk.lock");
    // Killed after the server had done it, before the lock was written.
    let old_lock = before.iter().find(|(path, _)| path == "frontdesk.lock").expect("a lock");
    files.restore(std::slice::from_ref(old_lock));
    let again = files.done(app, "push", &["--yes"]);
    assert_eq!((&again["changes"], &again["revision"]), (&json!([]), &pushed["revision"]));
    assert_eq!(files.read("frontdesk.lock"), lock);
    // Killed in the middle of a pull: some files are new, others and the lock are old.
    let after = files.all();
    let mixed: Vec<_> = before.iter().filter(|(path, _)| path != "prompt.md").cloned().collect();
    files.restore(&mixed);
    files.done(app, "pull", &[]);
    assert_eq!(files.all(), after);
    // Killed for real, at whatever moment.
    let dir = files.dir().display().to_string();
    for (round, millis) in [0_u64, 5, 10, 20, 40, 80].into_iter().enumerate() {
        files.write("prompt.md", &format!("Round {round}.\n"));
        files.write(
            &format!("triggers/round-{round}.toml"),
            "name = 'Round'\nkind = 'webhook'\ngoal = 'Look.'\n",
        );
        let mut push = std::process::Command::new(frontdesk_e2e::server_binary());
        push.args(["assistant", "push", &dir, "--yes", "--url", &files.base, "--key", &files.key.secret]);
        let mut push = push.stdout(std::process::Stdio::null()).spawn().expect("it runs");
        std::thread::sleep(std::time::Duration::from_millis(millis));
        push.kill().expect("killed");
        push.wait().expect("it ends");
        files.done(app, "push", &["--yes"]);
        let now = scene.definition();
        assert_eq!(now["assistant"]["system_prompt"], format!("Round {round}."));
        assert_eq!(now["triggers"].as_array().map(Vec::len), Some(4 + round), "none is there twice");
        assert_eq!(files.done(app, "diff", &[])["changes"], json!([]));
    }
}

fn ids_of_another_account_are_refused(scene: Scene) {
    let app = &scene.app;
    let theirs = app.tenant();
    let contact = add(&theirs.client, json!({ "name": "Theirs" }));
    let instruction =
        theirs.client.post("/instructions", json!({ "title": "Theirs", "body": "Secret." })).expect(201).id();
    let other = new_assistant(&theirs.client, json!({}));
    let trigger = json!({ "assistant_id": other, "name": "Theirs", "kind": "webhook", "goal": "Secret." });
    let trigger =
        text(&theirs.client.post("/triggers", trigger).expect(201).data()["trigger"]["id"]).to_owned();
    let before =
        (scene.definition(), theirs.client.get(&format!("/assistants/{other}/definition")).expect(200).json);
    let path = format!("/assistants/{}/definition", scene.assistant);
    let send = |definition: Value| scene.client.put(&path, json!({ "definition": definition }));
    let robin = json!({ "name": "Robin" });
    for (definition, at) in [
        (
            json!({ "assistant": { "name": "R", "default_handoff_user_id": theirs.account.owner } }),
            "definition.assistant.default_handoff_user_id",
        ),
        (
            json!({ "assistant": { "name": "R", "targets": [format!("pwa:{contact}")] } }),
            "definition.assistant.targets.0",
        ),
        (
            json!({ "assistant": robin, "instructions": [{ "id": instruction, "title": "Ours", "body": "Ours." }] }),
            "definition.instructions.0.id",
        ),
        (
            json!({ "assistant": robin, "triggers": [{ "id": trigger, "name": "Ours", "kind": "webhook", "goal": "Ours." }] }),
            "definition.triggers.0.id",
        ),
        (
            json!({ "assistant": robin, "triggers": [{ "name": "O", "kind": "once", "goal": "O", "run_at": "2030-01-01T00:00:00Z",
                "audience_type": "contact", "contact_id": contact }] }),
            "definition.triggers.0.contact_id",
        ),
        (
            json!({ "assistant": robin, "triggers": [{ "name": "O", "kind": "once", "goal": "O", "run_at": "2030-01-01T00:00:00Z",
                "audience_type": "segment", "segment_id": contact }] }),
            "definition.triggers.0.segment_id",
        ),
        (
            json!({ "assistant": robin, "instructions": [{ "title": "A", "body": "B" }, { "title": "A", "body": "B" }] }),
            "definition.instructions.1.body",
        ),
    ] {
        send(definition).expect(400).details_at(&[at]);
    }
    // A lock that names what is another account's.
    let files = scene.pulled();
    files.edit("frontdesk.lock", &scene.assistant, &other);
    for command in ["push", "pull", "diff"] {
        assert!(files.run(app, command, &[]).expect_failure().contains("not in this account"));
    }
    files.edit("frontdesk.lock", &other, &scene.assistant);
    let ours = text(&before.0["instructions"][0]["id"]).to_owned();
    files.edit("frontdesk.lock", &ours, &instruction);
    files.edit("instructions/refunds.md", "Within", "Not within");
    files.done(app, "push", &["--yes"]);
    files.edit("triggers/shop.toml", "kind = \"webhook\"", &format!("kind = \"once\"\nrun_at = 2030-01-01T00:00:00Z\naudience_type = \"contact\"\ncontact_id = \"{contact}\""));
    files.edit("triggers/shop.toml", "\naudience_type = \"none\"", "");
    let refused = files.run(app, "push", &["--yes"]).expect_failure();
    assert!(
        refused.contains("triggers/shop.toml: contact_id must be a contact of this account"),
        "{refused}"
    );
    let after = theirs.client.get(&format!("/assistants/{other}/definition")).expect(200).json;
    assert_eq!(after, before.1);
    let kept = theirs.client.get(&format!("/instructions/{instruction}")).expect(200);
    assert_eq!(kept.data()["body"], "Secret.");
    theirs.client.get(&path).expect(404);
    theirs.client.put(&path, json!({ "definition": { "assistant": robin } })).expect(404);
}

fn nothing_outside_the_directory_is_read_or_written(scene: Scene) {
    use std::os::unix::fs::symlink;
    let app = &scene.app;
    let outside = Scratch::new();
    let secret = outside.path().join("secret.md");
    fs::write(&secret, "# Secret\n\nOf another program.\n").expect("written");
    let files = scene.pulled();
    let before = scene.definition();
    let place = |path: &str| files.dir().join(path);
    let refuse = |said: &str| {
        for command in ["push", "pull", "diff", "test"] {
            let refused = files.run(app, command, &[]).expect_failure();
            assert!(refused.contains(said), "{command}: {refused}");
        }
    };
    // Links to a file, and to a directory.
    fs::remove_file(place("prompt.md")).expect("there");
    symlink(&secret, place("prompt.md")).expect("linked");
    refuse("prompt.md must be a file, and no link");
    fs::remove_file(place("prompt.md")).expect("there");
    fs::rename(place("triggers"), place("elsewhere")).expect("moved");
    symlink(outside.path(), place("triggers")).expect("linked");
    refuse("triggers must be a directory, and no link");
    fs::remove_file(place("triggers")).expect("there");
    fs::rename(place("elsewhere"), place("triggers")).expect("moved");
    // Names that are no names, files that are too large or no text.
    files.write("instructions/Ä B.md", "# A\n\nB\n");
    refuse("is no name of a file");
    fs::remove_file(place("instructions/Ä B.md")).expect("there");
    files.write("instructions/a.txt", "A");
    refuse("must end in .md");
    fs::remove_file(place("instructions/a.txt")).expect("there");
    files.write("prompt.md", &"x".repeat(300 * 1024));
    refuse("larger than 256 KiB");
    fs::write(place("prompt.md"), [0xff, 0xfe, 0x00]).expect("written");
    refuse("not text in UTF-8");
    // A lock that names files elsewhere, so that a pull would delete them.
    files.write("prompt.md", "You are Robin.\n\n- Be \"brief\".\n");
    let lock = files.read("frontdesk.lock");
    let target = format!("../{}/secret.md", outside.path().file_name().expect("a name").to_string_lossy());
    files.write("frontdesk.lock", &lock.replace("\"prompt.md\"", &format!("\"{target}\"")));
    for command in ["push", "pull", "diff"] {
        assert!(files.run(app, command, &["--json"]).expect_failure().contains("frontdesk.lock"));
    }
    files.write("frontdesk.lock", &lock);
    // Titles of the server that look like paths.
    let odd = json!({ "definition": {
        "assistant": { "name": "../../etc" },
        "instructions": [{ "title": "../../../etc/passwd", "body": "x" }, { "title": "/root\n\u{1b}[2J", "body": "x" }],
        "triggers": [{ "name": "..\\..\\windows", "kind": "webhook", "goal": "x" }],
    } });
    scene.client.put(&format!("/assistants/{}/definition", scene.assistant), odd).expect(200);
    files.done(app, "pull", &[]);
    let paths: Vec<String> = files.all().into_iter().map(|(path, _)| path).collect();
    for path in ["instructions/etc-passwd.md", "instructions/root-2j.md", "triggers/windows.toml"] {
        assert!(paths.iter().any(|found| found == path), "{path}: {paths:?}");
    }
    assert_eq!(files.done(app, "push", &[])["changes"], json!([]));
    assert_eq!(fs::read_to_string(&secret).expect("there"), "# Secret\n\nOf another program.\n");
    assert!(!scene.definition().to_string().contains("Of another program"), "{before}");
}

fn commands_say_what_is_wrong(scene: Scene) {
    let app = &scene.app;
    let mut files = scene.pulled();
    files.edit("assistant.toml", "model =", "modle =");
    let refused = files.run(app, "push", &["--yes"]).expect_failure();
    assert!(
        refused.contains("assistant.toml: there is no field \"modle\". Did you mean \"model\"?"),
        "{refused}"
    );
    files.edit("assistant.toml", "modle =", "model =");
    let secret = files.key.secret.clone();
    let mut refuse = |key: &str, base: &str, said: &str| {
        (files.key.secret, files.base) = (key.to_owned(), base.to_owned());
        let refused = files.run(app, "diff", &[]).expect_failure();
        assert!(refused.contains(said) && !refused.contains(&secret), "{refused}");
    };
    refuse("", &app.base(), "FRONTDESK_API_KEY");
    refuse("nonsense", &app.base(), "no usable API key");
    refuse(&app.key(&scene.tenant.account, "contacts:read").secret, &app.base(), "scope");
    refuse(&secret, "http://127.0.0.1:1", "was not reached");
    refuse(&secret, "ftp://x", "--url must be an address");
    refuse(&secret, &format!("{}/docs", app.base()), "refused");
    let reader = app.key(&scene.tenant.account, "assistants:read");
    (files.key, files.base) = (reader, app.base());
    files.run(app, "diff", &[]).expect_success();
    files.write("prompt.md", "Mine.\n");
    assert!(files.run(app, "push", &["--yes"]).expect_failure().contains("scope"));
}
