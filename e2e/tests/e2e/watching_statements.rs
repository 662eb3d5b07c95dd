//! Slow statements: what is logged of them, and their plans.

use frontdesk_e2e::{App, Engine, came_true, on_every_engine};
use serde_json::{Value, json};

on_every_engine! {
    slow_statements_are_logged_with_their_plans_and_without_values,
    statements_are_not_logged_unless_that_is_asked_for,
}

const SLOW: &str = "slow statement";
const PLAN: &str = "plan of a slow statement";

/// The lines of the log with this message, which is in JSON.
fn lines(app: &App, message: &str) -> Vec<Value> {
    let lines = app.logs();
    let lines = lines.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    lines.filter(|line| line["message"] == message).collect()
}

fn slow_statements_are_logged_with_their_plans_and_without_values(engine: Engine) {
    let app = App::start(engine)
        .env("FRONTDESK_LOG_FORMAT", "json")
        .env("FRONTDESK_SLOW_STATEMENT_MS", "0")
        .env("FRONTDESK_SLOW_STATEMENT_PLANS", "true")
        .ready();
    let client = app.tenant().client;
    let contact = json!({ "name": "Zoe Quellwasser", "phone": "+4915112345678", "custom_fields": {} });
    let made = client.post("/contacts", contact).expect(201).id();
    for _ in 0..3 {
        client.get(&format!("/contacts/{made}")).expect(200);
        client.get("/contacts?q=Quellwasser&sort=name").expect(200);
    }
    let reads = |line: &Value| {
        line["sql"].as_str().is_some_and(|sql| sql.contains(" FROM contacts ") && sql.contains("$1"))
    };
    assert!(came_true(|| lines(&app, SLOW).iter().any(reads)), "{}", app.logs());
    let slow = lines(&app, SLOW);
    let read = slow.iter().find(|line| reads(line)).expect("a read of contacts");
    assert!(read["millis"].is_u64() && read["rows"].is_u64(), "{read}");
    assert!(slow.iter().any(|line| line["statement"] != "built"), "constants have names");
    let commits = lines(&app, "slow commit");
    assert!(commits.iter().any(|line| line["statement"] == "COMMIT"), "commits are timed");
    // PostgreSQL gets statements whose result nobody waits for along with the commit.
    let is_along = |line: &Value| line["along"].as_str().is_some_and(|texts| texts.contains("$1"));
    assert_eq!(commits.iter().any(is_along), engine == Engine::Postgres, "{commits:#?}");

    // A statement with parameters has a plan too, once however often it is slow.
    let planned = || lines(&app, PLAN);
    let is_planned = |line: &Value| line["plan"].as_str().is_some_and(|plan| plan.len() > 5);
    assert!(came_true(|| planned().iter().filter(|line| is_planned(line)).count() > 10), "{}", app.logs());
    let failed = lines(&app, "the plan of a slow statement cannot be read");
    assert!(failed.is_empty(), "{failed:#?}");
    let scraped = app.anonymous().vendors().get("/metrics").expect(200).text;
    assert!(scraped.contains("frontdesk_db_slow_statements_total "), "{scraped}");
    app.stop();
    let logs = app.logs();
    for value in ["Quellwasser", "quellwasser", "15112345678", made.as_str()] {
        assert!(!logs.contains(value), "{value} was logged");
    }
}

fn statements_are_not_logged_unless_that_is_asked_for(engine: Engine) {
    let app = App::start(engine)
        .env("FRONTDESK_LOG_FORMAT", "json")
        .env("FRONTDESK_SLOW_STATEMENT_PLANS", "true")
        .ready();
    app.tenant().client.post("/contacts", json!({ "name": "Ann" })).expect(201);
    app.stop();
    assert!(lines(&app, SLOW).is_empty() && lines(&app, PLAN).is_empty());
}
