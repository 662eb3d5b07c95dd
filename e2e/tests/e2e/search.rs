//! What `q` finds. Both engines must find the same.

use frontdesk_e2e::{App, Client, Engine, Given, on_every_engine};
use postgres::{Client as Postgres, NoTls};
use serde_json::json;

use crate::people::{add, encoded, listed, walk};

on_every_engine! {
    any_part_matches_regardless_of_case,
    one_or_two_characters_find_beginnings_of_words_alone,
    special_characters_are_searched_literally,
    a_changed_contact_is_found_by_its_new_values_only,
    a_blank_query_matches_every_contact,
    a_search_is_walked_page_by_page,
    a_search_finds_nothing_of_another_account,
    rare_combinations_of_what_many_have_are_found,
    alone an_older_database_is_searched_like_a_new_one,
}

/// A server that can be told to catch up, and somebody who searches.
struct Desk {
    app: App,
    client: Client,
}

impl Given for Desk {
    fn given(engine: Engine) -> Self {
        let app = App::start(engine).env("FRONTDESK_SANDBOX_CLOCK", "true").ready();
        Self { client: app.tenant().client, app }
    }
}

impl Desk {
    /// Waits until everything that follows behind has caught up.
    #[track_caller]
    fn catch_up(&self) {
        self.app.anonymous().vendors().post("/sandbox/clock", json!({ "advance_seconds": 0 })).expect(200);
    }
}

/// Demands that each query finds these people, named by the first word of their names: right away, and once whatever
/// follows behind has caught up.
#[track_caller]
fn finds(desk: &Desk, table: &[(&str, &str)]) {
    finds_now(&desk.client, table);
    desk.catch_up();
    finds_now(&desk.client, table);
}

#[track_caller]
fn finds_now(client: &Client, table: &[(&str, &str)]) {
    let wrong: Vec<String> = table
        .iter()
        .filter_map(|(query, wanted)| {
            let names = listed(client, &format!("q={}", encoded(query)));
            let found: Vec<&str> =
                names.iter().map(|name| name.split_whitespace().next().unwrap_or_default()).collect();
            let found = found.join(" ");
            (found != *wanted).then(|| format!("{query:?} finds {found:?} instead of {wanted:?}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn people(client: &Client) {
    add(
        client,
        json!({
            "name": "Ann-Marie Lee", "phone": "+55 11 98765-4321", "email": "Ann.Lee@acme.com",
            "company": "ACME GmbH",
        }),
    );
    add(client, json!({ "name": "Zoë Ärmel", "email": "zoe@example.org", "company": "Öl & Söhne" }));
    add(client, json!({ "name": "田中太郎", "phone": "+81 3 1234 5678" }));
    add(client, json!({ "name": "ΑΛΦΑ Бета", "company": "Crème Brûlée" }));
}

fn any_part_matches_regardless_of_case(desk: Desk) {
    let client = &desk.client;
    people(client);
    finds(
        &desk,
        &[
            ("ann", "Ann-Marie"),
            ("MARIE", "Ann-Marie"),
            ("nn-ma", "Ann-Marie"),
            ("e Lee", "Ann-Marie"),
            ("ann-marie lee", "Ann-Marie"),
            (" lee ", "Ann-Marie"),
            ("87654", "Ann-Marie"),
            ("+55119", "Ann-Marie"),
            ("5511987654321", "Ann-Marie"),
            ("LEE@ACME", "Ann-Marie"),
            (".com", "Ann-Marie"),
            ("gmbh", "Ann-Marie"),
            ("zoË", "Zoë"),
            ("ÄRM", "Zoë"),
            ("rmel", "Zoë"),
            ("öl & SÖ", "Zoë"),
            ("hne", "Zoë"),
            ("zoe", "Zoë"),
            ("田中太", "田中太郎"),
            ("中太郎", "田中太郎"),
            ("12345", "田中太郎"),
            ("αλφ", "ΑΛΦΑ"),
            ("ЕТА", "ΑΛΦΑ"),
            ("crÈme", "ΑΛΦΑ"),
            ("ÛLÉE", "ΑΛΦΑ"),
            ("acme.com", "Ann-Marie"),
            ("annmarie", ""),
            ("lee ann", ""),
            ("marie  lee", ""),
            ("4321ann", ""),
            ("com acme", ""),
            ("comacme", ""),
            ("armel", ""),
            ("creme", ""),
        ],
    );
}

fn one_or_two_characters_find_beginnings_of_words_alone(desk: Desk) {
    let client = &desk.client;
    people(client);
    finds(
        &desk,
        &[
            ("a", "Ann-Marie"),
            ("AN", "Ann-Marie"),
            ("ma", "Ann-Marie"),
            ("l", "Ann-Marie"),
            ("le", "Ann-Marie"),
            ("gm", "Ann-Marie"),
            ("55", "Ann-Marie"),
            ("co", "Ann-Marie"),
            ("Z", "Zoë"),
            ("zo", "Zoë"),
            ("ä", "Zoë"),
            ("ÄR", "Zoë"),
            ("ö", "Zoë"),
            ("Sö", "Zoë"),
            ("o", "Zoë"),
            ("田", "田中太郎"),
            ("田中", "田中太郎"),
            ("8", "田中太郎"),
            ("α", "ΑΛΦΑ"),
            ("бе", "ΑΛΦΑ"),
            ("CR", "ΑΛΦΑ"),
            ("nn", ""),
            ("e", "Zoë"),
            ("ee", ""),
            ("11", ""),
            ("21", ""),
            ("ri", ""),
            ("oë", ""),
            ("rm", ""),
            ("太郎", ""),
            ("λ", ""),
            ("та", ""),
            ("q", ""),
        ],
    );
}

fn special_characters_are_searched_literally(desk: Desk) {
    let client = &desk.client;
    for name in [
        "100% wool",
        "100 wool",
        "snake_case",
        "snakeXcase",
        "back\\slash",
        "Say \"hi\" AND (go)* now",
        "O'Brien; --",
    ] {
        add(client, json!({ "name": name }));
    }
    finds(
        &desk,
        &[
            ("100", "100 100%"),
            ("100%", "100%"),
            ("00% w", "100%"),
            ("0%w", ""),
            ("%", ""),
            ("%%", ""),
            ("%%%", ""),
            ("1%", ""),
            ("_", ""),
            ("___", ""),
            ("e_c", "snake_case"),
            ("snake", "snakeXcase snake_case"),
            ("snake_case", "snake_case"),
            ("k\\s", "back\\slash"),
            ("\\sl", "back\\slash"),
            ("\\\\\\", ""),
            ("\"hi\"", "Say"),
            ("\"hi\" and", "Say"),
            ("and (", "Say"),
            ("(go)*", "Say"),
            ("say*", ""),
            ("sa*", ""),
            ("wool OR snake", ""),
            ("NOT wool", ""),
            ("name:wool", ""),
            ("o'b", "O'Brien;"),
            ("'; --", ""),
            ("n; --", "O'Brien;"),
            ("' OR '1'='1", ""),
        ],
    );
}

fn a_changed_contact_is_found_by_its_new_values_only(desk: Desk) {
    let client = &desk.client;
    let body =
        json!({ "name": "Ann Lee", "phone": "+14155550123", "email": "ann@acme.com", "company": "Acme" });
    let path = format!("/contacts/{}", add(client, body));
    finds(&desk, &[("ann", "Ann"), ("acme", "Ann"), ("5550123", "Ann"), ("le", "Ann")]);
    client.patch(&path, json!({ "name": "Eve Ray" })).expect(200);
    finds(
        &desk,
        &[("ann lee", ""), ("lee", ""), ("le", ""), ("eve ray", "Eve"), ("ra", "Eve"), ("ann@", "Eve")],
    );
    client.patch(&path, json!({ "phone": null, "email": null, "company": "Globex" })).expect(200);
    finds(&desk, &[("5550123", ""), ("ann", ""), ("acme", ""), ("glob", "Eve"), ("eve", "Eve")]);
    client.patch(&path, json!({ "name": "Ann Lee" })).expect(200);
    finds(&desk, &[("ann lee", "Ann"), ("eve", ""), ("glob", "Ann")]);
}

fn a_blank_query_matches_every_contact(desk: Desk) {
    let client = &desk.client;
    people(client);
    for query in ["q=", "q=%20%20", "q"] {
        assert_eq!(listed(client, query).len(), 4, "{query}");
    }
}

fn a_search_is_walked_page_by_page(desk: Desk) {
    let client = &desk.client;
    let mut wanted = Vec::new();
    for number in 0..14 {
        wanted.push(add(client, json!({ "name": format!("Ann {number}") })));
        add(client, json!({ "name": format!("Bob {number}") }));
        if number == 6 {
            // The page that holds this one lies on both sides of where an index has got to.
            desk.catch_up();
        }
    }
    wanted.reverse();
    for query in ["ann", "an"] {
        let mut found = Vec::new();
        let mut next = format!("/contacts?q={query}&limit=4");
        loop {
            let page = client.get(&next).expect(200);
            found.extend(
                page.data().as_array().unwrap().iter().map(|row| row["id"].as_str().unwrap().to_owned()),
            );
            match page.json["meta"]["next_cursor"].as_str() {
                Some(cursor) => next = format!("/contacts?q={query}&limit=4&cursor={cursor}"),
                None => break,
            }
        }
        assert_eq!(found, wanted, "{query}");
    }
}

fn a_search_finds_nothing_of_another_account(desk: Desk) {
    let (ours, theirs) = (desk.app.tenant().client, desk.app.tenant().client);
    add(&theirs, json!({ "name": "Ann Lee", "phone": "+14155550123" }));
    for _ in 0..2 {
        for query in ["a", "an", "ann", "lee", "ann lee", "5550123", "+1"] {
            let query = format!("q={}", encoded(query));
            assert_eq!(listed(&ours, &query), Vec::<String>::new(), "{query}");
            assert_eq!(listed(&theirs, &query), ["Ann Lee"], "{query}");
        }
        desk.catch_up();
    }
    add(&ours, json!({ "name": "Ann Ours" }));
    assert_eq!(walk(&ours, "/contacts?q=ann").len(), 1);
}

fn rare_combinations_of_what_many_have_are_found(desk: Desk) {
    let client = &desk.client;
    for (number, (first, last)) in ["Katarina", "Leonardo", "Mireille"]
        .iter()
        .flat_map(|first| ["Kaplan", "Novak", "de la Cruz"].map(|last| (first, last)))
        .enumerate()
    {
        let phone = format!("+1415555{:04}", 1000 + 37 * number);
        add(
            client,
            json!({ "name": format!("{first} {last}"), "phone": phone, "company": "Crown Legal GmbH" }),
        );
    }
    finds(
        &desk,
        &[
            ("katarina kaplan", "Katarina"),
            ("ina kap", "Katarina"),
            ("rdo nov", "Leonardo"),
            ("mireille de la cruz", "Mireille"),
            ("lle de", "Mireille"),
            ("de la cruz", "Katarina Leonardo Mireille"),
            ("a kap", "Katarina"),
            ("kaplan katarina", ""),
            ("katarina  kaplan", ""),
            ("5551037", "Katarina"),
            ("51037", "Katarina"),
            ("103", "Katarina"),
            ("1037", "Katarina"),
            ("14155551037", "Katarina"),
            ("5551038", ""),
            ("99999", ""),
            ("crown legal gmbhx", ""),
            ("mireille novak", "Mireille"),
        ],
    );
    assert_eq!(walk(client, "/contacts?q=crown%20legal%20gmbh").len(), 9);
    assert_eq!(walk(client, "/contacts?q=1415555").len(), 9);
}

/// What undoes the last migration of the search.
const OLDER_SQLITE: &str = "DROP TABLE contact_changes; DROP TABLE contact_search_file;
    CREATE VIRTUAL TABLE contact_search USING fts5 (grams, starts, content = '', contentless_delete = 1, tokenize = 'ascii');
    ALTER TABLE contacts DROP COLUMN search_keys; DELETE FROM migrations WHERE version IN (7, 8);";
const OLDER_POSTGRES: &str =
    "ALTER TABLE contacts DROP COLUMN search_keys; DELETE FROM migrations WHERE version IN (7, 8);";

fn an_older_database_is_searched_like_a_new_one(desk: Desk) {
    let client = &desk.client;
    people(client);
    add(client, json!({ "name": "Ana  de la Cruz", "phone": "+34600123456", "company": "100% Lana y Cía." }));
    desk.catch_up();
    assert!(desk.app.stop().success());
    let mut keys_of_new = None;
    if let Some(path) = desk.app.database().strip_prefix("sqlite:") {
        rusqlite::Connection::open(path).unwrap().execute_batch(OLDER_SQLITE).unwrap();
    } else {
        let mut database = Postgres::connect(desk.app.database(), NoTls).unwrap();
        keys_of_new = Some(keys(&mut database));
        database.batch_execute(OLDER_POSTGRES).unwrap();
    }
    desk.app.restart();
    if let Some(wanted) = keys_of_new {
        assert_eq!(keys(&mut Postgres::connect(desk.app.database(), NoTls).unwrap()), wanted);
    }
    finds(
        &desk,
        &[
            ("marie lee", "Ann-Marie"),
            ("98765", "Ann-Marie"),
            ("+55", "Ann-Marie"),
            ("zo", "Zoë"),
            ("12345", "Ana 田中太郎"),
            ("de la cruz", "Ana"),
            ("ana  de", "Ana"),
            ("lana y cía", "Ana"),
        ],
    );
}

/// Every contact's keys, in some order of their own.
fn keys(database: &mut Postgres) -> Vec<Vec<String>> {
    let rows = database.query("SELECT search_keys FROM contacts ORDER BY id", &[]).unwrap();
    let sorted = |row: postgres::Row| {
        let mut keys: Vec<String> = row.get::<_, String>(0).split('\n').map(ToOwned::to_owned).collect();
        keys.sort();
        keys
    };
    rows.into_iter().map(sorted).collect()
}
