//! Bookings: what a calendar tells, in whatever order and however often.

use frontdesk_e2e::{App, Client, Response, Tenant, at_once, on_every_engine};
use hmac::{Hmac, KeyInit, Mac};
use serde_json::{Value, json};
use sha2::Sha256;
use std::fmt::Write;

use crate::people::{add, walk};
use crate::sales::told_of;
use crate::shapes::{NOTHING, has_fields, is_id, is_moment, text};

on_every_engine! {
    bookings_are_listed_by_status_contact_and_time,
    a_source_is_made_listed_and_deleted_by_commands,
    a_created_booking_sends_an_event_with_its_contact,
    a_call_must_be_signed,
    a_repeated_webhook_changes_nothing,
    a_webhook_sent_many_times_at_once_writes_one_event,
    a_cancelled_booking_sends_one_event,
    a_meeting_that_has_ended_is_completed_once,
    a_rescheduled_booking_stays_the_same_one,
    webhooks_out_of_order_end_in_the_same_state,
    a_booking_finds_its_contact_by_phone_then_by_email,
    a_booking_reads_numbers_with_the_accounts_country,
    past_the_contact_limit_a_booking_has_no_contact,
    other_calls_are_answered_and_ignored,
    an_unreadable_webhook_is_refused_with_the_reason,
    a_sources_secret_outlives_a_restart,
}

/// A calendar that tells of bookings.
pub(crate) struct Calendar {
    pub(crate) id: String,
    path: String,
    secret: String,
    client: Client,
}

impl Calendar {
    #[track_caller]
    pub(crate) fn connect(app: &App, tenant: &Tenant) -> Self {
        let made = app.cli(&["booking-source", "create", "--account", &tenant.account.id]);
        has_fields(&made, "source_id url secret");
        let path =
            text(&made["url"]).strip_prefix(&app.base()).expect("an address of this server").to_owned();
        assert!(path.starts_with("/bookings/") && path.len() == "/bookings/".len() + 43, "{path}");
        let (id, secret) = (text(&made["source_id"]).to_owned(), text(&made["secret"]).to_owned());
        assert!(secret.len() >= 32, "{secret}");
        Self { id, path, secret, client: app.anonymous().vendors() }
    }

    /// Sends a call that is signed.
    #[track_caller]
    fn call(&self, call: &Value) -> Response {
        let body = call.to_string();
        self.send(&body, &signature(&self.secret, &body))
    }

    #[track_caller]
    fn send(&self, body: &str, signature: &str) -> Response {
        self.client.with("x-cal-signature-256", signature).post_text(&self.path, body)
    }

    /// Tells something of a booking, and returns whether anything came of it.
    #[track_caller]
    pub(crate) fn tell(&self, trigger: &str, booking: Value) -> bool {
        let response = self.call(
            &json!({ "triggerEvent": trigger, "createdAt": "2026-01-01T00:00:00Z", "payload": booking }),
        );
        let response = response.expect(200);
        has_fields(response.data(), "handled");
        response.data()["handled"].as_bool().expect("true or false")
    }
}

/// HMAC-SHA256, in hexadecimal.
pub(crate) fn signature(secret: &str, body: &str) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).unwrap();
    mac.update(body.as_bytes());
    mac.finalize().into_bytes().iter().fold(String::new(), |mut hex, byte| {
        write!(hex, "{byte:02x}").unwrap();
        hex
    })
}

/// A booking far in the future.
pub(crate) fn booking(uid: &str) -> Value {
    json!({
        "uid": uid, "title": "Consultation", "startTime": "2999-01-31T10:00:00+01:00", "endTime": "2999-01-31T09:30:00Z",
        "attendees": [{ "name": "Ann", "email": "ann@example.com", "timeZone": "Europe/Berlin", "language": { "locale": "en" } }],
        "organizer": { "name": "Us", "email": "us@example.com" }, "status": "ACCEPTED",
    })
}

/// The same booking under another name and an hour later.
fn moved(uid: &str, old: &str) -> Value {
    let mut booking = booking(uid);
    booking["startTime"] = json!("2999-01-31T10:00:00Z");
    booking["endTime"] = json!("2999-01-31T10:30:00Z");
    booking["rescheduleUid"] = json!(old);
    booking
}

/// The names of what was told about bookings.
#[track_caller]
fn told(client: &Client) -> Vec<String> {
    told_of(client, "booking").into_iter().map(|(event, _)| event).collect()
}

fn scene(app: &App) -> (Client, Calendar) {
    let tenant = app.tenant();
    let calendar = Calendar::connect(app, &tenant);
    (tenant.client, calendar)
}

fn a_source_is_made_listed_and_deleted_by_commands(app: App) {
    let tenant = app.tenant();
    let calendar = Calendar::connect(&app, &tenant);
    let list = ["booking-source", "list", "--account", &tenant.account.id];
    let rows = app.cli(&list);
    assert_eq!(rows.as_array().unwrap().len(), 1);
    has_fields(&rows[0], "id name url created_at");
    assert_eq!(rows[0]["url"], format!("{}{}", app.base(), calendar.path));
    assert!(!rows.to_string().contains(&calendar.secret));
    let shown = app.run(&["booking-source", "create", "--account", &tenant.account.id]).expect_success().out;
    assert!(shown.contains("/bookings/") && shown.contains("secret"), "{shown}");
    app.cli(&["booking-source", "delete", &calendar.id]);
    let call = json!({ "triggerEvent": "BOOKING_CREATED", "payload": booking("a") });
    calendar.call(&call).expect(404).error("not_found");
    assert_eq!(app.cli(&list).as_array().unwrap().len(), 1);
    app.run(&["booking-source", "delete", &calendar.id]).expect_failure();
    app.run(&["booking-source", "create", "--account", NOTHING]).expect_failure();
}

fn a_created_booking_sends_an_event_with_its_contact(app: App) {
    let (client, calendar) = scene(&app);
    assert!(calendar.tell("BOOKING_CREATED", booking("abc")));
    let told = told_of(&client, "booking");
    assert_eq!(told.len(), 1);
    let (event, data) = &told[0];
    has_fields(data, "booking");
    let found = &data["booking"];
    has_fields(found, "id uid contact_id title start_at end_at status created_at updated_at");
    is_id(&found["id"]);
    is_moment(&found["created_at"]);
    assert_eq!(
        (event.as_str(), &found["uid"], &found["status"]),
        ("booking.created", &json!("abc"), &json!("scheduled"))
    );
    assert_eq!(found["title"], "Consultation");
    assert_eq!(
        (&found["start_at"], &found["end_at"]),
        (&json!("2999-01-31T09:00:00.000Z"), &json!("2999-01-31T09:30:00.000Z"))
    );
    let contact = client.get(&format!("/contacts/{}", text(&found["contact_id"]))).expect(200);
    assert_eq!(
        (&contact.data()["name"], &contact.data()["email"]),
        (&json!("Ann"), &json!("ann@example.com"))
    );
}

fn a_call_must_be_signed(app: App) {
    let (client, calendar) = scene(&app);
    let other = Calendar::connect(&app, &app.tenant());
    let body = json!({ "triggerEvent": "BOOKING_CREATED", "payload": booking("abc") }).to_string();
    let right = signature(&calendar.secret, &body);
    let altered = format!("{}{}", &right[..63], if right.ends_with('0') { '1' } else { '0' });
    for wrong in [
        "",
        "x",
        "no-secret-provided",
        &altered,
        &right[..62],
        &format!("{right}00"),
        &signature(&other.secret, &body),
    ] {
        calendar.send(&body, wrong).expect(401).error("unauthorized");
    }
    // The signature is of the body as it was sent.
    calendar.send(&body.replace("abc", "abd"), &right).expect(401);
    calendar.client.post_text(&calendar.path, &body).expect(401).error("unauthorized");
    assert_eq!(walk(&client, "/events").len(), 0);
    calendar.send(&body, &right.to_uppercase()).expect(200);
    assert_eq!(told(&client), ["booking.created"]);
    for wrong in ["/bookings", "/bookings/x", &format!("{}/x", calendar.path)] {
        calendar.client.with("x-cal-signature-256", &right).post_text(wrong, &body).expect(404);
    }
    calendar.client.get(&calendar.path).expect(405);
}

fn a_repeated_webhook_changes_nothing(app: App) {
    let (client, calendar) = scene(&app);
    assert!(calendar.tell("BOOKING_CREATED", booking("abc")));
    let before = walk(&client, "/events");
    let mut other = booking("abc");
    other["title"] = json!("Another");
    for again in [booking("abc"), other] {
        assert!(!calendar.tell("BOOKING_CREATED", again));
    }
    assert_eq!(walk(&client, "/events"), before);
    // Another calendar may call another booking so.
    let (theirs, their_calendar) = scene(&app);
    assert!(their_calendar.tell("BOOKING_CREATED", booking("abc")));
    assert_eq!((told(&client).len(), told(&theirs).len()), (1, 1));
}

fn a_webhook_sent_many_times_at_once_writes_one_event(app: App) {
    let (client, calendar) = scene(&app);
    for round in 0..6 {
        let uid = format!("round {round}");
        let handled = at_once(4, |_| calendar.tell("BOOKING_CREATED", booking(&uid)));
        assert_eq!(handled.iter().filter(|handled| **handled).count(), 1, "round {round}");
        let handled = at_once(4, |_| calendar.tell("BOOKING_CANCELLED", booking(&uid)));
        assert_eq!(handled.iter().filter(|handled| **handled).count(), 1, "round {round}");
    }
    assert_eq!(told(&client), ["booking.created", "booking.cancelled"].repeat(6));
    assert_eq!(walk(&client, "/contacts").len(), 1);
}

fn a_cancelled_booking_sends_one_event(app: App) {
    let (client, calendar) = scene(&app);
    calendar.tell("BOOKING_CREATED", booking("abc"));
    assert!(calendar.tell("BOOKING_CANCELLED", json!({ "uid": "abc" })));
    let told = told_of(&client, "booking");
    assert_eq!(
        (told[1].0.as_str(), &told[1].1["booking"]["status"]),
        ("booking.cancelled", &json!("cancelled"))
    );
    let mut wanted = told[0].1["booking"].clone();
    wanted["status"] = json!("cancelled");
    wanted["updated_at"] = told[1].1["booking"]["updated_at"].clone();
    assert_eq!(told[1].1["booking"], wanted);
    for late in ["BOOKING_CANCELLED", "BOOKING_CREATED", "MEETING_ENDED", "BOOKING_RESCHEDULED"] {
        assert!(!calendar.tell(late, booking("abc")), "{late}");
    }
    assert_eq!(told_of(&client, "booking").len(), 2);
}

fn a_meeting_that_has_ended_is_completed_once(app: App) {
    let (client, calendar) = scene(&app);
    calendar.tell("BOOKING_CREATED", booking("abc"));
    assert!(calendar.tell("MEETING_ENDED", booking("abc")));
    calendar.tell("BOOKING_CREATED", booking("flat"));
    // Cal.com sends this one without a payload around it.
    let mut flat = booking("flat");
    flat["triggerEvent"] = json!("MEETING_ENDED");
    assert_eq!(calendar.call(&flat).expect(200).data(), &json!({ "handled": true }));
    for late in ["MEETING_ENDED", "BOOKING_CANCELLED", "BOOKING_CREATED"] {
        assert!(!calendar.tell(late, booking("abc")), "{late}");
    }
    let told = told_of(&client, "booking");
    let names: Vec<&str> = told.iter().map(|(event, _)| event.as_str()).collect();
    assert_eq!(names, ["booking.created", "booking.completed", "booking.created", "booking.completed"]);
    assert_eq!(told[1].1["booking"]["status"], "completed");
    assert_eq!(told[1].1["booking"]["id"], told[0].1["booking"]["id"]);
}

fn a_rescheduled_booking_stays_the_same_one(app: App) {
    let (client, calendar) = scene(&app);
    calendar.tell("BOOKING_CREATED", booking("one"));
    assert!(calendar.tell("BOOKING_RESCHEDULED", moved("two", "one")));
    // Told again, it changes nothing; what it was called before is past.
    assert!(!calendar.tell("BOOKING_RESCHEDULED", moved("two", "one")));
    assert!(!calendar.tell("BOOKING_CANCELLED", booking("one")));
    assert!(!calendar.tell("BOOKING_CREATED", booking("one")));
    // A calendar that keeps its names moves it too.
    let mut same = moved("two", "two");
    same["endTime"] = json!("2999-01-31T11:00:00Z");
    assert!(calendar.tell("BOOKING_RESCHEDULED", same));
    assert_eq!(told(&client), ["booking.created"]);
    assert!(calendar.tell("BOOKING_CANCELLED", booking("two")));
    let told = told_of(&client, "booking");
    assert_eq!(told.len(), 2);
    let (first, last) = (&told[0].1["booking"], &told[1].1["booking"]);
    assert_eq!(
        (&last["id"], &last["uid"], &last["contact_id"]),
        (&first["id"], &json!("two"), &first["contact_id"])
    );
    assert_eq!(
        (&last["start_at"], &last["end_at"]),
        (&json!("2999-01-31T10:00:00.000Z"), &json!("2999-01-31T11:00:00.000Z"))
    );
    // What was cancelled and is booked again is another booking.
    assert!(calendar.tell("BOOKING_RESCHEDULED", moved("three", "two")));
    let told = told_of(&client, "booking");
    assert_eq!((told[2].0.as_str(), &told[2].1["booking"]["uid"]), ("booking.created", &json!("three")));
    assert_ne!(told[2].1["booking"]["id"], first["id"]);
}

fn webhooks_out_of_order_end_in_the_same_state(app: App) {
    let (client, calendar) = scene(&app);
    assert!(calendar.tell("BOOKING_CANCELLED", booking("a")));
    assert!(!calendar.tell("BOOKING_CREATED", booking("a")));
    assert_eq!(told(&client), ["booking.cancelled"]);
    assert!(calendar.tell("MEETING_ENDED", booking("b")));
    assert!(!calendar.tell("BOOKING_CREATED", booking("b")));
    assert_eq!(told(&client), ["booking.cancelled", "booking.completed"]);
    assert!(calendar.tell("BOOKING_RESCHEDULED", moved("d", "c")));
    assert!(!calendar.tell("BOOKING_CREATED", booking("c")));
    assert_eq!(told(&client)[2..], ["booking.created"]);
    assert_eq!(told_of(&client, "booking")[2].1["booking"]["uid"], "d");
    // Nothing can be made of a booking that is not known and has no times.
    assert!(!calendar.tell("BOOKING_CANCELLED", json!({ "uid": "e" })));
    assert_eq!(told(&client).len(), 3);
}

fn a_booking_finds_its_contact_by_phone_then_by_email(app: App) {
    let (client, calendar) = scene(&app);
    let by_phone = add(&client, json!({ "name": "P", "phone": "+14155550123" }));
    let by_email = add(&client, json!({ "name": "E", "email": "ann@example.com" }));
    let book = |uid: &str, attendees: Value| {
        let mut booking = booking(uid);
        booking["attendees"] = attendees;
        calendar.tell("BOOKING_CREATED", booking);
        told_of(&client, "booking").last().unwrap().1["booking"]["contact_id"].clone()
    };
    let phone = json!([{ "name": "Ann", "email": "ann@example.com", "phoneNumber": "+1 415 555 0123" }]);
    assert_eq!(book("a", phone), json!(by_phone));
    assert_eq!(
        book("b", json!([{ "name": "Ann", "email": "ANN@example.com", "phoneNumber": "?" }])),
        json!(by_email)
    );
    let made = book("c", json!([{ "name": "Zoë", "email": "zoe@example.com" }]));
    assert_eq!(client.get(&format!("/contacts/{}", text(&made))).expect(200).data()["name"], "Zoë");
    for nobody in [json!([]), Value::Null, json!("x"), json!([7]), json!([{ "email": "nowhere" }])] {
        assert_eq!(book(&nobody.to_string(), nobody.clone()), Value::Null, "{nobody}");
    }
    assert_eq!(walk(&client, "/contacts").len(), 3);
}

fn a_booking_reads_numbers_with_the_accounts_country(app: App) {
    let tenant = app.tenant();
    let (client, calendar) = (&tenant.client, Calendar::connect(&app, &tenant));
    app.cli(&["account", "set", &tenant.account.id, "--country", "DE"]);
    let known = add(client, json!({ "name": "Ann", "phone": "+491510000489" }));
    let book = |number: &str, email: &str| {
        let mut booking = booking(&format!("{number} {email}"));
        booking["attendees"] = json!([{ "name": "Someone", "email": email, "phoneNumber": number }]);
        assert!(calendar.tell("BOOKING_CREATED", booking), "{number}");
        told_of(client, "booking").last().expect("an event").1["booking"]["contact_id"].clone()
    };
    for written in ["0151/0000489", "+49 (0)151 0000489", "+4901510000489", "1510000489"] {
        assert_eq!(book(written, ""), json!(known), "{written}");
    }
    // A number that cannot exist is left out, and the rest is kept.
    for (written, email) in [("+1 (115) 555-0123", "bob@example.com"), ("0151", "cem@example.com")] {
        let made = book(written, email);
        let contact = client.get(&format!("/contacts/{}", text(&made))).expect(200);
        assert_eq!((&contact.data()["phone"], &contact.data()["email"]), (&Value::Null, &json!(email)));
    }
    let made = book("0151-0000490", "dora@example.com");
    assert_eq!(
        client.get(&format!("/contacts/{}", text(&made))).expect(200).data()["phone"],
        "+491510000490"
    );
}

fn past_the_contact_limit_a_booking_has_no_contact(app: App) {
    let account = app.account_with(&["--rate-limit", "1000000", "--contact-limit", "0"]);
    let key = app.key_with(&account, &["--all-scopes"]);
    let tenant = Tenant { client: app.client(&key), account, key };
    let calendar = Calendar::connect(&app, &tenant);
    assert!(calendar.tell("BOOKING_CREATED", booking("a")));
    assert_eq!(told_of(&tenant.client, "booking")[0].1["booking"]["contact_id"], Value::Null);
}

fn other_calls_are_answered_and_ignored(app: App) {
    let (client, calendar) = scene(&app);
    for trigger in ["PING", "BOOKING_REQUESTED", "BOOKING_PAID", "RECORDING_READY", "FORM_SUBMITTED", ""] {
        assert!(!calendar.tell(trigger, json!({ "anything": true })), "{trigger}");
    }
    assert_eq!(walk(&client, "/events").len(), 0);
}

fn an_unreadable_webhook_is_refused_with_the_reason(app: App) {
    let (client, calendar) = scene(&app);
    let wrong = json!({ "triggerEvent": "BOOKING_CREATED", "payload": { "uid": " ", "startTime": "soon" } });
    let response = calendar.call(&wrong).expect(400);
    response.error("validation_error");
    response.details_at(&["payload.uid", "payload.startTime", "payload.endTime"]);
    calendar.call(&json!({ "payload": {} })).expect(400).details_at(&["triggerEvent"]);
    let body = "{";
    calendar.send(body, &signature(&calendar.secret, body)).expect(400).error("bad_request");
    let large = json!({ "triggerEvent": "PING", "x": "x".repeat(300_000) });
    calendar.call(&large).expect(413).error("bad_request");
    assert_eq!(walk(&client, "/events").len(), 0);
}

fn a_sources_secret_outlives_a_restart(app: App) {
    let (client, calendar) = scene(&app);
    app.restart();
    assert!(calendar.tell("BOOKING_CREATED", booking("a")));
    assert_eq!(told(&client), ["booking.created"]);
}

fn bookings_are_listed_by_status_contact_and_time(app: App) {
    let (client, calendar) = scene(&app);
    for (uid, email, day) in
        [("a", "ann@example.com", 1), ("b", "bob@example.com", 2), ("c", "ann@example.com", 3)]
    {
        let mut booking = booking(uid);
        booking["startTime"] = json!(format!("2999-01-0{day}T09:00:00Z"));
        booking["endTime"] = json!(format!("2999-01-0{day}T09:30:00Z"));
        booking["attendees"][0]["email"] = json!(email);
        assert!(calendar.tell("BOOKING_CREATED", booking));
    }
    assert!(calendar.tell("BOOKING_CANCELLED", booking("b")));
    let uids = |query: &str| -> Vec<String> {
        walk(&client, &format!("/bookings{query}")).iter().map(|row| text(&row["uid"]).to_owned()).collect()
    };
    assert_eq!(uids(""), ["c", "b", "a"]);
    assert_eq!(uids("?status=scheduled"), ["c", "a"]);
    assert_eq!(uids("?status=cancelled"), ["b"]);
    assert_eq!(uids("?from=2999-01-01T09:00:00Z&to=2999-01-03T09:00:00Z"), ["b", "a"]);
    assert_eq!(uids("?from=2999-01-01T09:00:00.001Z"), ["c", "b"]);
    let all = client.get("/bookings").expect(200);
    let ann = text(&all.data()[0]["contact_id"]);
    assert_eq!(uids(&format!("?contact_id={ann}")), ["c", "a"]);
    let page = client.get("/bookings?limit=2").expect(200);
    let next = text(&page.json["meta"]["next_cursor"]);
    let rest = client.get(&format!("/bookings?limit=2&cursor={next}")).expect(200);
    assert_eq!((rest.data().as_array().unwrap().len(), &rest.data()[0]["uid"]), (1, &json!("a")));
    has_fields(&rest.data()[0], "id uid contact_id title start_at end_at status created_at updated_at");
    for wrong in ["status=lost", "from=yesterday", "contact_id=x"] {
        client.get(&format!("/bookings?{wrong}")).expect(400).error("bad_request");
    }
    client.get(&format!("/bookings?limit=1&status=scheduled&cursor={next}")).expect(400).error("bad_request");
    assert_eq!(walk(&app.tenant().client, "/bookings").len(), 0);
}
