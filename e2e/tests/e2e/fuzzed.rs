//! Every operation that takes a body, with bodies that nobody wrote.
//!
//! The bodies are those of the routes, changed. They are sent to the real server, so that what comes after parsing has to
//! cope with them too: the checks, the SQL, the events. `FRONTDESK_FUZZ_SECONDS` says how long.

use std::env;
use std::time::{Duration, Instant};

use frontdesk_e2e::{App, Client, Engine, on_sqlite};
use frontdesk_fuzz::{Dice, Mutator};

use crate::inbox_scene::reachable;
use crate::routes::ROUTES;
use crate::webhooks_scene::start;

/// Seconds for all operations together, for each second of another target.
const TIMES: f64 = 12.0;
const BYTES_MAX: usize = 16 << 10;
const WORDS: [&str; 22] = [
    "null",
    "\"\"",
    "[]",
    "{}",
    "-1",
    "1e99",
    "true",
    "name",
    "type",
    "id",
    "01890a5d-ac96-774b-bcce-b302099a8057",
    "+14155550123",
    "2026-02-30T25:00:00Z",
    "\\u0000",
    "\\ud800",
    "%",
    "'; --",
    "https://x.example/",
    "http://127.0.0.1/",
    "javascript:x",
    "*",
    "{{1}}",
];

on_sqlite! {
    fuzzed_bodies_of_every_operation_are_taken_or_refused,
    fuzzed_queries_of_every_list_are_taken_or_refused,
}

fn setting(name: &str, usual: f64) -> f64 {
    env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

fn seed() -> u64 {
    match env::var("FRONTDESK_FUZZ_SEED").as_deref() {
        Ok("any") => std::process::id().into(),
        Ok(text) => text.parse().expect("FRONTDESK_FUZZ_SEED is a number, or any"),
        Err(_) => 1,
    }
}

/// Sends what `request` makes until the time is over. Every response must be one that a caller can understand.
fn storm(
    app: &App,
    client: &Client,
    mut request: impl FnMut(&mut Dice) -> (String, String, Option<Vec<u8>>),
) {
    let seed = seed();
    let end = Instant::now() + Duration::from_secs_f64(TIMES * setting("FRONTDESK_FUZZ_SECONDS", 1.0) / 2.0);
    let (mut dice, mut sent) = (Dice::new(seed), 0);
    while Instant::now() < end {
        let (method, path, body) = request(&mut dice);
        let response = client.with("content-type", "application/json").send(&method, &path, body.as_deref());
        let shown = body.unwrap_or_default();
        let shown = shown[..shown.len().min(2_000)].escape_ascii();
        assert!(
            response.status < 500,
            "{method} {path} got {} for {shown} (seed {seed}): {}\n{}",
            response.status,
            response.text,
            app.logs()
        );
        sent += 1;
    }
    eprintln!("{sent} requests with the seed {seed}");
    assert!(!app.logs().contains("panicked"), "{}", app.logs());
}

fn fuzzed_bodies_of_every_operation_are_taken_or_refused(engine: Engine) {
    let app = start(engine).ready();
    let tenant = reachable(&app);
    let mut calls = Vec::new();
    for route in ROUTES {
        let method = route.name.split(' ').next().expect("a method");
        if ["POST", "PUT", "PATCH"].contains(&method) {
            let (path, body) = (route.prepare)(&tenant.client);
            if let Some(body) = body {
                calls.push((method, path, body.to_string().into_bytes()));
            }
        }
    }
    assert!(calls.len() > 30, "{} operations", calls.len());
    let examples: Vec<Vec<u8>> = calls.iter().map(|(_, _, body)| body.clone()).collect();
    let mutator = Mutator::new(WORDS.iter().map(|word| word.as_bytes().to_vec()).collect(), BYTES_MAX);
    storm(&app, &tenant.client, |dice| {
        let (method, path, body) = dice.pick(&calls);
        // Sometimes it is the body of another operation.
        let own = [body.clone()];
        let of: &[Vec<u8>] = if dice.one_in(10) { &examples } else { &own };
        ((*method).to_owned(), path.clone(), Some(mutator.mutate(of, dice)))
    });
}

fn fuzzed_queries_of_every_list_are_taken_or_refused(app: App) {
    let tenant = reachable(&app);
    let lists: Vec<&str> = ROUTES
        .iter()
        .filter_map(|route| route.name.strip_prefix("GET "))
        .filter(|path| !path.contains('{'))
        .collect();
    let examples = [
        "limit=20&q=ann&status=open",
        "cursor=AAAA&updated_since=2026-01-31T09:30:00Z",
        "contact_id=01890a5d-ac96-774b-bcce-b302099a8057",
        "type=contact.created&after=1",
        "from=2026-01-01&to=2026-01-31",
        "enabled=true&kind=once&channel=whatsapp&direction=inbound",
        "tag_id=01890a5d-ac96-774b-bcce-b302099a8057&phone=%2B14155550123&email=a@x.example",
    ]
    .map(|query| query.as_bytes().to_vec());
    let words =
        ["%00", "%ff", "%", "&", "=", "q=", "limit=101", "cursor=", "+", "%25", "_", "'", "9999-12-31"];
    let mutator = Mutator::new(words.iter().map(|word| word.as_bytes().to_vec()).collect(), 2 << 10);
    storm(&app, &tenant.client, |dice| {
        let query = mutator.mutate(&examples, dice);
        // What a client can put into a request line.
        let query: String = query
            .iter()
            .filter(|byte| byte.is_ascii_alphanumeric() || b"%&=+-._~'*,;:@!$()/?".contains(byte))
            .map(|byte| char::from(*byte))
            .collect();
        ("GET".to_owned(), format!("{}?{query}", dice.pick(&lists)), None)
    });
}
