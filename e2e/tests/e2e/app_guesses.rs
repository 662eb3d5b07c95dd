//! Attacks on passwords and codes: guesses at the sign-in, through links and through the second factor, and attempts to
//! get around their limits.

use frontdesk_e2e::{App, Engine, on_every_engine};
use postgres::{Client as Postgres, NoTls};
use serde_json::json;

use crate::app_scene::{Browser, OWNER, PASSWORD, account, invite, member, second_factor, token};
use crate::inbox_scene::{Inbox, start};
use crate::shapes::text;

/// Failed attempts are counted in quarters of an hour.
const QUARTER_SECONDS: u64 = 900;
const PER_LOGIN_MAX: usize = 10;
const PER_ADDRESS_MAX: usize = 30;
const MIA: &str = "mia@example.com";
const WRONG: &str = "wrong horse battery";
const ATTACKERS: &str = "chosen by the attacker";

on_every_engine! {
    too_many_failures_shut_a_login_out,
    too_many_failures_shut_an_address_out,
    guesses_through_links_count_as_failed_sign_ins,
    a_success_gives_back_its_own_attempt_only,
    an_outsider_with_the_same_address_does_not_reset_the_count,
    logins_that_share_an_address_are_counted_separately,
    unknown_addresses_do_not_fill_the_table,
    codes_are_guessed_no_more_often_than_passwords,
    passwords_are_not_guessed_with_a_stolen_session,
}

/// A server behind a proxy, so that requests can come from many addresses.
fn behind_a_proxy(engine: Engine) -> Inbox {
    let inbox = Inbox::of(start(engine).env("FRONTDESK_TRUSTED_PROXIES", "127.0.0.0/8"));
    member(&inbox.app, &inbox.tenant.account, MIA, "agent");
    begin_quarter(&inbox);
    inbox
}

/// A browser at another address.
fn at(inbox: &Inbox, address: &str) -> Browser {
    Browser { client: Browser::new(&inbox.app).client.with("x-forwarded-for", address) }
}

/// Browsers at addresses that nobody has used, in an attack from many.
fn elsewhere(inbox: &Inbox, number: usize) -> Browser {
    at(inbox, &format!("198.51.{}.{}", 100 + number / 250, number % 250))
}

/// Moves the clock to the beginning of a quarter of an hour, in which attempts are counted.
fn begin_quarter(inbox: &Inbox) {
    inbox.advance(QUARTER_SECONDS - inbox.now() as u64 % QUARTER_SECONDS);
}

fn too_many_failures_shut_a_login_out(engine: Engine) {
    let inbox = behind_a_proxy(engine);
    // An unknown address is shut out in the same way.
    for (round, email) in [MIA, "nobody@example.com"].into_iter().enumerate() {
        let browser = |number: usize| elsewhere(&inbox, 100 * round + number);
        for number in 0..PER_LOGIN_MAX {
            browser(number).try_sign_in(email, WRONG).expect(401);
        }
        let shut = browser(PER_LOGIN_MAX).try_sign_in(email, PASSWORD).expect(429);
        shut.error("rate_limited");
        let seconds: i64 = shut.header("retry-after").expect("a wait").parse().expect("seconds");
        assert!((1..=900).contains(&seconds), "{seconds}");
    }
    inbox.advance(QUARTER_SECONDS);
    at(&inbox, "192.0.2.1").try_sign_in(MIA, PASSWORD).expect(200);
}

fn too_many_failures_shut_an_address_out(engine: Engine) {
    let inbox = behind_a_proxy(engine);
    for number in 0..PER_ADDRESS_MAX {
        at(&inbox, "192.0.2.1").try_sign_in(&format!("{number}@example.com"), PASSWORD).expect(401);
    }
    at(&inbox, "192.0.2.1").try_sign_in(MIA, PASSWORD).expect(429).error("rate_limited");
    let body = json!({ "token": "x", "password": PASSWORD });
    at(&inbox, "192.0.2.1").post("/password", body).expect(429);
    at(&inbox, "192.0.2.2").try_sign_in(MIA, PASSWORD).expect(200);
}

fn guesses_through_links_count_as_failed_sign_ins(engine: Engine) {
    const GUESSES: usize = 200;
    let inbox = behind_a_proxy(engine);
    let attackers = inbox.app.account_with(&["--owner-email", "eve@example.com"]);
    let link = invite(&inbox.app, &attackers.owner);
    let set = json!({ "token": link, "password": ATTACKERS });
    at(&inbox, "192.0.2.1").post("/password", set).expect(200);
    let eve = at(&inbox, "192.0.2.1");
    let eve = eve.keeping(&eve.try_sign_in("eve@example.com", ATTACKERS).expect(200));
    let added =
        eve.post("/admin/members", json!({ "name": "Mia", "email": MIA, "role": "agent" })).expect(201);
    let member = text(&added.data()["member"]["id"]);
    let mut link = token(text(&added.data()["invitation"]["url"]));
    let (mut refused, mut limited) = (0, 0);
    for number in 0..GUESSES {
        if number % 40 == 39 {
            let again = eve.post(&format!("/admin/members/{member}/invitation"), json!({})).expect(201);
            link = token(text(&again.data()["url"]));
        }
        // The right password is among the guesses, and gets the same response.
        let guess = if number % 4 == 0 { PASSWORD.to_owned() } else { format!("{WRONG} {number}") };
        let response =
            elsewhere(&inbox, number).post("/password", json!({ "token": link, "password": guess }));
        match response.status {
            409 => {
                assert_eq!(response.error("conflict")["reason"], "login_exists");
                refused += 1;
            }
            429 => limited += 1,
            status => panic!("{status}: {}", response.text),
        }
    }
    assert_eq!((refused, limited), (PER_LOGIN_MAX, GUESSES - PER_LOGIN_MAX));
    // They count like those at the sign-in, and changed nothing.
    at(&inbox, "192.0.2.3").try_sign_in(MIA, PASSWORD).expect(429);
    inbox.advance(QUARTER_SECONDS);
    let mia = at(&inbox, "192.0.2.3").try_sign_in(MIA, PASSWORD).expect(200);
    assert_eq!(mia.data()["accounts"].as_array().map(Vec::len), Some(1));
}

fn a_success_gives_back_its_own_attempt_only(engine: Engine) {
    let inbox = behind_a_proxy(engine);
    let mia = at(&inbox, "192.0.2.1");
    for round in 0..PER_LOGIN_MAX {
        elsewhere(&inbox, round).try_sign_in(MIA, WRONG).expect(401);
        let allowed = if round + 1 < PER_LOGIN_MAX { 200 } else { 429 };
        mia.try_sign_in(MIA, PASSWORD).expect(allowed);
    }
    inbox.advance(QUARTER_SECONDS);
    // Any number of successes is fine.
    for _ in 0..=PER_LOGIN_MAX {
        mia.try_sign_in(MIA, PASSWORD).expect(200);
    }
}

/// Gives the attacker a login with the victim's address, as could be made before an address had one login.
fn share_address(inbox: &Inbox) {
    let attackers = inbox.app.account_with(&["--owner-email", "eve@example.com"]);
    let set = json!({ "token": invite(&inbox.app, &attackers.owner), "password": ATTACKERS });
    at(inbox, "192.0.2.1").post("/password", set).expect(200);
    inbox.app.cli(&["account", "set", &attackers.id, "--owner-email", MIA]);
}

fn an_outsider_with_the_same_address_does_not_reset_the_count(engine: Engine) {
    let inbox = behind_a_proxy(engine);
    share_address(&inbox);
    // The attacker signs in to their own login between the guesses.
    for number in 0..2 * PER_LOGIN_MAX {
        elsewhere(&inbox, number).try_sign_in(MIA, WRONG);
        elsewhere(&inbox, number).try_sign_in(MIA, ATTACKERS);
    }
    // Even a right guess is not tried any more.
    for number in 200..220 {
        assert_ne!(elsewhere(&inbox, number).try_sign_in(MIA, PASSWORD).status, 200);
    }
    inbox.advance(QUARTER_SECONDS);
    at(&inbox, "192.0.2.3").try_sign_in(MIA, PASSWORD).expect(200);
}

fn logins_that_share_an_address_are_counted_separately(engine: Engine) {
    let inbox = behind_a_proxy(engine);
    share_address(&inbox);
    let (first, second) = (at(&inbox, "192.0.2.5"), at(&inbox, "192.0.2.6"));
    // Signing in to one counts as a failure of those that were tried before it, and never locks the person out of it.
    for _ in 0..2 * PER_LOGIN_MAX {
        first.try_sign_in(MIA, ATTACKERS).expect(200);
    }
    inbox.advance(QUARTER_SECONDS);
    for _ in 0..2 * PER_LOGIN_MAX {
        second.try_sign_in(MIA, PASSWORD).expect(200);
    }
}

/// The number of counts that are stored.
fn counts(app: &App) -> i64 {
    const COUNT: &str = "SELECT count(*) FROM sign_in_failures";
    match app.database().strip_prefix("sqlite:") {
        Some(path) => {
            rusqlite::Connection::open(path).unwrap().query_row(COUNT, [], |row| row.get(0)).unwrap()
        }
        None => Postgres::connect(app.database(), NoTls).unwrap().query_one(COUNT, &[]).unwrap().get(0),
    }
}

fn unknown_addresses_do_not_fill_the_table(engine: Engine) {
    let inbox = behind_a_proxy(engine);
    let before = counts(&inbox.app);
    let attacker = at(&inbox, "192.0.2.1");
    for number in 0..200 {
        let response = attacker.try_sign_in(&format!("{number}@example.com"), WRONG);
        assert_eq!(response.status, if number < PER_ADDRESS_MAX { 401 } else { 429 }, "{}", response.text);
    }
    // One for each address that was tried, and one for the attacker's own.
    assert_eq!(counts(&inbox.app) - before, PER_ADDRESS_MAX as i64 + 1);
}

fn codes_are_guessed_no_more_often_than_passwords(engine: Engine) {
    let inbox = behind_a_proxy(engine);
    let browser = at(&inbox, "192.0.2.1");
    let mia = browser.keeping(&browser.try_sign_in(MIA, PASSWORD).expect(200));
    second_factor(&mia, PASSWORD, inbox.now());
    let guess = |way: usize, number: usize| {
        let (browser, code) = (elsewhere(&inbox, 100 * way + number), format!("{number:06}"));
        let stolen = Browser { client: mia.client.with("x-forwarded-for", format!("203.0.113.{number}")) };
        let proof = json!({ "email": MIA, "password": PASSWORD, "code": code });
        match way {
            0 => browser.post("/session", proof),
            1 => stolen.post("/profile/second-factor", proof),
            2 => stolen.post("/profile/second-factor/remove", proof),
            _ => stolen.post("/profile/second-factor/confirm", proof),
        }
    };
    for way in 0..4 {
        inbox.advance(QUARTER_SECONDS);
        for number in 0..PER_LOGIN_MAX {
            guess(way, number).expect(if way == 0 { 401 } else { 400 });
        }
        for other in 0..4 {
            guess(other, 50 + way).expect(429);
        }
    }
}

fn passwords_are_not_guessed_with_a_stolen_session(engine: Engine) {
    let inbox = behind_a_proxy(engine);
    account(&inbox.app);
    begin_quarter(&inbox);
    let browser = at(&inbox, "192.0.2.1");
    let stolen = browser.keeping(&browser.try_sign_in(OWNER, PASSWORD).expect(200));
    for number in 0..PER_LOGIN_MAX {
        let change = json!({ "current_password": format!("{WRONG} {number}"), "password": ATTACKERS });
        stolen.post("/profile/password", change).expect(400).details_at(&["current_password"]);
    }
    let change = json!({ "current_password": PASSWORD, "password": ATTACKERS });
    stolen.post("/profile/password", change).expect(429);
    at(&inbox, "192.0.2.2").try_sign_in(OWNER, PASSWORD).expect(429);
}
