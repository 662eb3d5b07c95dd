//! Website forms, as people in browsers send them.

use frontdesk_e2e::{Answer, App, Client, on_every_engine};

use crate::forms::{form, only_inquiry, send, visitor};
use crate::people::walk;

on_every_engine! {
    a_browser_is_thanked,
    a_browser_is_sent_on,
    a_page_chooses_its_thanks_within_its_own_site,
    a_browser_is_told_what_is_wrong_on_a_page,
}

/// Somebody in a browser.
fn browser(app: &App) -> Client {
    visitor(app)
        .with("accept", "text/html,application/xhtml+xml,*/*;q=0.8")
        .with("origin", "https://example.com")
}

/// Demands a page that loads and runs nothing.
#[track_caller]
fn is_page(answer: &Answer) {
    assert_eq!(answer.header("content-type"), Some("text/html; charset=utf-8"));
    assert!(answer.text.starts_with("<!doctype html>"), "{}", answer.text);
    assert!(
        answer.header("content-security-policy").is_some_and(|policy| policy.contains("default-src 'none'"))
    );
    assert!(!answer.text.contains("<script"), "{}", answer.text);
    answer.request_id();
}

fn a_browser_is_thanked(app: App) {
    let tenant = app.tenant();
    let (_, path) = form(&app, &tenant, &[]);
    let thanks = send(&browser(&app), &path, "name=Ann&_redirect=https://evil.test/").expect(200);
    is_page(&thanks);
    assert!(thanks.text.contains("Thank you"), "{}", thanks.text);
    assert_eq!(thanks.header("location"), None);
    // So is a program that fell into the trap.
    let trapped = send(&browser(&app), &path, "name=Bot&_gotcha=x").expect(200);
    assert_eq!(trapped.text, thanks.text);
    assert_eq!(only_inquiry(&tenant.client)["name"], "Ann");
}

fn a_browser_is_sent_on(app: App) {
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

fn a_page_chooses_its_thanks_within_its_own_site(app: App) {
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

fn a_browser_is_told_what_is_wrong_on_a_page(app: App) {
    let tenant = app.tenant();
    let (_, path) = form(&app, &tenant, &["--allow-origin", "https://example.com"]);
    let wrong =
        send(&browser(&app), &path, &format!("email=nowhere&%3Cscript%3E={}", "x".repeat(2_001))).expect(400);
    is_page(&wrong);
    assert!(wrong.text.contains("<b>email</b> must be an email address"), "{}", wrong.text);
    assert!(wrong.text.contains("&lt;script&gt;"), "{}", wrong.text);
    let upload = browser(&app).with("content-type", "multipart/form-data; boundary=x");
    let refused = upload.send("POST", &path, Some(b"--x--")).expect(415);
    is_page(&refused);
    assert!(refused.text.contains("enctype"), "{}", refused.text);
    let stranger = send(&browser(&app).with("origin", "https://evil.test"), &path, "name=Eve").expect(403);
    is_page(&stranger);
    is_page(&send(&browser(&app), "/forms/nothing", "name=Eve").expect(404));
    assert_eq!(walk(&tenant.client, "/inquiries").len(), 0);
}
