//! Contacts, deals and notes from CSV files, by the command line.

use std::fs;

use frontdesk_e2e::{App, Scratch, on_every_engine};
use serde_json::{Value, json};

use crate::people::{field, walk};
use crate::shapes;

on_every_engine! {
    contacts_of_a_file_come_once_and_numbers_are_read_as_people_write_them,
    a_mapping_is_guessed_and_what_is_wrong_with_one_is_said,
    deals_of_a_file_come_once_with_their_contacts_and_stages,
    notes_of_a_file_come_once_with_their_times,
    a_file_of_another_account_stays_there,
}

fn text(value: &Value) -> String {
    shapes::text(value).to_owned()
}

/// A file of a test, and the arguments that name it.
struct File {
    scratch: Scratch,
}

impl File {
    fn new(bytes: impl AsRef<[u8]>, mapping: Option<Value>) -> Self {
        let scratch = Scratch::new();
        fs::write(scratch.path().join("rows.csv"), bytes).expect("a file");
        if let Some(mapping) = mapping {
            fs::write(scratch.path().join("mapping.json"), mapping.to_string()).expect("a file");
        }
        Self { scratch }
    }

    fn arguments(&self, account: &str, options: &[&str]) -> Vec<String> {
        let path = |name: &str| self.scratch.path().join(name).display().to_string();
        let mut all = vec![
            "import".to_owned(),
            "csv".to_owned(),
            path("rows.csv"),
            "--account".to_owned(),
            account.to_owned(),
        ];
        if self.scratch.path().join("mapping.json").exists() {
            all.extend(["--mapping".to_owned(), path("mapping.json")]);
        }
        all.extend(options.iter().map(|option| (*option).to_owned()));
        all
    }

    fn import(&self, app: &App, account: &str, options: &[&str]) -> Value {
        let arguments = self.arguments(account, options);
        app.cli(&arguments.iter().map(String::as_str).collect::<Vec<_>>())["summary"].clone()
    }

    fn refused(&self, app: &App, account: &str) -> String {
        let arguments = self.arguments(account, &[]);
        app.run(&arguments.iter().map(String::as_str).collect::<Vec<_>>()).expect_failure()
    }
}

fn counts(summary: &Value) -> [i64; 4] {
    ["created", "updated", "unchanged", "refused"].map(|name| summary[name].as_i64().expect("a number"))
}

fn reasons(summary: &Value, list: &str) -> Vec<(i64, String)> {
    let rows = summary[list].as_array().expect("rows").iter();
    rows.map(|row| (row["line"].as_i64().expect("a line"), text(&row["field"]))).collect()
}

fn contacts_of_a_file_come_once_and_numbers_are_read_as_people_write_them(app: App) {
    let tenant = app.tenant();
    let (client, account) = (&tenant.client, tenant.account.id.as_str());
    let plan = field(client, "Plan", "text");
    let rows = "Vorname;Nachname;Telefon;Mail;Gruppen;Tarif\r\n\
        Ann;Lee;+49 (0)151 0000489;ann@example.com;vip, neu;Gold\r\n\
        Bob;;0151/0000490;;;\r\n\
        Cem;;+4901510000491;;;\r\n\
        Dora;;0049 151 - 0000492;;;\r\n\
        Eve;;+49 12;;;\r\n\
        Finn;;+4912;finn@example.com;;\r\n\
        Gül;;'01510000489;;;\r\n";
    let mapping = json!({ "country": "DE", "columns": { "Vorname": "first_name", "Nachname": "last_name", "Telefon": "phone",
        "Mail": "email", "Gruppen": "tags", "Tarif": "field:plan" } });
    let file = File::new(rows, Some(mapping));
    let dry = file.import(&app, account, &["--dry-run"]);
    assert_eq!(counts(&dry), [5, 1, 0, 1], "{dry}");
    assert_eq!(walk(client, "/contacts").len(), 0);
    let done = file.import(&app, account, &[]);
    assert_eq!(counts(&done), counts(&dry), "{done}");
    assert_eq!(reasons(&done, "refused_rows"), [(6, "phone".to_owned())]);
    assert_eq!(reasons(&done, "warned_rows"), [(7, "phone".to_owned())]);
    let people = walk(client, "/contacts");
    let mut phones: Vec<String> =
        people.iter().filter_map(|one| one["phone"].as_str().map(ToOwned::to_owned)).collect();
    phones.sort();
    assert_eq!(phones, ["+491510000489", "+491510000490", "+491510000491", "+491510000492"]);
    let ann = client.get("/contacts?phone=%2B491510000489").expect(200).data()[0].clone();
    assert_eq!((&ann["name"], &ann["tags"][0]["name"]), (&json!("Gül"), &json!("neu")));
    let value =
        ann["custom_fields"].as_array().unwrap().iter().find(|one| one["field_id"] == plan.as_str()).unwrap();
    assert_eq!(value["value"], "Gold");
    assert_eq!(walk(client, "/events").len(), 0);
    let again = file.import(&app, account, &[]);
    assert_eq!(again["created"], 0, "{again}");
    assert_eq!(walk(client, "/contacts").len(), 5);
    // Events are written if that is chosen.
    let told = File::new("Name,Phone\nHal,+14155550123\n", None).import(&app, account, &["--events"]);
    assert_eq!(counts(&told), [1, 0, 0, 0]);
    assert_eq!(walk(client, "/events")[0]["event_type"], "contact.created");
}

fn a_mapping_is_guessed_and_what_is_wrong_with_one_is_said(app: App) {
    let tenant = app.tenant();
    let account = tenant.account.id.as_str();
    field(&tenant.client, "Plan", "text");
    let rows = "Full Name,Mobile,plan,Shoe\nAnn,+14155550123,Gold,42\n";
    let file = File::new(rows, None);
    let arguments = file.arguments(account, &["--guess"]);
    let guessed = app.cli(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(
        guessed["columns"],
        json!({ "Full Name": "name", "Mobile": "phone", "plan": "field:Plan", "Shoe": "skip" })
    );
    // What was guessed is a mapping.
    assert_eq!(counts(&File::new(rows, Some(guessed)).import(&app, account, &[])), [1, 0, 0, 0]);
    for (rows, mapping, part) in [
        (rows, json!({ "columns": { "Nose": "name" } }), "no column \"Nose\""),
        (rows, json!({ "columns": { "Shoe": "field:Size" } }), "no custom field \"Size\""),
        (rows, json!({ "columns": { "Shoe": "boot" } }), "use name"),
        ("", json!({ "columns": {} }), "empty"),
    ] {
        let said = File::new(rows, Some(mapping)).refused(&app, account);
        assert!(said.contains(part), "{said}");
    }
    assert!(
        app.run(&["import", "csv", "/nowhere.csv", "--account", account])
            .expect_failure()
            .contains("cannot read")
    );
}

fn deals_of_a_file_come_once_with_their_contacts_and_stages(app: App) {
    let tenant = app.tenant();
    let (client, account) = (&tenant.client, tenant.account.id.as_str());
    let ann = client.post("/contacts", json!({ "name": "Ann", "phone": "+491510000489" })).expect(201).id();
    let pipeline = client.get("/pipelines").expect(200).data()[0].clone();
    let stage = text(&pipeline["stages"][1]["name"]);
    let rows = format!(
        "Nr,Titel,Wert,Phase,Telefon,Status,Grund\n1,Chairs,\"1.234,50 €\",{stage},+4901510000489,won,\n2,Tables,,,,lost,too late\n\
        3,,1,,,,\n4,Lamps,1,Nowhere,,,\n5,Sofas,1,,+14155550199,,\n6,Beds,-5,,,,\n"
    );
    let mapping = json!({ "kind": "deals", "decimal": ",", "columns": { "Nr": "id", "Titel": "title", "Wert": "value", "Phase": "stage",
        "Telefon": "contact_phone", "Status": "status", "Grund": "lost_reason" } });
    let file = File::new(rows, Some(mapping));
    assert_eq!(counts(&file.import(&app, account, &["--dry-run"])), [2, 0, 0, 4]);
    let done = file.import(&app, account, &[]);
    assert_eq!(counts(&done), [2, 0, 0, 4], "{done}");
    let lines: Vec<String> = reasons(&done, "refused_rows").into_iter().map(|(_, field)| field).collect();
    assert_eq!(lines, ["title", "stage", "contact_phone", "value"]);
    let deals = walk(client, "/deals");
    let chairs = deals.iter().find(|deal| deal["title"] == "Chairs").unwrap();
    assert_eq!(
        (&chairs["value"], &chairs["status"], &chairs["contact_id"]),
        (&json!(1234.5), &json!("won"), &json!(ann))
    );
    assert_eq!(chairs["stage_id"], pipeline["stages"][1]["id"]);
    assert!(deals.iter().any(|deal| deal["lost_reason"] == "too late"));
    assert_eq!(counts(&file.import(&app, account, &[])), [0, 0, 2, 4]);
    assert_eq!(
        walk(client, "/events").iter().filter(|event| text(&event["event_type"]).starts_with("deal")).count(),
        0
    );
}

fn notes_of_a_file_come_once_with_their_times(app: App) {
    let tenant = app.tenant();
    let (client, account) = (&tenant.client, tenant.account.id.as_str());
    let ann = client.post("/contacts", json!({ "name": "Ann", "email": "ann@example.com" })).expect(201).id();
    let rows = "Mail,Text,Tag\nANN@example.com,\"likes\nchairs\",2023-05-01\nann@example.com,,2023-05-01\nbob@example.com,x,\nann@example.com,y,soon\n";
    let mapping = json!({ "kind": "notes", "columns": { "Mail": "contact_email", "Text": "body", "Tag": "created_at" } });
    let file = File::new(rows, Some(mapping));
    let done = file.import(&app, account, &[]);
    assert_eq!(counts(&done), [1, 0, 0, 3], "{done}");
    let notes = walk(client, &format!("/contacts/{ann}/notes"));
    assert_eq!(
        (&notes[0]["body"], &notes[0]["created_at"]),
        (&json!("likes\nchairs"), &json!("2023-05-01T00:00:00.000Z"))
    );
    assert_eq!(counts(&file.import(&app, account, &[])), [0, 0, 1, 3]);
}

fn a_file_of_another_account_stays_there(app: App) {
    let (one, other) = (app.tenant(), app.tenant());
    one.client.post("/contacts", json!({ "name": "Ann", "phone": "+491510000489" })).expect(201);
    let mapping = json!({ "kind": "notes", "columns": { "Phone": "contact_phone", "Text": "body" } });
    let file = File::new("Phone,Text\n+491510000489,secret\n", Some(mapping));
    assert_eq!(counts(&file.import(&app, &other.account.id, &[])), [0, 0, 0, 1]);
    assert_eq!(counts(&file.import(&app, &one.account.id, &[])), [1, 0, 0, 0]);
}
