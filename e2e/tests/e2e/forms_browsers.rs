//! Website forms, as people in browsers send them.

use frontdesk_e2e::{App, Client, Response, on_every_engine};
use serde_json::json;

use crate::forms::{form, only_inquiry, send, visitor};
use crate::people::walk;

on_every_engine! {
    a_browser_is_redirected_to_the_thank_you_page,
    the_address_of_a_form_shows_it,
    a_browser_is_redirected,
    a_page_can_choose_its_redirect_within_its_own_site,
    a_browser_gets_a_page_with_the_errors,
    a_form_is_shown_in_frames_of_the_websites_that_may_send_it,
    the_fixed_words_of_a_form_are_in_the_visitors_language,
}

/// Somebody in a browser.
fn browser(app: &App) -> Client {
    visitor(app)
        .with("accept", "text/html,application/xhtml+xml,*/*;q=0.8")
        .with("origin", "https://example.com")
}

/// Demands a page that loads and runs nothing.
#[track_caller]
fn is_page(response: &Response) {
    assert_eq!(response.header("content-type"), Some("text/html; charset=utf-8"));
    assert!(response.text.starts_with("<!doctype html>"), "{}", response.text);
    assert!(
        response
            .header("content-security-policy")
            .is_some_and(|policy| policy.contains("default-src 'none'"))
    );
    assert!(!response.text.contains("<script"), "{}", response.text);
    response.request_id();
}

fn a_browser_is_redirected_to_the_thank_you_page(app: App) {
    let tenant = app.tenant();
    let (_, path) = form(&app, &tenant, &[]);
    let sent = send(&browser(&app), &path, "name=Ann&_redirect=https://evil.test/").expect(303);
    let thanks = format!("{path}/thanks");
    assert_eq!((sent.header("location"), sent.body.len()), (Some(thanks.as_str()), 0));
    // A program that fell into the trap is treated the same.
    let trapped = send(&browser(&app), &path, "name=Bot&_gotcha=x").expect(303);
    assert_eq!(trapped.header("location"), Some(thanks.as_str()));
    // Reloading the page sends nothing.
    for _ in 0..2 {
        let page = browser(&app).get(&thanks).expect(200);
        is_page(&page);
        assert!(page.text.contains("Thank you"), "{}", page.text);
    }
    browser(&app).post(&thanks, json!({ "name": "Ann" })).expect(405);
    assert_eq!(only_inquiry(&tenant.client)["name"], "Ann");
}

fn the_address_of_a_form_shows_it(app: App) {
    let tenant = app.tenant();
    let (id, path) = form(&app, &tenant, &["--allow-origin", "https://example.com"]);
    for caller in [browser(&app), visitor(&app)] {
        let page = caller.get(&path).expect(200);
        is_page(&page);
        for part in
            ["<h1>Contact us</h1>", "Acme", "<form method=\"post\">", "name=\"email\"", "name=\"_gotcha\""]
        {
            assert!(page.text.contains(part), "{part} is missing: {}", page.text);
        }
    }
    let head = browser(&app).send("HEAD", &path, None).expect(200);
    assert_eq!((head.body.len(), head.header("content-type")), (0, Some("text/html; charset=utf-8")));
    // It can be sent from there, whatever websites it names.
    let own = browser(&app).with("origin", app.base()).with("referer", format!("{}{path}", app.base()));
    send(&own, &path, "_hosted=1&name=&email=ann%40example.com&phone=&message=Hi&_gotcha=").expect(303);
    let found = only_inquiry(&tenant.client);
    assert_eq!((&found["email"], &found["fields"]), (&json!("ann@example.com"), &json!({})));
    assert_eq!(found["source_url"], format!("{}{path}", app.base()));
    // There is nothing at an address that was made up, or that is gone.
    app.cli(&["form", "delete", &id]);
    for gone in [path.as_str(), &format!("{path}/thanks"), "/forms/nothing", "/forms/", &format!("{path}/x")]
    {
        let missing = browser(&app).get(gone).expect(404);
        is_page(&missing);
        assert!(missing.text.contains("There is no form here"), "{}", missing.text);
    }
    let scripted = visitor(&app).with("accept", "application/json").get(&path).expect(404);
    scripted.error("not_found");
}

fn a_browser_is_redirected(app: App) {
    let tenant = app.tenant();
    let (_, path) = form(&app, &tenant, &["--redirect", "https://example.com/thanks?x=1"]);
    for body in ["name=Ann", "name=Bot&_gotcha=x"] {
        let sent = send(&browser(&app), &path, body).expect(303);
        assert_eq!(sent.header("location"), Some("https://example.com/thanks?x=1"), "{body}");
    }
    // A script of the same page gets JSON.
    send(&visitor(&app).with("accept", "*/*"), &path, "name=Ann").expect(201);
    let json = browser(&app).with("content-type", "application/json").send(
        "POST",
        &path,
        Some(b"{\"name\":\"Ann\"}"),
    );
    json.expect(201);
    assert_eq!(walk(&tenant.client, "/inquiries").len(), 3);
}

fn a_page_can_choose_its_redirect_within_its_own_site(app: App) {
    let tenant = app.tenant();
    let (_, path) = form(&app, &tenant, &["--redirect", "https://example.com/thanks"]);
    for (asked, wanted) in [
        ("https://example.com/de/danke", "https://example.com/de/danke"),
        ("https://EXAMPLE.com/x", "https://EXAMPLE.com/x"),
        ("https://example.com.evil.test/", "https://example.com/thanks"),
        ("https://example.com@evil.test/", "https://example.com/thanks"),
        ("http://example.com/", "https://example.com/thanks"),
        ("//evil.test/", "https://example.com/thanks"),
        ("javascript:alert(1)", "https://example.com/thanks"),
        ("/relative", "https://example.com/thanks"),
    ] {
        let sent = send(&browser(&app), &path, &format!("name=Ann&_redirect={asked}")).expect(303);
        assert_eq!(sent.header("location"), Some(wanted), "{asked}");
    }
}

fn a_browser_gets_a_page_with_the_errors(app: App) {
    let tenant = app.tenant();
    let (_, path) = form(&app, &tenant, &["--allow-origin", "https://example.com"]);
    let wrong =
        send(&browser(&app), &path, &format!("email=nowhere&%3Cscript%3E={}", "x".repeat(2_001))).expect(400);
    is_page(&wrong);
    for part in
        ["<a href=\"#email\">Email must be an email address", "value=\"nowhere\"", "&lt;script&gt; must"]
    {
        assert!(wrong.text.contains(part), "{part} is missing: {}", wrong.text);
    }
    // What was typed is sent again from the page, and then it is taken.
    let own = browser(&app).with("origin", app.base());
    let source = "https://example.com/contact";
    let again = send(&browser(&app).with("referer", source), &path, "email=nowhere&size=M").expect(400);
    for part in [format!("name=\"_source\" value=\"{source}\""), "name=\"size\"".to_owned()] {
        assert!(again.text.contains(&part), "{part} is missing: {}", again.text);
    }
    send(&own, &path, &format!("email=ann%40example.com&size=M&_source={source}")).expect(303);
    let found = only_inquiry(&tenant.client);
    assert_eq!((&found["source_url"], &found["fields"]), (&json!(source), &json!({ "size": "M" })));
    let upload = browser(&app).with("content-type", "multipart/form-data; boundary=x");
    let refused = upload.send("POST", &path, Some(b"--x--")).expect(415);
    is_page(&refused);
    assert!(refused.text.contains("enctype"), "{}", refused.text);
    let stranger = send(&browser(&app).with("origin", "https://evil.test"), &path, "name=Eve").expect(403);
    is_page(&stranger);
    is_page(&send(&browser(&app), "/forms/nothing", "name=Eve").expect(404));
    assert_eq!(walk(&tenant.client, "/inquiries").len(), 1);
}

/// Which websites may show a page in a frame.
#[track_caller]
fn frames(response: &Response) -> String {
    let policy = response.header("content-security-policy").expect("a policy");
    let (_, ancestors) = policy.split_once("frame-ancestors ").expect("frame-ancestors");
    ancestors.split(';').next().unwrap_or_default().to_owned()
}

fn a_form_is_shown_in_frames_of_the_websites_that_may_send_it(app: App) {
    let tenant = app.tenant();
    let allowed =
        ["--allow-origin", "https://example.com", "--allow-origin", "https://shop.example.com:8443"];
    let (_, path) = form(&app, &tenant, &allowed);
    let two = "https://example.com https://shop.example.com:8443";
    let browser = browser(&app);
    // The form, its errors, what it says after it was sent, and a refusal.
    assert_eq!(frames(&browser.get(&path).expect(200)), two);
    let own = browser.with("origin", app.base());
    assert_eq!(frames(&send(&own, &path, "_hosted=1&email=nonsense&message=Hi").expect(400)), two);
    assert_eq!(frames(&browser.get(&format!("{path}/thanks")).expect(200)), two);
    let stranger = browser.with("origin", "https://evil.test");
    assert_eq!(frames(&send(&stranger, &path, "name=Ann").expect(403)), two);
    // Whoever allows any website to send a form has not allowed any to show it.
    let (_, open) = form(&app, &tenant, &[]);
    assert_eq!(frames(&browser.get(&open).expect(200)), "'none'");
    assert_eq!(frames(&browser.get("/forms/nothing").expect(404)), "'none'");
}

fn the_fixed_words_of_a_form_are_in_the_visitors_language(app: App) {
    let tenant = app.tenant();
    let (_, path) = form(&app, &tenant, &["--allow-origin", "https://example.com"]);
    let german = browser(&app).with("accept-language", "fr;q=0.2,de-AT,de;q=0.9,en;q=0.5");
    let shows = |page: &Response, parts: &[&str]| {
        is_page(page);
        for part in parts {
            assert!(page.text.contains(part), "{part} is missing: {}", page.text);
        }
    };
    let words = [
        "<html lang=\"de\">",
        "Telefon <span class=\"optional\">(freiwillig)",
        ">Nachricht</label>",
        ">Senden</button>",
    ];
    shows(&german.get(&path).expect(200), &words);
    let wrong = send(&german, &path, "_hosted=1&email=nowhere&phone=12").expect(400);
    let errors = [
        "<title>Fehler: Contact us</title>",
        "Ihre Nachricht wurde noch nicht gesendet.",
        "E-Mail muss eine E-Mail-Adresse sein, zum Beispiel ann@example.com",
    ];
    shows(&wrong, &errors);
    assert!(!wrong.text.contains(" must "), "{}", wrong.text);
    shows(
        &german.get(&format!("{path}/thanks")).expect(200),
        &["Vielen Dank", "Ihre Nachricht wurde gesendet."],
    );
    shows(&german.get("/forms/nothing").expect(404), &["Hier gibt es kein Formular"]);
    let stranger = send(&german.with("origin", "https://evil.test"), &path, "name=Eve").expect(403);
    shows(&stranger, &["Das hat nicht geklappt", "von dieser Website nicht"]);
    // The address names a language that goes before the browser's, also after the form was sent.
    let asked = format!("{path}?language=de");
    let english = browser(&app).with("accept-language", "en-GB");
    shows(&english.get(&path).expect(200), &["<html lang=\"en\">", "(optional)", ">Send</button>"]);
    shows(&english.get(&asked).expect(200), &words);
    let sent = send(&english, &asked, "email=ann%40example.com").expect(303);
    assert_eq!(sent.header("location"), Some(format!("{path}/thanks?language=de").as_str()));
    // Whatever else it names changes nothing, and is not repeated.
    for odd in ["xx", "%3Cscript%3E", "de%0d%0aX-Evil:%201", ""] {
        let sent = send(&english, &format!("{path}?language={odd}"), "name=Ann").expect(303);
        let location = sent.header("location").expect("a location").to_owned();
        assert!(!location.contains("script") && !location.contains("Evil"), "{location}");
    }
    // Scripts get the API's messages.
    let script = visitor(&app).with("accept-language", "de");
    let told = script.post(&path, json!({ "email": "nowhere" })).expect(400);
    assert!(told.text.contains("must be an email address"), "{}", told.text);
}
