//! Web chat as websites meet it: the script, and pages of other origins.

use frontdesk_e2e::{Response, on_every_engine, on_sqlite};
use serde_json::json;

use crate::shapes::{NOTHING, has_fields, is_id, text};
use crate::web_chat_scene::{Chat, door};

on_every_engine! {
    connecting_prints_a_script_that_is_served,
    a_page_of_any_origin_may_ask_and_reads_the_answer,
    a_page_learns_that_its_chat_does_not_exist,
}

on_sqlite! {
    the_script_is_cached_by_its_tag,
    unknown_paths_and_methods_are_refused,
}

const ORIGIN: &str = "https://shop.example";

fn connecting_prints_a_script_that_is_served(chat: Chat) {
    let account = chat.tenant.account.id.as_str();
    let connect = ["channel", "connect", "--account", account, "--channel", "web_chat"];
    let printed = chat.app.run(&connect).expect_success().out;
    let newest = chat.client.get("/channels").expect(200).data()[0].clone();
    let script = format!(
        "<script src=\"{}/widget.js\" data-connection=\"{}\" async></script>",
        chat.app.base(),
        text(&newest["id"])
    );
    assert!(printed.contains(&script), "{script} is not in {printed}");
    assert!(printed.contains("/channels/web_chat/"), "{printed}");
    let made = chat.app.cli(&connect);
    has_fields(&made, "connection_id snippet webhook_url");
    is_id(&made["connection_id"]);
    let connection = text(&made["connection_id"]);
    assert_eq!(text(&made["webhook_url"]), format!("{}/channels/web_chat/{connection}", chat.app.base()));
    assert_eq!(chat.channel(connection)["status"], "connected");
    chat.anybody().post(&door(connection, "visitors"), json!({})).expect(201);
    chat.anybody().get("/widget.js").expect(200);
}

fn the_script_is_cached_by_its_tag(chat: Chat) {
    let script = chat.anybody().get("/widget.js").expect(200);
    assert_eq!(script.header("content-type"), Some("text/javascript; charset=utf-8"));
    assert_eq!(script.header("x-content-type-options"), Some("nosniff"));
    assert_eq!(script.header("access-control-allow-origin"), Some("*"));
    assert_eq!(script.header("cross-origin-resource-policy"), Some("cross-origin"));
    assert_eq!(script.header("cache-control"), Some("public, max-age=3600"));
    assert!(script.text.contains("data-connection") || script.text.contains("dataset"), "{}", script.text);
    let tag = script.header("etag").expect("a tag").to_owned();
    for known in [tag.clone(), format!("\"other\", {tag}"), "*".to_owned()] {
        let response = chat.anybody().with("if-none-match", &known).get("/widget.js").expect(304);
        assert_eq!((response.body.len(), response.header("etag")), (0, Some(tag.as_str())), "{known}");
    }
    let response = chat.anybody().with("if-none-match", "W/\"other\"").get("/widget.js").expect(200);
    assert_eq!(response.text, script.text);
    let head = chat.anybody().send("HEAD", "/widget.js", None).expect(200);
    assert_eq!((head.body.len(), head.header("etag")), (0, Some(tag.as_str())));
    let response = chat.anybody().post("/widget.js", json!({})).expect(405);
    assert_eq!(response.header("allow"), Some("GET, HEAD"));
    chat.anybody().get("/widget.js/more").expect(404);
}

fn a_page_of_any_origin_may_ask_and_reads_the_answer(chat: Chat) {
    let page = chat.anybody().with("origin", ORIGIN);
    for what in ["visitors", "messages", "read", "stream"] {
        let asked = page
            .with("access-control-request-method", "POST")
            .with("access-control-request-headers", "authorization, content-type");
        let leave = asked.send("OPTIONS", &chat.path(what), None).expect(204);
        assert_eq!(leave.header("access-control-allow-origin"), Some("*"));
        assert_eq!(leave.header("access-control-allow-methods"), Some("GET, POST"));
        let headers = leave.header("access-control-allow-headers").unwrap_or_default();
        for name in ["authorization", "content-type", "last-event-id"] {
            assert!(headers.contains(name), "{headers}");
        }
        assert!(leave.header("access-control-max-age").is_some());
        // No cookie is ever asked for.
        assert_eq!(leave.header("access-control-allow-credentials"), None);
    }
    let open = |response: Response| {
        assert_eq!(response.header("access-control-allow-origin"), Some("*"), "{response:?}");
        assert_eq!(response.header("cache-control"), Some("no-store"), "{response:?}");
        let exposed = response.header("access-control-expose-headers").unwrap_or_default();
        assert!(exposed.contains("retry-after"), "{exposed}");
        response
    };
    let made = open(page.post(&chat.path("visitors"), json!({})).expect(201));
    let visitor = page.with_key(text(&made.data()["token"]));
    let said = open(visitor.post(&chat.path("messages"), json!({ "text": "Hi!" })).expect(201));
    open(visitor.get(&chat.path("messages")).expect(200));
    open(visitor.post(&chat.path("read"), json!({ "message_id": said.data()["id"] })).expect(200));
    // Why something is refused is for pages to read, too.
    open(page.get(&chat.path("messages")).expect(403)).error("forbidden");
    open(visitor.post(&chat.path("messages"), json!({})).expect(400)).details_at(&["text"]);
    open(visitor.post(&chat.path("stream"), json!({})).expect(405)).error("bad_request");
    open(visitor.get(&chat.path("elsewhere")).expect(404)).error("not_found");
}

fn unknown_paths_and_methods_are_refused(chat: Chat) {
    let caller = chat.anybody();
    for path in [chat.path(""), chat.path("elsewhere"), chat.path("messages/1"), door(NOTHING, "visitors")] {
        caller.post(&path, json!({})).expect(404).error("not_found");
    }
    caller.post(&door("x", "visitors"), json!({})).expect(404).error("not_found");
    // A chat is no other channel, and no other channel is a chat.
    caller.post(&door(&chat.whatsapp, "visitors"), json!({})).expect(404).error("not_found");
    for (method, what, allowed) in [
        ("GET", "visitors", "POST, OPTIONS"),
        ("DELETE", "messages", "GET, POST, OPTIONS"),
        ("GET", "read", "POST, OPTIONS"),
        ("POST", "stream", "GET, OPTIONS"),
    ] {
        let refused = caller.send(method, &chat.path(what), None).expect(405);
        refused.error("bad_request");
        assert_eq!(refused.header("allow"), Some(allowed));
    }
}

fn a_page_learns_that_its_chat_does_not_exist(chat: Chat) {
    let page = chat.anybody().with("origin", ORIGIN);
    let about = page.get(&chat.path("")).expect(200);
    has_fields(about.data(), "connection_id status");
    assert_eq!(
        (&about.data()["connection_id"], &about.data()["status"]),
        (&json!(chat.connection), &json!("connected"))
    );
    assert_eq!(about.header("access-control-allow-origin"), Some("*"));
    for unknown in [NOTHING, "x", &chat.whatsapp] {
        let missing = page.get(&door(unknown, "")).expect(404);
        let error = missing.error("not_found");
        assert!(text(&error["message"]).contains("frontdesk channel list"), "{error}");
        // The page can read it.
        assert_eq!(missing.header("access-control-allow-origin"), Some("*"));
        page.send("OPTIONS", &door(unknown, "visitors"), None).expect(204);
    }
    // The script asks before it shows anything.
    let script = chat.anybody().get("/widget.js").expect(200).text;
    assert!(script.contains("has no web chat with data-connection"), "{script}");
}
