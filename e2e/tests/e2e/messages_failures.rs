//! What the channel refuses: for good, for a while, or for more than the one message.

use frontdesk_e2e::on_every_engine;
use serde_json::{Value, json};

use crate::inbox_scene::{ANN, ANN_PHONE, BOB, Inbox, eventually, hello_to, id, reply};
use crate::people::walk;
use crate::shapes::{has_fields, text};

on_every_engine! {
    a_message_that_the_channel_reports_as_too_late_has_failed_with_that_reason,
    a_customer_who_cannot_be_reached_is_the_reason,
    a_permanent_refusal_is_not_retried_and_delays_nothing,
    a_customer_who_refuses_marketing_is_opted_out,
    a_template_that_the_vendor_stopped_is_paused_here,
    a_pair_rate_limit_delays_one_customer_for_six_seconds,
    a_queued_message_keeps_its_place,
    a_busy_channel_is_tried_five_times,
    a_channel_that_stays_busy_fails_the_message,
    a_pause_that_the_channel_asks_for_is_kept,
    a_token_that_is_no_longer_good_disconnects_the_channel,
    messages_queued_for_a_disconnected_channel_fail_with_the_reason,
    an_unknown_code_fails_the_message_and_no_more,
    media_that_could_not_be_fetched_is_tried_once_more,
    a_channel_that_the_vendor_stopped_is_disconnected,
    a_page_fails_for_the_same_reasons,
    a_bare_failure_of_the_vendors_server_is_tried_again,
    a_second_part_that_fails_fails_the_message,
}

fn refusing(code: i64, times: u32) -> Value {
    json!([{ "on": "send", "kind": "error", "code": code, "times": times }])
}

fn a_message_that_the_channel_reports_as_too_late_has_failed_with_that_reason(inbox: Inbox) {
    let conversation = inbox.hears(ANN, "Hi!");
    inbox.faults(json!([{ "on": "webhook", "kind": "error", "code": 131_047, "times": 1 }]));
    let message = inbox.sends(reply(id(&conversation), "Hello."));
    let error = inbox.failure(&message);
    has_fields(&error, "code reason message");
    assert_eq!((&error["code"], &error["reason"]), (&json!("131047"), &json!("outside_window")));
    assert!(text(&error["message"]).len() > 10, "{error}");
    // It was taken before it failed, and both are told.
    let steps: Vec<Value> = inbox
        .events("message.status_changed")
        .iter()
        .map(|data| data["previous"]["status"].clone())
        .collect();
    assert_eq!(steps, ["sending", "sent"]);
    // A later report does not bring it back.
    let failed = inbox.message(&message["id"]);
    inbox.report(text(&failed["channel_message_id"]), "delivered");
    assert_eq!(inbox.message(&message["id"]), failed);
}

fn a_customer_who_cannot_be_reached_is_the_reason(inbox: Inbox) {
    let conversation = inbox.hears(ANN, "Hi!");
    inbox.faults(refusing(131_026, 1));
    let message = inbox.sends(reply(id(&conversation), "Hello."));
    let error = inbox.failure(&message);
    assert_eq!((&error["code"], &error["reason"]), (&json!("131026"), &json!("recipient_unreachable")));
    assert_eq!(inbox.events("message.sent"), [Value::Null; 0]);
    let told = inbox.events("message.status_changed");
    assert_eq!((told.len(), &told[0]["previous"]), (1, &json!({ "status": "sending" })));
    has_fields(&told[0], "message previous error");
    assert_eq!(inbox.message(&message["id"])["channel_message_id"], Value::Null);
    assert_eq!(inbox.channel(&inbox.whatsapp)["status"], "connected");
}

fn a_permanent_refusal_is_not_retried_and_delays_nothing(inbox: Inbox) {
    let conversation = inbox.hears(ANN, "Hi!");
    inbox.faults(refusing(131_026, 1));
    let first = inbox.sends(reply(id(&conversation), "first"));
    let second = inbox.sends(reply(id(&conversation), "second"));
    inbox.becomes(&first, "failed");
    inbox.becomes(&second, "delivered");
    inbox.advance(3600);
    let sent = inbox.sent(&inbox.whatsapp);
    assert_eq!(sent.iter().map(|one| &one["text"]).collect::<Vec<_>>(), ["second"]);
    assert_eq!(inbox.message(&first["id"])["status"], "failed");
}

fn a_customer_who_refuses_marketing_is_opted_out(inbox: Inbox) {
    inbox.faults(json!([{ "on": "webhook", "kind": "error", "code": 131_050, "times": 1 }]));
    let message = inbox.sends(hello_to(ANN_PHONE));
    assert_eq!(inbox.failure(&message)["reason"], "opted_out");
    let contact = walk(&inbox.client, "/contacts").remove(0);
    let path = format!("/contacts/{}/opt-out", id(&contact));
    let wish = inbox.client.get(&path).expect(200);
    assert_eq!((&wish.data()["opted_out"], &wish.data()["source"]), (&json!(true), &json!("channel")));
    assert_eq!(inbox.events("contact.opted_out").len(), 1);
    // Said in the answer itself it is as good.
    inbox.client.delete(&path).expect(200);
    inbox.faults(refusing(131_050, 1));
    let again = inbox.sends(hello_to(ANN_PHONE));
    assert_eq!(inbox.failure(&again)["reason"], "opted_out");
    assert_eq!(inbox.client.get(&path).expect(200).data()["opted_out"], true);
}

fn a_template_that_the_vendor_stopped_is_paused_here(inbox: Inbox) {
    let status = || {
        let list = inbox.client.get("/templates?q=hello_world").expect(200);
        text(&list.data()[0]["status"]).to_owned()
    };
    assert_eq!(status(), "APPROVED");
    inbox.faults(refusing(132_015, 1));
    let message = inbox.sends(hello_to(ANN_PHONE));
    let error = inbox.failure(&message);
    assert_eq!((&error["code"], &error["reason"]), (&json!("132015"), &json!("template_stopped")));
    assert_eq!(status(), "PAUSED");
    let refused = inbox.send(hello_to(ANN_PHONE)).expect(422);
    assert_eq!(refused.error("unprocessable")["reason"], "template_not_approved");
    assert_eq!(walk(&inbox.client, "/templates?status=PAUSED").len(), 1);
}

fn a_pair_rate_limit_delays_one_customer_for_six_seconds(inbox: Inbox) {
    let conversation = inbox.hears(ANN, "Hi!");
    let other = inbox.hears(BOB, "Hi!");
    inbox.faults(json!([{ "on": "send", "kind": "error", "code": 131_056, "times": 1, "to": ANN }]));
    let message = inbox.sends(reply(id(&conversation), "Hello."));
    inbox.settle();
    inbox.advance(4);
    assert_eq!(inbox.message(&message["id"])["status"], "sending");
    // The others do not wait.
    let meanwhile = inbox.sends(reply(id(&other), "Hello."));
    inbox.becomes(&meanwhile, "delivered");
    assert_eq!(inbox.message(&message["id"])["status"], "sending");
    inbox.advance(2);
    inbox.becomes(&message, "delivered");
    assert_eq!(inbox.sent(&inbox.whatsapp).len(), 2);
    assert_eq!(
        inbox.events("message.status_changed").iter().filter(|data| data.get("error").is_some()).count(),
        0
    );
}

fn a_queued_message_keeps_its_place(inbox: Inbox) {
    let conversation = inbox.hears(ANN, "Hi!");
    inbox.faults(refusing(131_056, 1));
    let said: Vec<Value> =
        ["one", "two", "three"].iter().map(|words| inbox.sends(reply(id(&conversation), words))).collect();
    inbox.settle();
    assert_eq!(inbox.sent(&inbox.whatsapp), [Value::Null; 0]);
    inbox.advance(7);
    for message in &said {
        inbox.becomes(message, "delivered");
    }
    let sent = inbox.sent(&inbox.whatsapp);
    assert_eq!(sent.iter().map(|one| &one["text"]).collect::<Vec<_>>(), ["one", "two", "three"]);
}

fn a_busy_channel_is_tried_five_times(inbox: Inbox) {
    inbox.report_by_hand();
    inbox.faults(refusing(130_429, 4));
    let message = inbox.sends(hello_to(ANN_PHONE));
    inbox.settle();
    for pause in [2, 10, 30] {
        inbox.advance(pause);
        assert_eq!(inbox.message(&message["id"])["status"], "sending", "after {pause} s");
    }
    assert_eq!(inbox.sandbox().get("/sandbox/faults").expect(200).data()["faults"], json!([]));
    inbox.advance(100);
    assert_eq!(inbox.message(&message["id"])["status"], "sending");
    inbox.advance(21);
    inbox.becomes(&message, "sent");
    assert_eq!(inbox.sent(&inbox.whatsapp).len(), 1);
}

fn a_channel_that_stays_busy_fails_the_message(inbox: Inbox) {
    inbox.faults(refusing(130_429, 5));
    let message = inbox.sends(hello_to(ANN_PHONE));
    inbox.settle();
    for pause in [2, 10, 30, 120] {
        assert_eq!(inbox.message(&message["id"])["status"], "sending", "before {pause} s");
        inbox.advance(pause + 1);
    }
    let error = inbox.failure(&message);
    assert_eq!((&error["code"], &error["reason"]), (&json!("130429"), &json!("rate_limited")));
    inbox.advance(3600);
    assert_eq!(inbox.sent(&inbox.whatsapp), [Value::Null; 0]);
    assert_eq!(inbox.channel(&inbox.whatsapp)["status"], "connected");
    assert_eq!(inbox.events("message.status_changed").len(), 1);
}

fn a_pause_that_the_channel_asks_for_is_kept(inbox: Inbox) {
    inbox.report_by_hand();
    inbox.faults(json!([{ "on": "send", "kind": "error", "code": 4, "retry_after": 90, "times": 1 }]));
    let message = inbox.sends(hello_to(ANN_PHONE));
    inbox.settle();
    inbox.advance(60);
    assert_eq!(inbox.message(&message["id"])["status"], "sending");
    inbox.advance(31);
    inbox.becomes(&message, "sent");
}

fn a_token_that_is_no_longer_good_disconnects_the_channel(inbox: Inbox) {
    let second = inbox.connect("whatsapp");
    let conversation = inbox.hears(ANN, "Hi!");
    inbox.faults(json!([{ "on": "send", "kind": "error", "code": 190, "connection_id": inbox.whatsapp }]));
    let message = inbox.sends(reply(id(&conversation), "Hello."));
    let error = inbox.failure(&message);
    assert_eq!((&error["code"], &error["reason"]), (&json!("190"), &json!("token_invalid")));
    let channel = inbox.channel(&inbox.whatsapp);
    assert_eq!(channel["status"], "disconnected");
    assert!(text(&channel["disconnected_reason"]).contains("190"), "{channel}");
    inbox.send(reply(id(&conversation), "Hello?")).expect(422).error("channel_not_connected");
    let by_id = json!({ "phone": ANN_PHONE, "connection_id": inbox.whatsapp });
    let hello = json!({ "type": "template", "to": by_id, "template": { "name": "hello_world" } });
    inbox.send(hello.clone()).expect(422).error("channel_not_connected");
    // Another number of the account goes on, and takes over what names none.
    assert_eq!(inbox.channel(&second)["status"], "connected");
    inbox.sends(hello_to(ANN_PHONE));
    inbox.sent_soon(&second, 1);
    // Customers are still heard.
    inbox.hears(ANN, "Hello?");
    inbox.heal();
    inbox.app.cli(&["channel", "reconnect", &inbox.whatsapp]);
    let channel = inbox.channel(&inbox.whatsapp);
    assert_eq!((&channel["status"], &channel["disconnected_reason"]), (&json!("connected"), &Value::Null));
    inbox.sends(hello);
    inbox.sends(reply(id(&conversation), "Here we are."));
    inbox.sent_soon(&inbox.whatsapp, 2);
}

fn messages_queued_for_a_disconnected_channel_fail_with_the_reason(inbox: Inbox) {
    let (ann, bob) = (inbox.hears(ANN, "Hi!"), inbox.hears(BOB, "Hi!"));
    inbox.faults(json!([
        { "on": "send", "kind": "error", "code": 131_056, "times": 1, "to": ANN },
        { "on": "send", "kind": "error", "code": 190, "times": 1, "to": BOB },
    ]));
    let waiting: Vec<Value> =
        ["one", "two"].iter().map(|words| inbox.sends(reply(id(&ann), words))).collect();
    inbox.settle();
    let fatal = inbox.sends(reply(id(&bob), "Hello."));
    assert_eq!(inbox.failure(&fatal)["reason"], "token_invalid");
    inbox.advance(7);
    for message in &waiting {
        let error = inbox.failure(message);
        assert_eq!(error["reason"], "channel_not_connected", "{error}");
        assert!(text(&error["message"]).contains("190"), "{error}");
    }
    // Nothing of it goes out when the channel is back.
    inbox.app.cli(&["channel", "reconnect", &inbox.whatsapp]);
    inbox.advance(60);
    assert_eq!(inbox.sent(&inbox.whatsapp), [Value::Null; 0]);
}

fn an_unknown_code_fails_the_message_and_no_more(inbox: Inbox) {
    let conversation = inbox.hears(ANN, "Hi!");
    inbox.faults(refusing(139_999, 1));
    let message = inbox.sends(reply(id(&conversation), "Hello."));
    let error = inbox.failure(&message);
    assert_eq!(error["code"], "139999");
    assert!(!text(&error["reason"]).is_empty());
    let next = inbox.sends(reply(id(&conversation), "Hello."));
    inbox.becomes(&next, "delivered");
    let failed = eventually("the list", || {
        let rows =
            walk(&inbox.client, &format!("/conversations/{}/messages?status=failed", id(&conversation)));
        Some(rows).filter(|rows| rows.len() == 1)
    });
    assert_eq!(failed[0]["id"], message["id"]);
}

fn media_that_could_not_be_fetched_is_tried_once_more(inbox: Inbox) {
    inbox.report_by_hand();
    let conversation = inbox.hears(ANN, "Show me.");
    let media = json!({ "kind": "image", "url": "https://files.example/a.png" });
    let body = json!({ "type": "media", "to": { "conversation_id": id(&conversation) }, "media": media });
    inbox.faults(refusing(131_053, 1));
    let lucky = inbox.sends(body.clone());
    inbox.settle();
    inbox.advance(3);
    inbox.becomes(&lucky, "sent");
    inbox.faults(refusing(131_053, 2));
    let unlucky = inbox.sends(body);
    inbox.settle();
    inbox.advance(3);
    assert_eq!(inbox.failure(&unlucky)["reason"], "media_unavailable");
    inbox.advance(3600);
    assert_eq!(inbox.sent(&inbox.whatsapp).len(), 1);
}

fn a_channel_that_the_vendor_stopped_is_disconnected(inbox: Inbox) {
    for code in [131_031, 368, 10, 131_042] {
        inbox.faults(refusing(code, 1));
        let message = inbox.sends(hello_to(ANN_PHONE));
        assert_eq!(inbox.failure(&message)["reason"], "channel_stopped", "{code}");
        let channel = inbox.channel(&inbox.whatsapp);
        assert_eq!(channel["status"], "disconnected", "{code}");
        assert!(text(&channel["disconnected_reason"]).contains(&code.to_string()), "{channel}");
        inbox.app.cli(&["channel", "reconnect", &inbox.whatsapp]);
    }
}

fn a_page_fails_for_the_same_reasons(inbox: Inbox) {
    for channel in ["messenger", "instagram"] {
        let page = inbox.connect(channel);
        let conversation = inbox.hears_on(&page, "8642", "Hi!");
        for (code, reason) in [(551, "recipient_unreachable"), (100, "bad_request"), (190, "token_invalid")] {
            inbox.faults(refusing(code, 1));
            let message = inbox.sends(reply(id(&conversation), "Hello."));
            let error = inbox.failure(&message);
            assert_eq!(
                (&error["code"], &error["reason"]),
                (&json!(code.to_string()), &json!(reason)),
                "{channel}"
            );
        }
        assert_eq!(inbox.channel(&page)["status"], "disconnected");
        assert_eq!(inbox.sent(&page), [Value::Null; 0]);
    }
}

fn a_bare_failure_of_the_vendors_server_is_tried_again(inbox: Inbox) {
    inbox.report_by_hand();
    inbox.faults(json!([{ "on": "send", "kind": "status", "status": 503, "times": 2 }]));
    let message = inbox.sends(hello_to(ANN_PHONE));
    inbox.settle();
    assert_eq!(inbox.message(&message["id"])["status"], "sending");
    inbox.advance(3);
    inbox.advance(11);
    inbox.becomes(&message, "sent");
    assert_eq!(inbox.sent(&inbox.whatsapp).len(), 1);
}

fn a_second_part_that_fails_fails_the_message(inbox: Inbox) {
    inbox.report_by_hand();
    let page = inbox.connect("messenger");
    let conversation = inbox.hears_on(&page, "8642", "Show me.");
    let media = json!({ "kind": "image", "url": "https://files.example/a.png", "caption": "Look" });
    let body = json!({ "type": "media", "to": { "conversation_id": id(&conversation) }, "media": media });
    // The first call is held up, so that the fault can be set between the two.
    inbox.faults(json!([{ "on": "send", "kind": "delay", "millis": 1500, "times": 1 }]));
    let message = inbox.sends(body);
    inbox.sent_soon(&page, 1);
    inbox.faults(refusing(551, 1));
    let error = inbox.failure(&message);
    assert_eq!(error["reason"], "recipient_unreachable");
    assert_eq!(inbox.sent(&page).len(), 1);
}
