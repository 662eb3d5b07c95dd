//! Contacts, deals and notes from CSV files, by the command line.

use std::fmt::Write as _;
use std::fs;

use frontdesk_e2e::{App, Engine, Scratch, on_every_engine};
use serde_json::{Value, json};

use crate::import_killed::{kill_when, stored};
use crate::people::{field, walk};
use crate::shapes;

on_every_engine! {
    contacts_of_a_file_come_once_and_numbers_are_read_as_people_write_them,
    a_mapping_is_guessed_and_what_is_wrong_with_one_is_said,
    deals_of_a_file_come_once_with_their_contacts_and_stages,
    notes_of_a_file_come_once_with_their_times,
    refused_rows_are_corrected_in_a_file_of_their_own,
    refused_deals_and_notes_are_in_a_file_too,
    a_file_of_another_account_stays_there,
    a_file_whose_import_is_killed_comes_completely_and_once,
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

    /// The file of refused rows.
    fn rejected(&self) -> String {
        self.scratch.path().join("rejected.csv").display().to_string()
    }

    /// Puts the refused rows in the place of the file, as a person has corrected them.
    fn correct(&self, changes: &[(&str, &str)]) {
        let mut text = fs::read_to_string(self.rejected()).expect("the refused rows");
        for (wrong, right) in changes {
            assert!(text.contains(wrong), "no {wrong:?} in {text:?}");
            text = text.replace(wrong, right);
        }
        fs::write(self.scratch.path().join("rows.csv"), text).expect("a file");
        fs::remove_file(self.rejected()).expect("a file");
    }

    fn refused(&self, app: &App, account: &str, options: &[&str]) -> String {
        let arguments = self.arguments(account, options);
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
        let said = File::new(rows, Some(mapping)).refused(&app, account, &[]);
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

fn refused_rows_are_corrected_in_a_file_of_their_own(app: App) {
    let tenant = app.tenant();
    let (client, account) = (&tenant.client, tenant.account.id.as_str());
    // Windows-1252, a line break, quotes, separators and formulas, and rows that are too short and too long.
    let rows = b"Name;Firma;Telefon;=Sum\r\nAnn;;0151/0000489;\r\n\
        \"J\xFCrgen \"\"JJ\"\"\nLee\";\"a;b,c|d\";+49 12;=1+1\r\n\
        =HYPERLINK(\"\"x\"\");@cmd;-12;\r\n\
        Bob\r\n\
        Cem;;call me;x;left;over\r\n";
    let mapping =
        json!({ "country": "DE", "columns": { "Name": "name", "Firma": "company", "Telefon": "phone" } });
    let file = File::new(rows, Some(mapping));
    let path = file.rejected();
    let options = ["--rejected", path.as_str()];

    let dry = file.import(&app, account, &[&options[..], &["--dry-run"]].concat());
    assert_eq!(counts(&dry), [1, 0, 0, 4], "{dry}");
    let expected = "\u{feff}Name;Firma;Telefon;'=Sum;Refused because\r\n\
        \"J\u{fc}rgen \"\"JJ\"\"\nLee\";\"a;b,c|d\";'+49 12;'=1+1;phone is too short for a phone number\r\n\
        \"'=HYPERLINK(\"\"\"\"x\"\"\"\")\";'@cmd;'-12;;phone is too short for a phone number of DE\r\n\
        Bob;;;;\"phone is needed to find the contact of the row; an email address or a phone number will do\"\r\n\
        Cem;;call me;x;\"phone must be a phone number, such as +14155550123\";left;over\r\n";
    assert_eq!(fs::read_to_string(&path).expect("the refused rows"), expected);
    // Nothing is overwritten, and nothing is brought before that is known.
    let said = file.refused(&app, account, &options);
    assert!(said.contains("exists already"), "{said}");
    assert_eq!(walk(client, "/contacts").len(), 0);
    fs::remove_file(&path).expect("a file");
    assert_eq!(counts(&file.import(&app, account, &options)), [1, 0, 0, 4]);
    assert_eq!(fs::read_to_string(&path).expect("the refused rows"), expected);

    // The same mapping takes the corrected file. What is still wrong is in the next one, with one reason.
    file.correct(&[
        ("'+49 12", "0151 0000490"),
        ("'-12", "0151-0000491"),
        ("Bob;;;", "Bob;;+49 (0)151 0000492;"),
    ]);
    let done = file.import(&app, account, &options);
    assert_eq!(counts(&done), [3, 0, 0, 1], "{done}");
    assert_eq!(
        fs::read_to_string(&path).expect("the refused row"),
        "\u{feff}Name;Firma;Telefon;'=Sum;Refused because\r\n\
        Cem;;call me;x;\"phone must be a phone number, such as +14155550123\";left;over\r\n"
    );
    let mut people: Vec<[Value; 3]> = walk(client, "/contacts")
        .into_iter()
        .map(|one| [one["phone"].clone(), one["name"].clone(), one["company"].clone()])
        .collect();
    people.sort_by_key(|one| text(&one[0]));
    let person = |phone: &str, name: &str, company: Value| [json!(phone), json!(name), company];
    assert_eq!(
        people,
        [
            person("+491510000489", "Ann", Value::Null),
            person("+491510000490", "J\u{fc}rgen \"JJ\"\nLee", json!("a;b,c|d")),
            person("+491510000491", "=HYPERLINK(\"\"x\"\")", json!("@cmd")),
            person("+491510000492", "Bob", Value::Null),
        ]
    );
    // Without refused rows there is no file.
    file.correct(&[("call me", "0151 0000493")]);
    assert_eq!(counts(&file.import(&app, account, &options)), [1, 0, 0, 0]);
    assert!(!std::path::Path::new(&path).exists());
}

fn refused_deals_and_notes_are_in_a_file_too(app: App) {
    let tenant = app.tenant();
    let (client, account) = (&tenant.client, tenant.account.id.as_str());
    let ann = client.post("/contacts", json!({ "name": "Ann", "phone": "+491510000489" })).expect(201).id();
    let mapping = json!({ "kind": "deals", "columns": { "Titel": "title", "Wert": "value" } });
    let file = File::new("Titel,Wert\n=Chairs,-5\n-Tables,7\n", Some(mapping));
    let path = file.rejected();
    let options = ["--rejected", path.as_str()];
    assert_eq!(counts(&file.import(&app, account, &options)), [1, 0, 0, 1]);
    file.correct(&[("'-5", "5")]);
    assert_eq!(counts(&file.import(&app, account, &options)), [1, 0, 0, 0]);
    // The corrected file again adds nothing.
    assert_eq!(counts(&file.import(&app, account, &options)), [0, 0, 1, 0]);
    let mut titles: Vec<String> = walk(client, "/deals").iter().map(|deal| text(&deal["title"])).collect();
    titles.sort();
    assert_eq!(titles, ["-Tables", "=Chairs"]);

    // Numbers are of the account's country, as the mapping names none.
    app.cli(&["account", "set", account, "--country", "DE"]);
    let mapping = json!({ "kind": "notes", "columns": { "Telefon": "contact_phone", "Text": "body" } });
    let file = File::new("Telefon,Text\n0151 0000499,\"=two\nlines\"\n", Some(mapping));
    let path = file.rejected();
    let options = ["--rejected", path.as_str()];
    assert_eq!(counts(&file.import(&app, account, &options)), [0, 0, 0, 1]);
    file.correct(&[("0000499", "0000489")]);
    assert_eq!(counts(&file.import(&app, account, &options)), [1, 0, 0, 0]);
    assert_eq!(walk(client, &format!("/contacts/{ann}/notes"))[0]["body"], "=two\nlines");
}

fn a_file_of_another_account_stays_there(app: App) {
    let (one, other) = (app.tenant(), app.tenant());
    one.client.post("/contacts", json!({ "name": "Ann", "phone": "+491510000489" })).expect(201);
    let mapping = json!({ "kind": "notes", "columns": { "Phone": "contact_phone", "Text": "body" } });
    let file = File::new("Phone,Text\n+491510000489,secret\n", Some(mapping));
    assert_eq!(counts(&file.import(&app, &other.account.id, &[])), [0, 0, 0, 1]);
    assert_eq!(counts(&file.import(&app, &one.account.id, &[])), [1, 0, 0, 0]);
}

fn a_file_whose_import_is_killed_comes_completely_and_once(engine: Engine) {
    /// Twenty transactions.
    const ROWS: u64 = 4_000;
    let app = App::start(engine).alone().ready();
    let tenant = app.tenant();
    let account = tenant.account.id.as_str();
    let (mut people, mut notes) = ("Name,Phone,Plan\n".to_owned(), "Phone,Text\n".to_owned());
    for row in 0..ROWS {
        let _ = writeln!(people, "Person {row},+4915{:08},Gold", 10_000_000 + row);
        let _ = writeln!(notes, "+4915{:08},\"note {row}, with a comma\"", 10_000_000 + row);
    }
    field(&tenant.client, "Plan", "text");
    let of_people = json!({ "columns": { "Name": "name", "Phone": "phone", "Plan": "field:Plan" } });
    let of_notes = json!({ "kind": "notes", "columns": { "Phone": "contact_phone", "Text": "body" } });
    for (rows, mapping, table, each) in
        [(people, of_people, "contacts", "DISTINCT phone"), (notes, of_notes, "notes", "DISTINCT body")]
    {
        let file = File::new(rows, Some(mapping));
        let count = |what: &str| stored(&app, &format!("SELECT count({what}) FROM {table}"));
        let arguments = file.arguments(account, &[]);
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        kill_when(&app, &arguments, &|| count("*") >= ROWS / 4);
        let written = count("*");
        assert!(written < ROWS, "all {written} {table} were written before it was killed");
        let done = file.import(&app, account, &[]);
        let [created, updated, unchanged, refused] = counts(&done);
        // A transaction that the database had received may have ended after its import.
        assert!(updated + unchanged >= written as i64 && created > 0, "{written} before, {done}");
        assert_eq!((created + updated + unchanged, refused), (ROWS as i64, 0), "{done}");
        assert_eq!((count("*"), count(each)), (ROWS, ROWS), "{table}");
        assert_eq!(counts(&file.import(&app, account, &[]))[0], 0);
        assert_eq!(count("*"), ROWS, "{table}");
    }
    assert_eq!(stored(&app, "SELECT count(*) FROM contact_values"), ROWS);
    assert_eq!(walk(&tenant.client, "/events").len(), 0);
}
