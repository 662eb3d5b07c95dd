//! Runs that answer customers.

use frontdesk_e2e::{Engine, ModelProvider, on_every_engine};
use serde_json::{Value, json};

use crate::agent_scene::{Desk, QUIET, calls, says};
use crate::inbox_scene::{ANN, id, reply};
use crate::runs_providers::desk_with;

on_every_engine! {
    an_assistant_answers_on_its_targets,
    messages_in_quick_succession_make_one_run,
    a_message_that_arrives_before_the_reply_replaces_the_run,
    a_person_who_writes_during_a_model_call_cancels_the_run,
    a_person_who_takes_over_cancels_the_run,
    a_hand_off_sends_one_message_and_nothing_after_it,
    a_run_that_fails_leaves_the_customer_to_a_person,
    an_assistant_outside_its_hours_is_silent,
    an_old_message_starts_no_run,
    handing_over_to_an_assistant_answers_what_is_unanswered,
    history_begins_where_the_conversation_was_opened,
    an_assistant_that_replies_too_often_hands_off,
    a_long_reply_is_sent_in_pieces,
}

fn an_assistant_answers_on_its_targets(desk: Desk) {
    desk.script(json!([says("It is.")]));
    let conversation = desk.hears(ANN, "Is it still available?");
    assert_eq!(
        (&conversation["handler"], &conversation["assistant_id"]),
        (&json!("assistant"), &json!(desk.assistant))
    );
    let run = desk.becomes(&desk.runs_of(&conversation)[0], "succeeded");
    assert_eq!((&run["result"], &run["contact_id"]), (&json!("It is."), &conversation["contact_id"]));
    assert_eq!(desk.said(&conversation), ["It is."]);
    let message = desk.inbox.sent_soon(&desk.inbox.whatsapp, 1);
    assert!(message[0].to_string().contains("It is."));
    assert!(desk.kinds(&run).contains(&"message_sent".to_owned()));
    let told = desk.inbox.events("conversation.created");
    assert_eq!(told[0]["conversation"]["handler"], "assistant");
}

fn messages_in_quick_succession_make_one_run(desk: Desk) {
    desk.script(json!([says("Both, yes.")]));
    let conversation = desk.inbox.hears(ANN, "Is it available?");
    desk.inbox.hears(ANN, "And in green?");
    desk.inbox.advance(QUIET);
    desk.becomes(&desk.runs_of(&conversation)[0], "succeeded");
    assert_eq!(
        (desk.runs_of(&conversation).len(), desk.said(&conversation)),
        (1, vec!["Both, yes.".to_owned()])
    );
    let asked = desk.inbox.sandbox().get("/sandbox/model/calls").expect(200).text;
    assert!(asked.contains("Is it available?") && asked.contains("And in green?"), "{asked}");
}

fn a_message_that_arrives_before_the_reply_replaces_the_run(engine: Engine) {
    let (provider, desk) = thinking_desk(engine);
    provider.script([
        provider.tool_calls(&[("call_1", "remember", json!({ "content": "Likes green." }))]),
        provider.text("Green it is.").held(),
        provider.text("Red it is."),
    ]);
    let conversation = desk.inbox.hears(ANN, "Green, please.");
    provider.sink().wait(provider.chat_path(), 2);
    desk.inbox.hears(ANN, "No, red!");
    let first = desk.runs_of(&conversation)[0].clone();
    assert_eq!(first["status"], "cancelled", "{first}");
    assert!(desk.kinds(&first).contains(&"memory_written".to_owned()));
    desk.inbox.advance(QUIET);
    desk.becomes(&desk.runs_of(&conversation)[1], "succeeded");
    provider.sink().release();
    desk.inbox.settle();
    assert_eq!(desk.said(&conversation), ["Red it is."]);
    // The second run knows what the first has done.
    let asked = provider.requests().last().expect("a request").to_string();
    assert!(asked.contains("What you have done already") && asked.contains("Likes green."), "{asked}");
}

fn a_person_who_writes_during_a_model_call_cancels_the_run(engine: Engine) {
    let (provider, desk) = thinking_desk(engine);
    let page = desk.inbox.connect("messenger");
    desk.set(json!({ "targets": ["messenger"] }));
    provider.script([provider.text("Ten percent, says the bot.").held()]);
    let conversation = desk.inbox.hears_on(&page, "7001", "May I have a discount?");
    assert_eq!(conversation["handler"], "assistant");
    provider.sink().wait(provider.chat_path(), 1);
    desk.inbox.says(&page, "7001", json!({ "text": "Twenty, says Mia.", "from_me": true }));
    let run = desk.runs_of(&conversation)[0].clone();
    assert_eq!(run["status"], "cancelled", "{run}");
    provider.sink().release();
    desk.inbox.settle();
    assert_eq!(desk.said(&conversation), ["Twenty, says Mia."]);
    assert_eq!(desk.inbox.conversation(id(&conversation))["handler"], "human");
    // What was cut short is counted, because the provider may bill it.
    let cost = desk.run(id(&run))["cost_usd"].as_f64();
    assert!(cost.is_some_and(|cost| cost > 0.0), "{cost:?}");
}

/// A desk whose model is a provider that can be held while it thinks.
fn thinking_desk(engine: Engine) -> (ModelProvider, Desk) {
    let provider = ModelProvider::openai();
    let desk = desk_with(engine, &provider, "OPENAI");
    (provider, desk)
}

fn a_person_who_takes_over_cancels_the_run(desk: Desk) {
    desk.script(json!([calls(&[("ask_human", json!({ "question": "May I?" }))]), says("Too late.")]));
    let conversation = desk.hears(ANN, "May I have a discount?");
    let run = desk.becomes(&desk.runs_of(&conversation)[0], "waiting");
    desk.client
        .post(&format!("/conversations/{}/handover", id(&conversation)), json!({ "to": "human" }))
        .expect(200);
    assert_eq!(desk.run(id(&run))["status"], "cancelled");
    assert_eq!(desk.pending(), [Value::Null; 0]);
    desk.inbox.sends(reply(id(&conversation), "Ten percent."));
    desk.hears(ANN, "Thanks!");
    assert_eq!(
        (desk.runs_of(&conversation).len(), desk.said(&conversation)),
        (1, vec!["Ten percent.".to_owned()])
    );
}

fn a_hand_off_sends_one_message_and_nothing_after_it(desk: Desk) {
    let mia = desk.inbox.member("mia@example.com");
    desk.set(json!({ "default_handoff_user_id": mia }));
    desk.script(json!([
        calls(&[("hand_off", json!({ "message": "Mia will help you." }))]),
        calls(&[("send_message", json!({ "text": "One more thing!" }))]),
        says("Goodbye."),
    ]));
    let conversation = desk.hears(ANN, "I want a person.");
    let run = desk.becomes(&desk.runs_of(&conversation)[0], "succeeded");
    let conversation = desk.inbox.conversation(id(&conversation));
    assert_eq!((&conversation["handler"], &conversation["assigned_user_id"]), (&json!("human"), &json!(mia)));
    assert_eq!(desk.said(&conversation), ["Mia will help you."]);
    assert_eq!(desk.returned(&run, "send_message")["is_error"], true);
    assert!(desk.kinds(&run).contains(&"handed_off".to_owned()));
    assert_eq!(desk.inbox.events("conversation.handed_over").len(), 1);
}

fn a_run_that_fails_leaves_the_customer_to_a_person(desk: Desk) {
    desk.script(json!([{ "error_status": 400 }]));
    let conversation = desk.hears(ANN, "Hello?");
    desk.becomes(&desk.runs_of(&conversation)[0], "failed");
    assert_eq!(desk.inbox.conversation(id(&conversation))["handler"], "human");
}

fn an_assistant_outside_its_hours_is_silent(desk: Desk) {
    desk.set(json!({ "schedule": { "mode": "custom_hours", "hours": {} } }));
    let conversation = desk.hears(ANN, "Hello?");
    assert_eq!((&conversation["handler"], desk.runs_of(&conversation).len()), (&json!("assistant"), 0));
    desk.set(json!({ "schedule": { "mode": "outside_business_hours" } }));
    let account = &desk.inbox.tenant.account.id;
    desk.hears(ANN, "Hello?");
    assert_eq!(desk.runs_of(&conversation).len(), 0, "a business without hours is always open");
    desk.inbox.app.cli(&["account", "set", account, "--business-hours", "{}"]);
    desk.hears(ANN, "Hello?");
    assert_eq!(
        desk.runs_of(&conversation).len(),
        1,
        "a business that is always closed leaves all to the assistant"
    );
}

fn an_old_message_starts_no_run(desk: Desk) {
    desk.script(json!([says("Hi!"), says("Hi again!")]));
    let conversation = desk.hears(ANN, "Hello!");
    desk.becomes(&desk.runs_of(&conversation)[0], "succeeded");
    // The next one comes eleven minutes late, after a newer one.
    let now = desk.inbox.advance(0) / 1_000;
    desk.inbox.says(&desk.inbox.whatsapp, ANN, json!({ "text": "Still there?", "timestamp": now - 660 }));
    assert_eq!(desk.inbox.conversation(id(&conversation))["last_message_text"], "Still there?");
    desk.inbox.advance(QUIET);
    assert_eq!(desk.runs_of(&conversation).len(), 1);
}

fn handing_over_to_an_assistant_answers_what_is_unanswered(desk: Desk) {
    desk.set(json!({ "targets": [] }));
    let conversation = desk.hears(ANN, "Hello?");
    assert_eq!(conversation["handler"], "human");
    let path = format!("/conversations/{}/handover", id(&conversation));
    desk.script(json!([says("Here I am."), says("Yes?")]));
    let handed =
        desk.client.post(&path, json!({ "to": "assistant", "assistant_id": desk.assistant })).expect(200);
    assert_eq!(handed.data()["handler"], "assistant");
    desk.becomes(&desk.runs_of(&conversation)[0], "succeeded");
    assert_eq!(desk.said(&conversation), ["Here I am."]);
    desk.hears(ANN, "Good.");
    desk.becomes(&desk.runs_of(&conversation)[1], "succeeded");
    // What is answered already starts nothing.
    desk.client.post(&path, json!({ "to": "human" })).expect(200);
    desk.client.post(&path, json!({ "to": "assistant", "assistant_id": desk.assistant })).expect(200);
    desk.inbox.advance(QUIET);
    assert_eq!(desk.runs_of(&conversation).len(), 2);
}

fn history_begins_where_the_conversation_was_opened(desk: Desk) {
    desk.script(json!([says("Bye."), says("Hello again.")]));
    let conversation = desk.hears(ANN, "Cancel my order of 2019.");
    desk.becomes(&desk.runs_of(&conversation)[0], "succeeded");
    desk.client
        .patch(&format!("/conversations/{}", id(&conversation)), json!({ "status": "closed" }))
        .expect(200);
    desk.inbox.sandbox().delete("/sandbox/model").expect(200);
    desk.script(json!([says("Hello again.")]));
    desk.hears(ANN, "Hello!");
    desk.becomes(&desk.runs_of(&conversation)[1], "succeeded");
    let calls = desk.inbox.sandbox().get("/sandbox/model/calls").expect(200);
    let last = calls.data().as_array().expect("a list").last().expect("a call")["request"].to_string();
    assert!(last.contains("Hello!") && !last.contains("order of 2019"), "{last}");
}

fn an_assistant_that_replies_too_often_hands_off(desk: Desk) {
    let turn = says("Hm.");
    desk.inbox.sandbox().put("/sandbox/model", json!({ "turns": [turn], "repeat": true })).expect(200);
    let conversation = desk.inbox.hears(ANN, "ping");
    for _ in 0..31 {
        desk.inbox.advance(QUIET);
        desk.inbox.hears(ANN, "ping");
    }
    desk.inbox.advance(QUIET);
    assert_eq!(desk.inbox.conversation(id(&conversation))["handler"], "human");
    assert_eq!(desk.said(&conversation).len(), 30);
}

fn a_long_reply_is_sent_in_pieces(desk: Desk) {
    let long = "All about chairs. ".repeat(400);
    desk.script(json!([says(&long)]));
    let conversation = desk.hears(ANN, "Tell me everything.");
    desk.becomes(&desk.runs_of(&conversation)[0], "succeeded");
    let said = desk.said(&conversation);
    assert_eq!(said.len(), 2);
    assert_eq!(said.join(" "), long.trim());
    assert!(said.iter().all(|piece| piece.chars().count() <= 4_096));
}
