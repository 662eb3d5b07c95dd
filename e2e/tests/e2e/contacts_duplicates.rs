//! One phone number belongs to one contact of an account, however it is written.

use frontdesk_e2e::{App, Response, at_once, on_every_engine};
use serde_json::{Value, json};

use crate::people::add;

on_every_engine! {
    a_taken_number_is_refused_however_it_is_written,
    brazilian_and_argentine_mobiles_are_one_with_and_without_their_nine,
    a_taken_number_is_refused_on_update_and_nothing_changes,
    a_contact_may_rewrite_its_own_number,
    a_released_number_can_be_used_again,
    accounts_do_not_share_numbers,
    of_many_creates_of_one_number_at_once_one_is_made,
    of_many_updates_to_one_number_at_once_one_is_made,
}

/// Demands the refusal of a number that this contact has.
#[track_caller]
fn taken_by(response: &Response, owner: &str) {
    assert_eq!(response.status, 409, "{}", response.text);
    let error = response.error("conflict");
    let details = error["details"].as_array().unwrap_or_else(|| panic!("no details: {error}"));
    assert_eq!(details.len(), 1, "{error}");
    assert_eq!((&details[0]["path"], &details[0]["contact_id"]), (&json!("phone"), &json!(owner)));
    assert!(details[0]["message"].is_string(), "{error}");
    assert!(error.get("reason").is_none(), "{error}");
}

fn a_taken_number_is_refused_however_it_is_written(app: App) {
    let client = app.tenant().client;
    let owner = add(&client, json!({ "phone": "+14155550123" }));
    for written in ["+14155550123", "14155550123", "+1 415 555 0123", "+1-415-555-0123", "001 (415) 555.0123"]
    {
        let response = client.post("/contacts", json!({ "name": "Eve", "phone": written }));
        taken_by(&response, &owner);
    }
    assert_eq!(client.get("/contacts").expect(200).data().as_array().unwrap().len(), 1);
    add(&client, json!({ "phone": "+14155550124" }));
    // No number is no number: any contacts may have none.
    add(&client, json!({ "name": "Ann" }));
    add(&client, json!({ "name": "Bob", "phone": null }));
}

fn brazilian_and_argentine_mobiles_are_one_with_and_without_their_nine(app: App) {
    let client = app.tenant().client;
    for (first, again) in [
        ("+55 11 98765-4321", "+55 11 8765-4321"),
        ("+55 21 8123-4567", "+55 21 98123-4567"),
        ("+54 9 11 2345-6789", "+54 11 2345-6789"),
        ("+54 351 234-5678", "+54 9 351 234-5678"),
    ] {
        let owner = add(&client, json!({ "phone": first }));
        taken_by(&client.post("/contacts", json!({ "phone": again })), &owner);
        let other = format!("/contacts/{}", add(&client, json!({ "name": again })));
        taken_by(&client.patch(&other, json!({ "phone": again })), &owner);
    }
    // A landline of São Paulo, and numbers of a country where the nine is no addition.
    for other in ["+55 11 3265-4321", "+55 11 93265-4321", "+49 151 9123 4567", "+49 151 123 4567"] {
        add(&client, json!({ "phone": other }));
    }
}

fn a_taken_number_is_refused_on_update_and_nothing_changes(app: App) {
    let client = app.tenant().client;
    let owner = add(&client, json!({ "name": "Ann", "phone": "+14155550123" }));
    let bob = client.post("/contacts", json!({ "name": "Bob", "phone": "+14155550124" })).expect(201);
    let path = format!("/contacts/{}", bob.id());
    let body = json!({ "name": "Rob", "company": "Acme", "phone": "+1 (415) 555-0123" });
    taken_by(&client.patch(&path, body), &owner);
    assert_eq!(client.get(&path).expect(200).data(), bob.data());
    assert_eq!(client.get("/events?event_type=contact.updated").expect(200).data(), &json!([]));
}

fn a_contact_may_rewrite_its_own_number(app: App) {
    let client = app.tenant().client;
    let path = format!("/contacts/{}", add(&client, json!({ "phone": "+5511987654321" })));
    let after =
        |phone: &str| client.patch(&path, json!({ "phone": phone })).expect(200).data()["phone"].clone();
    assert_eq!(after("+55 (11) 98765-4321"), "+5511987654321");
    assert_eq!(after("+55 11 8765-4321"), "+551187654321");
    assert_eq!(after("+55 11 98765-4321"), "+5511987654321");
}

fn a_released_number_can_be_used_again(app: App) {
    let client = app.tenant().client;
    let phone = json!({ "phone": "+14155550123" });
    let first = format!("/contacts/{}", add(&client, json!({ "name": "Ann", "phone": "+14155550123" })));
    client.patch(&first, json!({ "phone": null })).expect(200);
    let second = add(&client, phone.clone());
    taken_by(&client.patch(&first, phone.clone()), &second);
    client.patch(&format!("/contacts/{second}"), json!({ "phone": "+14155550199" })).expect(200);
    assert_eq!(client.patch(&first, phone).expect(200).data()["phone"], "+14155550123");
}

fn accounts_do_not_share_numbers(app: App) {
    let (ours, theirs) = (app.tenant().client, app.tenant().client);
    let phone = json!({ "phone": "+14155550123" });
    let our_id = add(&ours, phone.clone());
    let their_id = add(&theirs, phone.clone());
    taken_by(&ours.post("/contacts", phone.clone()), &our_id);
    taken_by(&theirs.post("/contacts", phone), &their_id);
}

/// Demands that one answer is a success and every other names whom it made.
#[track_caller]
fn one_has_it(responses: &[Response], success: u16) {
    let made: Vec<&Response> = responses.iter().filter(|response| response.status == success).collect();
    assert_eq!(made.len(), 1, "{:?}", responses.iter().map(|response| response.status).collect::<Vec<_>>());
    let owner = made[0].id();
    responses
        .iter()
        .filter(|response| response.status != success)
        .for_each(|response| taken_by(response, &owner));
}

fn of_many_creates_of_one_number_at_once_one_is_made(app: App) {
    let client = app.tenant().client;
    for round in 0..5 {
        let written = [format!("+1415555010{round}"), format!("1 (415) 555-010{round}")];
        let responses = at_once(12, |number| {
            client.post("/contacts", json!({ "phone": written[number % written.len()] }))
        });
        one_has_it(&responses, 201);
    }
    assert_eq!(client.get("/contacts").expect(200).data().as_array().unwrap().len(), 5);
    let told = client.get("/events").expect(200);
    assert_eq!(told.data().as_array().unwrap().len(), 5);
}

fn of_many_updates_to_one_number_at_once_one_is_made(app: App) {
    let client = app.tenant().client;
    let paths: Vec<String> = (0..8)
        .map(|number| format!("/contacts/{}", add(&client, json!({ "name": format!("{number}") }))))
        .collect();
    let responses =
        at_once(paths.len(), |number| client.patch(&paths[number], json!({ "phone": "+14155550123" })));
    one_has_it(&responses, 200);
    let rows = client.get("/contacts").expect(200);
    let with_it = rows.data().as_array().unwrap().iter().filter(|row| row["phone"] != Value::Null).count();
    assert_eq!(with_it, 1);
}
