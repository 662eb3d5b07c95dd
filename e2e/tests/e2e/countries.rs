//! The country of an account, and phone numbers as people of a country write them.

use frontdesk_e2e::{App, Client, on_every_engine};
use serde_json::{Value, json};

use crate::app_scene::{Browser, OWNER, PASSWORD, member, set_password};
use crate::forms::{form, only_inquiry, send, visitor};
use crate::people::add;

on_every_engine! {
    the_country_is_preset_from_the_time_zone,
    an_admin_sets_the_country_in_the_dashboard,
    the_zero_in_brackets_is_dropped_everywhere,
    the_api_reads_national_numbers_only_with_a_country,
    a_form_reads_numbers_with_the_accounts_country,
}

fn shown(app: &App, account: &str) -> Value {
    let accounts = app.cli(&["account", "list"]);
    let accounts = accounts.as_array().expect("accounts");
    accounts.iter().find(|one| one["id"] == account).expect("the account")["country"].clone()
}

#[track_caller]
fn phone(client: &Client, id: &str) -> Value {
    client.get(&format!("/contacts/{id}")).expect(200).data()["phone"].clone()
}

fn the_country_is_preset_from_the_time_zone(app: App) {
    let berlin = app.account_with(&["--timezone", "Europe/Berlin"]).id;
    assert_eq!(shown(&app, &berlin), "DE");
    assert_eq!(shown(&app, &app.account_with(&["--timezone", "Europe/Berlin", "--country", "at"]).id), "AT");
    assert_eq!(shown(&app, &app.account_with(&[]).id), Value::Null);
    // It follows the time zone until it is chosen.
    let set =
        |options: &[&str]| app.cli(&[&["account", "set", &berlin], options].concat())["country"].clone();
    assert_eq!(set(&["--timezone", "America/New_York"]), "US");
    assert_eq!(set(&["--country", "CH"]), "CH");
    assert_eq!(set(&["--timezone", "Asia/Tokyo"]), "CH");
    assert_eq!(set(&["--country", "none"]), Value::Null);
    assert_eq!(set(&["--name", "Chairs"]), Value::Null);
    let wrong = app.run(&["account", "set", &berlin, "--country", "XX"]).expect_failure();
    assert!(wrong.contains("such as DE"), "{wrong}");
}

fn an_admin_sets_the_country_in_the_dashboard(app: App) {
    let account = app.account_with(&["--timezone", "Europe/Berlin", "--owner-email", OWNER]);
    set_password(&app, &account.owner, PASSWORD);
    let browser = Browser::new(&app).sign_in(OWNER);
    let session =
        |browser: &Browser| browser.get("/session").expect(200).data()["account"]["country"].clone();
    assert_eq!(session(&browser), "DE");
    assert_eq!(browser.get("/admin/account").expect(200).data()["country"], "DE");
    for (given, kept) in [(json!("fr"), json!("FR")), (Value::Null, Value::Null), (json!("US"), json!("US"))]
    {
        let set = browser.patch("/admin/account", json!({ "country": given })).expect(200);
        assert_eq!((&set.data()["country"], session(&browser)), (&kept, kept.clone()));
    }
    browser.patch("/admin/account", json!({ "country": "Germany" })).expect(400).details_at(&["country"]);
    // Another account and an agent of this one change nothing.
    let other = app.account_with(&["--timezone", "Asia/Tokyo"]);
    member(&app, &account, "agent@example.com", "agent");
    let agent = Browser::new(&app).sign_in("agent@example.com");
    agent.patch("/admin/account", json!({ "country": "DE" })).expect(403);
    assert_eq!((shown(&app, &account.id), shown(&app, &other.id)), (json!("US"), json!("JP")));
}

fn the_zero_in_brackets_is_dropped_everywhere(app: App) {
    let client = app.tenant().client;
    let id = add(&client, json!({ "phone": "+49 (0)151 0000489" }));
    assert_eq!(phone(&client, &id), "+491510000489");
    // The zero that is dialled only inside the country.
    client.post("/contacts", json!({ "phone": "+4901510000489" })).expect(409);
    let found = client.get("/contacts?phone=%2B49%20(0)151%200000489").expect(200);
    assert_eq!(found.data()[0]["id"], id);
    client.post("/contacts", json!({ "phone": "+491510000489" })).expect(409);
    // In Italy the zero is part of the number.
    assert_eq!(phone(&client, &add(&client, json!({ "phone": "+39 (0)6 1234 5678" }))), "+390612345678");
}

fn the_api_reads_national_numbers_only_with_a_country(app: App) {
    let account = app.account_with(&["--timezone", "Europe/Berlin", "--rate-limit", "100000"]);
    let client = app.client(&app.key_with(&account, &["--all-scopes"]));
    // As before: digits are a number with its country code, and the account's country does not matter.
    assert_eq!(phone(&client, &add(&client, json!({ "phone": "1510000482" }))), "+1510000482");
    client.post("/contacts", json!({ "phone": "0151 0000482" })).expect(400).details_at(&["phone"]);
    let id = add(&client, json!({ "phone": "0151 0000482", "country": "de" }));
    assert_eq!(phone(&client, &id), "+491510000482");
    let patch = json!({ "phone": "'(415) 555-0123", "country": "US" });
    let patched = client.patch(&format!("/contacts/{id}"), patch).expect(200);
    assert_eq!(patched.data()["phone"], "+14155550123");
    let inquiry = json!({ "name": "Ann", "phone": "151 0000483", "country": "DE" });
    assert_eq!(client.post("/inquiries", inquiry).expect(201).data()["phone"], "+491510000483");
    let refused = client.post("/contacts", json!({ "phone": "12", "country": "DE" })).expect(400);
    refused.details_at(&["phone"]);
    assert!(refused.text.contains("is too short for a phone number of DE"), "{}", refused.text);
    client
        .post("/contacts", json!({ "phone": "0151 0000482", "country": "XX" }))
        .expect(400)
        .details_at(&["phone", "country"]);
    client
        .post("/messages", json!({ "to": { "phone": "12", "country": "DE" }, "type": "text", "text": "Hi" }))
        .expect(400)
        .details_at(&["to.phone"]);
    let audience = json!({ "type": "phones", "phones": ["0151 0000482", "12"], "country": "DE" });
    let broadcast = json!({ "name": "News", "template": { "name": "news" }, "audience": audience });
    client.post("/broadcasts", broadcast).expect(400).details_at(&["audience.phones.1"]);
}

fn a_form_reads_numbers_with_the_accounts_country(app: App) {
    let tenant = app.tenant();
    app.cli(&["account", "set", &tenant.account.id, "--country", "DE"]);
    let (_, path) = form(&app, &tenant, &[]);
    let refused = send(&visitor(&app), &path, "name=Ann&email=ann%40example.com&phone=12").expect(400);
    refused.details_at(&["phone"]);
    // A person sees the form again, with what is wrong beside the field.
    let person = visitor(&app).with("accept", "text/html");
    let again = send(&person, &path, "_hosted=1&email=ann%40example.com&message=Hi&phone=12").expect(400);
    assert!(again.text.contains("Phone is too short for a phone number of DE."), "{}", again.text);
    send(&visitor(&app), &path, "name=Ann&phone='0151+0000482&country=Germany").expect(201);
    let found = only_inquiry(&tenant.client);
    assert_eq!(
        (&found["phone"], &found["fields"]),
        (&json!("+491510000482"), &json!({ "country": "Germany" }))
    );
}
