//! `frontdesk broadcast`: made, listed, shown and cancelled by the operator.

use frontdesk_e2e::on_every_engine;
use serde_json::json;

use crate::broadcasts_scene::{BROADCAST, becomes, numbers, recipients};
use crate::inbox_scene::Inbox;
use crate::people::add;
use crate::shapes::{has_fields, text};

on_every_engine! {
    free_text_goes_over_a_personal_number,
    a_template_is_broadcast_listed_shown_and_cancelled_by_commands,
    problems_are_reported,
}

fn free_text_goes_over_a_personal_number(inbox: Inbox) {
    let account = inbox.tenant.account.id.as_str();
    let create = ["broadcast", "create", "--account", account, "--name", "News", "--free-text", "We moved!"];
    let refused = inbox.app.run(&[&create[..], &["--all"]].concat()).expect_failure();
    assert!(refused.contains("personal_whatsapp"), "{refused}");
    let personal = inbox.connect("personal_whatsapp");
    let numbers = numbers(3);
    let to = numbers.iter().flat_map(|phone| ["--phone", phone.as_str()]);
    let made = inbox.app.cli(&create.into_iter().chain(to).collect::<Vec<_>>());
    has_fields(&made, BROADCAST);
    assert_eq!((&made["kind"], &made["channel"]), (&json!("free_text"), &json!("personal_whatsapp")));
    assert_eq!((&made["template"], &made["counts"]["total"]), (&json!(null), &json!(3)));
    let done = becomes(&inbox.client, &made, "sent");
    assert_eq!(done["counts"]["sent"], 3);
    let sent = inbox.sent_soon(&personal, 3);
    assert!(sent.iter().all(|one| one["text"] == "We moved!"), "{sent:?}");
    let message = inbox.message(&recipients(&inbox.client, &made, "")[0]["message_id"]);
    assert_eq!((&message["type"], &message["text"]), (&json!("text"), &json!("We moved!")));
}

fn a_template_is_broadcast_listed_shown_and_cancelled_by_commands(inbox: Inbox) {
    let account = inbox.tenant.account.id.as_str();
    let ann = add(&inbox.client, json!({ "phone": "+5511987654321", "name": "Ana" }));
    let create = [
        "broadcast",
        "create",
        "--account",
        account,
        "--name",
        "Lembrete",
        "--template",
        "appointment_reminder",
        "--language",
        "pt_BR",
        "--variable",
        "1=field:name",
        "--variable",
        "2=static:5 de maio",
        "--contact",
        &ann,
        "--schedule-at",
        "2999-01-01T00:00:00Z",
    ];
    let made = inbox.app.cli(&create);
    assert_eq!((&made["status"], &made["counts"]["total"]), (&json!("scheduled"), &json!(1)));
    let id = text(&made["id"]);
    let listed = inbox.app.cli(&["broadcast", "list", "--account", account]);
    assert_eq!(listed, json!([made]));
    assert_eq!(inbox.app.cli(&["broadcast", "show", id]), made);
    let cancelled = inbox.app.cli(&["broadcast", "cancel", id]);
    assert_eq!((&cancelled["status"], &cancelled["scheduled_at"]), (&json!("draft"), &json!(null)));
    inbox.client.send("POST", &format!("/broadcasts/{id}/schedule"), None).expect(200);
    let shown = inbox.app.cli(&["broadcast", "show", id, "--watch"]);
    assert_eq!((&shown["status"], &shown["counts"]["sent"]), (&json!("sent"), &json!(1)));
    let watched = inbox.app.run(&["broadcast", "show", id, "--watch"]);
    assert!(watched.out.contains("100 %  1 of 1 sent"), "{}", watched.out);
    assert_eq!(
        inbox.sent_soon(&inbox.whatsapp, 1)[0]["text"],
        "Olá Ana, lembramos da sua consulta em 5 de maio."
    );
    let again = inbox.app.run(&["broadcast", "cancel", id]).expect_failure();
    assert!(again.contains("is sent already"), "{again}");
}

fn problems_are_reported(inbox: Inbox) {
    let account = inbox.tenant.account.id.as_str();
    let create = ["broadcast", "create", "--account", account, "--name", "x"];
    let refused = |more: &[&str]| inbox.app.run(&[&create[..], more].concat()).expect_failure();
    refused(&["--template", "hello_world"]);
    refused(&["--template", "hello_world", "--all", "--phone", "+14155550123"]);
    assert!(refused(&["--template", "nothing", "--all"]).contains("There is no template"));
    let wrong = refused(&["--template", "hello_world", "--phone", "12"]);
    assert!(wrong.contains("audience.phones.0"), "{wrong}");
    let missing = refused(&["--template", "appointment_reminder", "--language", "pt_BR", "--all"]);
    assert!(missing.contains("variables.1"), "{missing}");
    let nobody =
        inbox.app.run(&["broadcast", "show", "01890a5d-ac96-774b-bcce-b302099a8057"]).expect_failure();
    assert!(nobody.contains("there is no broadcast"), "{nobody}");
}
