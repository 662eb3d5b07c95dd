//! Mails: who gets which, when and how often, and in which words.

use frontdesk_e2e::{
    Engine, Reply, Sink, SmtpAct, SmtpServer, SmtpStep, came_true, on_every_engine, on_sqlite, tls_file,
};
use serde_json::json;

use crate::agent_scene::new_assistant;
use crate::app_scene::{Browser, OWNER, PASSWORD, invited, stranger, token};
use crate::broadcasts_scene::{announced, hello, numbers, path, people};
use crate::inbox_scene::ANN;
use crate::mail_scene::{FROM, Mails, mentions, unsubscribe_path, uses_link};
use crate::shapes::text;

const NEW_PASSWORD: &str = "another horse battery";

on_every_engine! {
    an_invitation_is_mailed_and_not_shown,
    a_lost_password_is_replaced_by_mail,
    a_thousand_requests_send_one_mail,
    an_endpoint_that_is_switched_off_is_mailed_to_managers_once_a_day,
    a_disconnected_channel_is_mailed_to_managers_but_not_to_the_one_who_did_it,
    a_budget_that_is_nearly_spent_and_one_without_room_are_mailed,
    a_broadcast_that_stops_is_mailed,
    a_mention_is_mailed_after_an_hour_unless_the_member_has_looked,
    a_member_declines_a_kind_in_the_dashboard_and_by_the_address_in_a_mail,
    what_the_server_refuses_for_now_is_sent_later,
    what_the_server_refuses_for_good_is_given_up,
    an_account_whose_mails_hang_does_not_hold_up_another,
    a_suspended_account_sends_nothing,
}

on_sqlite! {
    the_command_line_mails_links_and_tests_the_server,
    without_mail_links_are_shown_and_nothing_waits,
    the_connection_is_encrypted_before_anybody_signs_in,
}

fn an_invitation_is_mailed_and_not_shown(mails: Mails) {
    let odd = "Mia\r\nBcc: eve@example.com <script>";
    let invited = mails.invites(odd, "mia@example.com");
    assert_eq!(invited["invitation"], json!({ "url": null, "expires_at": null, "mailed": true }));
    let mail = mails.has("mia@example.com", 1).remove(0);
    assert_eq!(mail.from, FROM);
    assert!(mail.header("Bcc").is_none() && mail.header("Auto-Submitted").is_some(), "{}", mail.source);
    assert!(mail.header("From").is_some_and(|from| from.contains("Acme") && from.contains(FROM)));
    assert!(mail.header("List-Unsubscribe").is_none(), "an invitation cannot be declined");
    assert_eq!(mail.header("Subject").as_deref(), Some("Your invitation to Acme"));
    assert!(mail.html().contains(&mail.link()) && !mail.html().contains("<script"), "{}", mail.html());
    assert!(!mails.app().logs().contains(&token(&mail.link())), "the log has a link");
    // Another one is not mailed at once, and the link of the next one replaces this one.
    let again = format!("/admin/members/{}/invitation", text(&invited["member"]["id"]));
    let refused = mails.owner.post(&again, json!({})).expect(409);
    assert_eq!(refused.error("conflict")["reason"], "mailed_lately");
    mails.inbox.advance(301);
    mails.owner.post(&again, json!({})).expect(201);
    let second = mails.has("mia@example.com", 2).remove(1);
    let check =
        |link: &str| Browser::new(mails.app()).post("/invitation/check", json!({ "token": token(link) }));
    check(&mail.link()).expect(404);
    check(&second.link()).expect(200);
    assert!(uses_link(mails.app(), &second, NEW_PASSWORD).is_in());
    check(&second.link()).expect(404);
}

fn a_lost_password_is_replaced_by_mail(mails: Mails) {
    let offered = Browser::new(mails.app()).get("/sign-in").expect(200);
    assert_eq!(offered.data(), &json!({ "password_mails": true, "provider": null, "provider_only": false }));
    let (_, mia) = mails.person("mia", "agent");
    for unknown in ["nobody@example.com", "MIA@example.com.evil.test"] {
        mails.loses_password(unknown);
    }
    mails.loses_password("MIA@example.com");
    let mail = mails.has("mia@example.com", 1).remove(0);
    assert_eq!(mail.header("Subject").as_deref(), Some("Choose a new password"));
    assert_eq!(mails.smtp.mails().len(), 1, "an address that nobody has gets no mail");
    assert!(mia.is_in(), "a request changes nothing by itself");
    assert!(uses_link(mails.app(), &mail, NEW_PASSWORD).is_in());
    assert!(!mia.is_in(), "the new password ends the sessions");
    Browser::new(mails.app()).try_sign_in("mia@example.com", PASSWORD).expect(401);
    let body = json!({ "token": token(&mail.link()), "password": PASSWORD });
    Browser::new(mails.app()).post("/password", body).expect(404);
}

fn a_thousand_requests_send_one_mail(mails: Mails) {
    mails.person("mia", "agent");
    let browser = Browser::new(mails.app());
    let ask = |email: &str| browser.post("/password/lost", json!({ "email": email }));
    let known = ask("mia@example.com").expect(200);
    let unknown = ask("nobody@example.com").expect(200);
    assert_eq!(known.data(), unknown.data());
    let mut refused = 0;
    for _ in 0..20 {
        let response = ask("mia@example.com");
        match response.status {
            200 => {}
            429 => refused += 1,
            other => panic!("{other}: {}", response.text),
        }
    }
    assert!(refused >= 10, "{refused} of 20 were refused");
    mails.has("mia@example.com", 1);
    // Somebody who goes on for a day, from many addresses, fills no mailbox.
    for _ in 0..30 {
        mails.inbox.advance(60 * 60);
        ask("mia@example.com").expect(200);
        mails.inbox.settle();
    }
    // Five in any 24 hours.
    assert!(mails.smtp.mails_to("mia@example.com").len() <= 10, "{}", mails.smtp.mails().len());
    for wrong in [json!({}), json!({ "email": "mia" }), json!({ "email": "a@b.c\r\nRCPT TO:<x@y.z>" })] {
        assert!(matches!(browser.post("/password/lost", wrong).status, 400 | 429));
    }
}

fn an_endpoint_that_is_switched_off_is_mailed_to_managers_once_a_day(mails: Mails) {
    let sink = Sink::start();
    mails.person("ada", "admin");
    mails.person("mia", "agent");
    sink.respond("/hook", Reply::status(410));
    let body = json!({ "url": sink.url("/hook"), "event_types": ["contact.created"] });
    let endpoint = mails.inbox.client.post("/webhooks", body).expect(201);
    let path = format!("/webhooks/{}", text(&endpoint.data()["id"]));
    let fail = |name: &str| {
        mails.inbox.client.patch(&path, json!({ "enabled": true })).expect(200);
        mails.inbox.client.post("/contacts", json!({ "name": name })).expect(201);
        let is_off = || mails.inbox.client.get(&path).expect(200).data()["enabled"] == false;
        assert!(came_true(is_off), "the endpoint was not switched off");
    };
    fail("One");
    for to in [OWNER, "ada@example.com"] {
        let mail = mails.has(to, 1).remove(0);
        assert!(mail.text().contains("410 Gone") && mail.text().contains("/hook"), "{}", mail.text());
        assert!(mail.text().contains("/app/developers/webhooks/"), "{}", mail.text());
    }
    fail("Two");
    mails.has(OWNER, 1);
    mails.inbox.advance(24 * 60 * 60);
    fail("Three");
    mails.has(OWNER, 2);
    assert!(mails.smtp.mails_to("mia@example.com").is_empty(), "an agent does not manage endpoints");
}

fn a_disconnected_channel_is_mailed_to_managers_but_not_to_the_one_who_did_it(mails: Mails) {
    mails.person("ada", "admin");
    mails.app().cli(&["channel", "disconnect", &mails.inbox.whatsapp]);
    let mail = mails.has(OWNER, 1).remove(0);
    assert!(
        mail.text().contains(&format!("/app/settings/channels/{}", mails.inbox.whatsapp)),
        "{}",
        mail.text()
    );
    mails.has("ada@example.com", 1);
    // A member's own disconnection is mailed to the others only.
    let chat = mails.inbox.connect("messenger");
    mails.owner.post(&format!("/admin/connections/{chat}/disconnect"), json!({})).expect(200);
    mails.has("ada@example.com", 2);
    mails.has(OWNER, 1);
}

fn a_budget_that_is_nearly_spent_and_one_without_room_are_mailed(mails: Mails) {
    mails.person("mia", "agent");
    let client = &mails.inbox.client;
    let assistant = new_assistant(client, json!({ "model": "gpt-5" }));
    let dear = json!({ "text": "Done.", "usage": { "input": 40_000, "output": 1_000 } });
    mails.inbox.sandbox().put("/sandbox/model", json!({ "turns": [dear], "repeat": true })).expect(200);
    let budget = |usd: &str| {
        mails.app().cli(&["account", "set", &mails.account.id, "--ai-budget", usd]);
    };
    let start = || {
        client.post("/runs", json!({ "assistant_id": assistant, "goal": "Do it." })).expect(202);
        mails.inbox.settle();
    };
    budget("100");
    start();
    let spent = || client.get("/ai/usage").expect(200).data()["remaining_usd"] == json!(99.94);
    assert!(came_true(spent), "the run was not paid");
    assert!(mails.smtp.mails().is_empty());
    // 0.06 of 0.07 is spent, and the next call could cost more than what is left.
    budget("0.07");
    start();
    let texts: Vec<String> =
        mails.smtp.wait_for_mails(OWNER, 2).iter().map(frontdesk_e2e::Mail::text).collect();
    let has = |words: &str| texts.iter().any(|text| text.contains(words) && text.contains("/app/spend"));
    assert!(has("0.06 of 0.07 USD of this month's budget"), "{texts:?}");
    assert!(has("0.06 of 0.07 USD, and there is no room for more"), "{texts:?}");
    start();
    mails.has(OWNER, 2);
    assert!(mails.smtp.mails_to("mia@example.com").is_empty(), "an agent does not pay");
}

fn a_broadcast_that_stops_is_mailed(mails: Mails) {
    let client = &mails.inbox.client;
    let ids = people(client, &numbers(1));
    let mut body = hello(json!({ "type": "contacts", "contact_ids": ids }));
    body["name"] = json!("News <b>\r\nBcc: eve@example.com");
    body["schedule_at"] = json!("2999-01-01T00:00:00Z");
    let made = announced(client, body);
    client.put(&format!("/contacts/{}/opt-out", ids[0]), json!({})).expect(200);
    client.send("POST", &format!("{}/schedule", path(&made)), None).expect(200);
    let mail = mails.has(OWNER, 1).remove(0);
    assert!(mail.text().contains("opted out") && mail.text().contains(&format!("/app{}", path(&made))));
    assert!(
        mail.header("Bcc").is_none()
            && mail.header("Subject").is_some_and(|subject| subject.contains("News"))
    );
    assert!(!mail.html().contains("News <b>"), "{}", mail.html());
}

fn a_mention_is_mailed_after_an_hour_unless_the_member_has_looked(mails: Mails) {
    let (mia_id, _) = mails.person("mia", "agent");
    let (ben_id, ben) = mails.person("ben", "agent");
    let ann = mails.inbox.hears(ANN, "Hi!");
    let words = "Look at <b>this</b>\r\nBcc: eve@example.com";
    mentions(&mails.owner, &ann, &mia_id, words);
    mentions(&mails.owner, &ann, &ben_id, "You too.");
    // Whoever writes there has seen it.
    let (ada_id, ada) = mails.person("ada", "admin");
    mentions(&mails.owner, &ann, &ada_id, "And you.");
    ada.post(&format!("/v1/conversations/{}/notes", text(&ann["id"])), json!({ "body": "Yes." })).expect(201);
    let looks = |browser: &Browser, at: &serde_json::Value| {
        browser.post("/presence", json!({ "conversation_id": at, "typing": false })).expect(200);
    };
    mails.inbox.advance(59 * 60);
    assert!(mails.smtp.mails().is_empty(), "it is not an hour yet");
    looks(&ben, &ann["id"]);
    looks(&ben, &serde_json::Value::Null);
    mails.inbox.advance(120);
    let mail = mails.has("mia@example.com", 1).remove(0);
    assert!(mail.text().contains("> Look at <b>this</b> Bcc: eve@example.com"), "{}", mail.text());
    assert!(mail.html().contains("Look at &lt;b&gt;this&lt;/b&gt;"), "{}", mail.html());
    assert!(mail.text().contains(&format!("/app/inbox/{}", text(&ann["id"]))), "{}", mail.text());
    assert!(mails.smtp.mails_to("ben@example.com").is_empty(), "he has looked");
    assert!(mails.smtp.mails_to("ada@example.com").is_empty(), "she has written");
    // Once a day for a conversation, and again for him, who was not mailed.
    mentions(&mails.owner, &ann, &mia_id, "Again.");
    mentions(&mails.owner, &ann, &ben_id, "And you.");
    mails.inbox.advance(61 * 60);
    mails.has("ben@example.com", 1);
    mails.has("mia@example.com", 1);
    assert!(!mails.app().logs().contains("Look at"), "the log has a note");
}

fn a_member_declines_a_kind_in_the_dashboard_and_by_the_address_in_a_mail(mails: Mails) {
    let (mia_id, mia) = mails.person("mia", "agent");
    let (_, ben) = mails.person("ben", "agent");
    let shown = mia.get("/mail").expect(200);
    assert_eq!(
        shown.data(),
        &json!({ "is_set_up": true, "offered": ["mention"], "kinds": ["mention"], "language": null })
    );
    assert_eq!(mails.owner.get("/mail").expect(200).data()["offered"].as_array().map(Vec::len), Some(6));
    mia.patch("/mail", json!({ "language": "de" })).expect(200);
    let ann = mails.inbox.hears(ANN, "Hi!");
    mentions(&ben, &ann, &mia_id, "Look.");
    mails.inbox.advance(61 * 60);
    let mail = mails.has("mia@example.com", 1).remove(0);
    assert!(mail.text().contains("hat Sie in der Unterhaltung mit"), "{}", mail.text());
    assert!(mail.html().contains("<html lang=\"de\">"), "{}", mail.html());
    assert_eq!(mail.header("List-Unsubscribe-Post").as_deref(), Some("List-Unsubscribe=One-Click"));
    let path = unsubscribe_path(mails.app(), &mail);
    let program = mails.app().anonymous().vendors();
    // Programs that open links change nothing.
    let page = program.send("GET", &path, None).expect(200);
    assert!(page.text.contains("<form method=\"post\">"), "{}", page.text);
    assert_eq!(mia.get("/mail").expect(200).data()["kinds"], json!(["mention"]));
    for wrong in [&path[..path.len() - 4], "/mail/unsubscribe/AAAA", "/mail/unsubscribe", "/mail"] {
        program.send("POST", wrong, None).expect(404);
    }
    let form = program.with("content-type", "application/x-www-form-urlencoded");
    for _ in 0..2 {
        form.send("POST", &path, Some(b"List-Unsubscribe=One-Click")).expect(200);
    }
    form.send("POST", &path, Some(&[b'x'; 2_000])).expect(413);
    assert_eq!(mia.get("/mail").expect(200).data()["kinds"], json!([]));
    assert_eq!(ben.get("/mail").expect(200).data()["kinds"], json!(["mention"]));
    mails.inbox.advance(24 * 60 * 60);
    mentions(&ben, &ann, &mia_id, "Look again.");
    mails.inbox.advance(61 * 60);
    mails.has("mia@example.com", 1);
    // A mail about a new password cannot be declined.
    mails.loses_password("mia@example.com");
    mails.has("mia@example.com", 2);
    mia.patch("/mail", json!({ "kinds": ["mention"] })).expect(200);
    mia.patch("/mail", json!({ "kinds": ["everything"] })).expect(400);
    assert_eq!(
        stranger(mails.app()).get("/mail").expect(200).data()["kinds"].as_array().map(Vec::len),
        Some(6)
    );
}

fn what_the_server_refuses_for_now_is_sent_later(mails: Mails) {
    for (step, act) in [
        (SmtpStep::Connect, SmtpAct::Break),
        (SmtpStep::SignIn, SmtpAct::Reply(535)),
        (SmtpStep::Recipient, SmtpAct::Reply(451)),
        (SmtpStep::Data, SmtpAct::Break),
        (SmtpStep::Data, SmtpAct::Reply(421)),
        (SmtpStep::Message, SmtpAct::Reply(452)),
    ] {
        mails.smtp.script(step, act);
    }
    mails.invites("Mia", "mia@example.com");
    let accepted = || mails.smtp.mails_to("mia@example.com").iter().filter(|mail| mail.is_accepted).count();
    for _ in 0..7 {
        mails.inbox.advance(60 * 60);
    }
    assert_eq!(accepted(), 1, "{:?}", mails.smtp);
    let all = mails.has("mia@example.com", 2);
    assert_eq!(all[0].header("Message-ID"), all[1].header("Message-ID"));
    assert!(uses_link(mails.app(), &all[1], NEW_PASSWORD).is_in(), "the link of the mail that was accepted");
}

fn what_the_server_refuses_for_good_is_given_up(mails: Mails) {
    for (step, act) in [
        (SmtpStep::Recipient, SmtpAct::Reply(550)),
        (SmtpStep::Message, SmtpAct::Reply(554)),
        // Whether it has arrived, nobody knows.
        (SmtpStep::Message, SmtpAct::Break),
    ] {
        mails.smtp.script(step, act);
        let number = mails.smtp.count(SmtpStep::Connect);
        mails.invites("Mia", &format!("mia{number}@example.com"));
        mails.smtp.wait_for(SmtpStep::Connect, number + 1);
        // A clock that is moved while it is sent would end its lease.
        mails.inbox.settle();
        for _ in 0..4 {
            mails.inbox.advance(60 * 60);
        }
        assert_eq!(mails.smtp.count(SmtpStep::Connect), number + 1, "{step:?} {act:?} was tried again");
    }
    let log = mails.app().logs();
    assert_eq!(log.matches("a mail was given up").count(), 3, "{log}");
    assert!(!log.contains("@example.com"), "the log has an address");
}

fn an_account_whose_mails_hang_does_not_hold_up_another(mails: Mails) {
    for _ in 0..2 {
        mails.smtp.script(SmtpStep::Recipient, SmtpAct::Hold);
    }
    for number in 0..6 {
        mails.invites("Mia", &format!("mia{number}@example.com"));
    }
    mails.smtp.wait_for(SmtpStep::Recipient, 2);
    let other = stranger(mails.app());
    let new = json!({ "name": "Zoe", "email": "zoe@example.com", "role": "agent" });
    other.post("/admin/members", new).expect(201);
    mails.smtp.wait_for_mails("zoe@example.com", 1);
    assert_eq!(mails.smtp.mails().len(), 1, "two mails of one account at a time");
    mails.smtp.release();
    for number in 0..6 {
        mails.smtp.wait_for_mails(&format!("mia{number}@example.com"), 1);
    }
}

fn a_suspended_account_sends_nothing(mails: Mails) {
    mails.smtp.script(SmtpStep::Recipient, SmtpAct::Reply(451));
    mails.invites("Mia", "mia@example.com");
    mails.smtp.wait_for(SmtpStep::Recipient, 1);
    mails.inbox.settle();
    mails.app().cli(&["account", "suspend", &mails.account.id]);
    mails.inbox.advance(60 * 60);
    assert_eq!(mails.smtp.count(SmtpStep::Connect), 1);
    mails.loses_password(OWNER);
    mails.inbox.advance(60);
    assert_eq!(mails.smtp.count(SmtpStep::Connect), 1, "nobody signs in to a suspended account");
    mails.app().cli(&["account", "resume", &mails.account.id]);
    mails.inbox.advance(60);
    mails.has("mia@example.com", 1);
}

fn the_command_line_mails_links_and_tests_the_server(engine: Engine) {
    let mails = Mails::at_the_real_time(engine);
    let app = mails.app();
    let sent = app.cli(&["mail", "test", "ops@example.com"]);
    assert!(text(&sent["response"]).contains("queued as 42"), "{sent}");
    assert!(mails.smtp.mails_to("ops@example.com")[0].text().contains("This is a test."));
    mails.smtp.script(SmtpStep::Recipient, SmtpAct::Reply(550));
    let failed = app.run(&["mail", "test", "ops@example.com"]).expect_failure();
    assert!(failed.contains("550") && failed.contains("about <ops@example.com>"), "{failed}");
    let added = mails.invites("Mia", "mia@example.com");
    mails.has("mia@example.com", 1);
    let shown = app.cli(&["member", "invite", text(&added["member"]["id"]), "--print-link"]);
    assert!(text(&shown["url"]).contains("#token="), "{shown}");
    invited(app, &mails.account, "zoe@example.com", "agent");
    let invite = ["member", "invite", "zoe@example.com"];
    let told = app.cli(&invite);
    assert_eq!((&told["mailed"], &told["email"]), (&json!(true), &json!("zoe@example.com")));
    assert!(told.get("url").is_none(), "{told}");
    mails.smtp.wait_for_mails("zoe@example.com", 1);
    // Five minutes may end between two of them.
    let again = (0..2).map(|_| app.run(&invite)).find(|outcome| outcome.code != Some(0));
    let lately = again.expect("an invitation was mailed three times").expect_failure();
    assert!(lately.contains("--print-link"), "{lately}");
    let reset = app.cli(&["login", "reset", OWNER]);
    assert_eq!((&reset["mailed"], reset.get("url")), (&json!(true), None));
    let mail = mails.has(OWNER, 1).remove(0);
    assert!(!mails.owner.is_in());
    assert!(uses_link(app, &mail, NEW_PASSWORD).is_in());
    let report = app.run(&["doctor"]);
    assert!(report.out.contains("answers and lets us in"), "{}", report.out);
    mails.smtp.script(SmtpStep::SignIn, SmtpAct::Reply(535));
    let report = app.run(&["doctor"]);
    assert!(report.out.contains("failed   mail") && report.out.contains("535"), "{}", report.out);
    for words in [app.logs(), report.out, report.err, failed, lately] {
        assert!(!words.contains(frontdesk_e2e::SMTP_PASSWORD), "the password of the SMTP server is shown");
    }
    let metrics = app.anonymous().vendors().get("/metrics").text;
    assert!(metrics.contains("frontdesk_mails_total{kind=\"invitation\",outcome=\"sent\"}"), "{metrics}");
}

fn the_connection_is_encrypted_before_anybody_signs_in(engine: Engine) {
    let smtp = SmtpServer::start_encrypted();
    let app = crate::inbox_scene::start(engine).ready();
    let (url, ca) = (smtp.url(), tls_file("ca.pem"));
    let of = |url: &str, ca: &str| {
        let environment =
            [("FRONTDESK_SMTP_URL", url), ("FRONTDESK_MAIL_FROM", FROM), ("FRONTDESK_SMTP_CA", ca)];
        app.run_with(&environment, &["mail", "test", "ops@example.com"])
    };
    of(&url, &ca).expect_success();
    assert_eq!(smtp.wait_for_mails("ops@example.com", 1).len(), 1);
    // A certificate of somebody else, a name that it is not for, and a server that offers no encryption.
    let plain = SmtpServer::start();
    let stripped = format!("{}?tls=required", plain.url());
    for (url, ca) in [
        (url.as_str(), tls_file("other.pem")),
        (&url.replace("localhost", "127.0.0.1"), ca.clone()),
        (&stripped, ca.clone()),
    ] {
        let told = of(url, &ca).expect_failure();
        assert!(!told.contains(frontdesk_e2e::SMTP_PASSWORD), "{told}");
    }
    assert_eq!(
        (smtp.count(SmtpStep::SignIn), plain.count(SmtpStep::SignIn)),
        (1, 0),
        "the password was sent"
    );
}

fn without_mail_links_are_shown_and_nothing_waits(engine: Engine) {
    let smtp = SmtpServer::start();
    let app = crate::inbox_scene::start(engine).ready();
    let account = crate::app_scene::account(&app);
    let owner = Browser::new(&app).sign_in(OWNER);
    assert_eq!(
        Browser::new(&app).get("/sign-in").expect(200).data(),
        &json!({ "password_mails": false, "provider": null, "provider_only": false })
    );
    let refused = Browser::new(&app).post("/password/lost", json!({ "email": OWNER })).expect(409);
    assert_eq!(refused.error("conflict")["reason"], "no_mail");
    let new = json!({ "name": "Mia", "email": "mia@example.com", "role": "agent" });
    let invited = owner.post("/admin/members", new).expect(201);
    assert_eq!(invited.data()["invitation"]["mailed"], false);
    assert!(text(&invited.data()["invitation"]["url"]).contains("#token="), "{}", invited.text);
    let whatsapp = crate::inbox_scene::connect(&app, &account, "whatsapp");
    app.cli(&["channel", "disconnect", &whatsapp]);
    // Mail is set up later: nothing of before is sent.
    let environment = [("FRONTDESK_SMTP_URL", smtp.url()), ("FRONTDESK_MAIL_FROM", FROM.to_owned())];
    app.restart_with(&environment.each_ref().map(|(name, value)| (*name, value.as_str())));
    assert_eq!(
        Browser::new(&app).get("/sign-in").expect(200).data(),
        &json!({ "password_mails": true, "provider": null, "provider_only": false })
    );
    let body = json!({ "email": OWNER });
    Browser::new(&app).post("/password/lost", body).expect(200);
    assert_eq!(smtp.wait_for_mails(OWNER, 1).len(), 1);
    assert_eq!(smtp.mails().len(), 1);
    // A password that would go over the network in the clear is refused at the start.
    let wrong = [("FRONTDESK_SMTP_URL", "smtp://a:hunter2@mail.example.com"), ("FRONTDESK_MAIL_FROM", FROM)];
    app.stop();
    let told = app.run_with(&wrong, &["serve", "--listen", "127.0.0.1:0"]).expect_failure();
    assert!(told.contains("tls=required") && !told.contains("hunter2"), "{told}");
}
