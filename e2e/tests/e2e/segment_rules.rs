//! Every field and every op of a segment's rules, and whom they describe.

use frontdesk_e2e::{App, Client, on_every_engine};
use serde_json::{Value, json};

use crate::people::{add, field, listed, tag};
use crate::shapes::text;

on_every_engine! {
    text_is_compared_ignoring_case,
    a_phone_is_compared_by_its_digits,
    tag_channel_and_opt_out_rules_are_boolean,
    custom_fields_are_compared_by_their_type,
    moments_are_before_after_or_within_days,
}

/// Everybody: Ann, Bob, Dan, the nameless Eve and Zoë.
const ALL: &str = "ABDEZ";

struct World {
    client: Client,
    vip: String,
    plan: String,
    born: String,
    seen: String,
    now: String,
}

fn world(app: &App) -> World {
    let client = app.tenant().client;
    let (vip, new) = (tag(&client, "vip"), tag(&client, "new"));
    let plan = field(&client, "Plan", "text");
    let (born, seen) = (field(&client, "Born", "date"), field(&client, "Seen", "date"));
    let ann = client.post(
        "/contacts",
        json!({
            "name": "Ann Lee", "phone": "+14155550123", "email": "ann@acme.com", "company": "ACME GmbH",
            "tag_ids": [vip], "custom_fields": { plan.as_str(): "Gold", born.as_str(): "1990-05-01" },
        }),
    );
    let now = text(&ann.data()["created_at"]).to_owned();
    client.put(&format!("/contacts/{}/opt-out", ann.id()), json!({})).expect(200);
    add(
        &client,
        json!({
            "name": "Bob Ray", "phone": "+4930901820", "email": "bob@example.org", "tag_ids": [vip, new],
            "custom_fields": { plan.as_str(): "free" },
        }),
    );
    add(
        &client,
        json!({
            "name": "Dan 100%_x", "phone": "+5511987654321", "company": "acme", "tag_ids": [new],
            "custom_fields": { seen.as_str(): &now[..10] },
        }),
    );
    add(&client, json!({ "email": "Eve@example.com" }));
    add(
        &client,
        json!({
            "name": "Zoë Ärmel ΣΊΣΥΦΟΣ", "email": "zoe@ACME.com", "company": "Öl & Söhne",
            "custom_fields": { born.as_str(): "2001-12-31" },
        }),
    );
    World { client, vip, plan, born, seen, now }
}

impl World {
    /// Demands that each rule describes these people, named by their initials.
    #[track_caller]
    fn describes(&self, table: &[(&str, &str, Value, &str)]) {
        let mut wrong = Vec::new();
        for (field, op, value, wanted) in table {
            let rules = json!([{ "field": field, "op": op, "value": value }]);
            let segment = self.client.post("/segments", json!({ "name": op, "rules": rules }));
            let segment = segment.expect(201);
            let names = listed(&self.client, &format!("segment_id={}", segment.id()));
            let found: String = names.iter().filter_map(|name| name.chars().next()).collect();
            if found != *wanted {
                wrong.push(format!("{field} {op} {value} describes {found:?} instead of {wanted:?}"));
            }
            if segment.data()["contact_count"] != found.len() {
                wrong.push(format!("{field} {op} {value} counts {}", segment.data()["contact_count"]));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}

fn text_is_compared_ignoring_case(app: App) {
    world(&app).describes(&[
        ("name", "is", json!("ANN lee"), "A"),
        ("name", "is", json!("Ann"), ""),
        ("name", "is_not", json!("ann lee"), "BDEZ"),
        ("name", "contains", json!("A"), "ABD"),
        ("name", "contains", json!("ä"), "Z"),
        ("name", "contains", json!("ÄRMEL"), "Z"),
        ("name", "contains", json!("σίσυφος"), "Z"),
        ("name", "contains", json!("100%"), "D"),
        ("name", "contains", json!("%_X"), "D"),
        ("name", "contains", json!("0_"), ""),
        ("name", "contains", json!("\\"), ""),
        ("name", "starts_with", json!("zoË"), "Z"),
        ("name", "starts_with", json!("lee"), ""),
        ("name", "starts_with", json!("%"), ""),
        ("name", "is_set", Value::Null, "ABDZ"),
        ("name", "is_not_set", Value::Null, "E"),
        ("email", "is", json!("ANN@ACME.COM"), "A"),
        ("email", "is_not", json!("ann@acme.com"), "BDEZ"),
        ("email", "contains", json!("acme"), "AZ"),
        ("email", "starts_with", json!("eVe"), "E"),
        ("email", "is_set", Value::Null, "ABEZ"),
        ("email", "is_not_set", Value::Null, "D"),
        ("company", "is", json!("Acme"), "D"),
        ("company", "is_not", json!("Acme"), "ABEZ"),
        ("company", "contains", json!("acme"), "AD"),
        ("company", "starts_with", json!("ÖL"), "Z"),
        ("company", "is_set", Value::Null, "ADZ"),
        ("company", "is_not_set", Value::Null, "BE"),
    ]);
}

fn a_phone_is_compared_by_its_digits(app: App) {
    world(&app).describes(&[
        ("phone", "is", json!("+1 (415) 555-0123"), "A"),
        ("phone", "is", json!("+55 11 8765-4321"), "D"),
        ("phone", "is", json!("+1415555012"), ""),
        ("phone", "is", json!("nobody"), ""),
        ("phone", "is_not", json!("14155550123"), "BDEZ"),
        ("phone", "contains", json!("555"), "A"),
        ("phone", "contains", json!("555-01"), "A"),
        ("phone", "contains", json!("090"), "B"),
        ("phone", "contains", json!("abc"), ""),
        ("phone", "contains", json!("%"), ""),
        ("phone", "starts_with", json!("+49"), "B"),
        ("phone", "starts_with", json!("49"), "B"),
        ("phone", "starts_with", json!("30"), ""),
        ("phone", "starts_with", json!("abc"), ""),
        ("phone", "is_set", Value::Null, "ABD"),
        ("phone", "is_not_set", Value::Null, "EZ"),
    ]);
}

fn tag_channel_and_opt_out_rules_are_boolean(app: App) {
    let world = world(&app);
    let vip = || json!(world.vip);
    world.describes(&[
        ("tag", "is", vip(), "AB"),
        ("tag", "is_not", vip(), "DEZ"),
        ("tag", "is_set", Value::Null, "ABD"),
        ("tag", "is_not_set", Value::Null, "EZ"),
        ("opted_out", "is", json!(true), "A"),
        ("opted_out", "is", json!(false), "BDEZ"),
        ("opted_out", "is_not", json!(true), "BDEZ"),
        ("opted_out", "is_not", json!(false), "A"),
        ("channel", "is", json!("whatsapp"), ""),
        ("channel", "is_not", json!("web_chat"), ALL),
        ("channel", "is_set", Value::Null, ""),
        ("channel", "is_not_set", Value::Null, ALL),
    ]);
}

fn custom_fields_are_compared_by_their_type(app: App) {
    let world = world(&app);
    let [plan, born, seen] = [&world.plan, &world.born, &world.seen].map(|id| format!("custom_field:{id}"));
    let (plan, born, seen) = (plan.as_str(), born.as_str(), seen.as_str());
    world.describes(&[
        (plan, "is", json!("gold"), "A"),
        (plan, "is_not", json!("GOLD"), "BDEZ"),
        (plan, "contains", json!("R"), "B"),
        (plan, "starts_with", json!("g"), "A"),
        (plan, "starts_with", json!("ree"), ""),
        (plan, "is_set", Value::Null, "AB"),
        (plan, "is_not_set", Value::Null, "DEZ"),
        (born, "is", json!("1990-05-01"), "A"),
        (born, "is_not", json!("1990-05-01"), "BDEZ"),
        (born, "before", json!("2000-01-01"), "A"),
        (born, "before", json!("1990-05-01"), ""),
        (born, "before", json!("1990-05-02T00:00:00Z"), "A"),
        (born, "after", json!("2000-01-01"), "Z"),
        (born, "after", json!("2001-12-31"), ""),
        (born, "after", json!("1980-01-01"), "AZ"),
        (born, "within_days", json!(365), ""),
        (born, "is_set", Value::Null, "AZ"),
        (born, "is_not_set", Value::Null, "BDE"),
        (seen, "within_days", json!(1), "D"),
        (seen, "within_days", json!(30), "D"),
    ]);
}

fn moments_are_before_after_or_within_days(app: App) {
    let world = world(&app);
    world.describes(&[
        ("created_at", "before", json!("2999-01-01T00:00:00Z"), ALL),
        ("created_at", "before", json!("2020-01-01"), ""),
        ("created_at", "before", json!(world.now), ""),
        ("created_at", "after", json!("2020-01-01"), ALL),
        ("created_at", "after", json!("2999-01-01"), ""),
        ("created_at", "within_days", json!(1), ALL),
        ("created_at", "is_set", Value::Null, ALL),
        ("created_at", "is_not_set", Value::Null, ""),
        ("last_inbound_at", "before", json!("2999-01-01"), ""),
        ("last_inbound_at", "after", json!("2020-01-01"), ""),
        ("last_inbound_at", "within_days", json!(30), ""),
        ("last_inbound_at", "is_set", Value::Null, ""),
        ("last_inbound_at", "is_not_set", Value::Null, ALL),
    ]);
    let rows = world.client.get("/contacts").expect(200);
    let newest = text(&rows.data()[0]["created_at"]);
    let before =
        rows.data().as_array().unwrap().iter().filter(|row| text(&row["created_at"]) < newest).count();
    for (op, wanted) in [("after", 0), ("before", before)] {
        let rules = json!([{ "field": "created_at", "op": op, "value": newest }]);
        let made = world.client.post("/segments", json!({ "name": op, "rules": rules })).expect(201);
        assert_eq!(made.data()["contact_count"], wanted, "{op} {newest}");
    }
}
