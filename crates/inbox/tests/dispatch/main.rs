//! Operations invoked by name from inside the process, on both engines: they respond as over HTTP.

mod scene;

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use frontdesk_db as db;
use frontdesk_kernel::Scope;
use frontdesk_kernel::ids::AssistantId;
use frontdesk_kernel::scope::Scopes;
use frontdesk_platform::Principal;
use frontdesk_platform::dispatch::{Companion, Invocation};
use http::{Method, StatusCode};
use serde_json::{Value, json};
use uuid::Uuid;

use scene::{Scene, every_scope, on_both, settled};

fn body(body: Value) -> Invocation {
    Invocation { body: Some(body), ..Invocation::default() }
}

fn about(id: &Value) -> Invocation {
    Invocation { params: vec![id.as_str().expect("an id").to_owned()], ..Invocation::default() }
}

#[test]
fn an_operation_answers_as_its_route_does() {
    on_both(every_scope(), |scene| async move {
        let deal = json!({ "title": "Ten chairs", "value": 1200.5 });
        let sent = scene.http(Method::POST, "/deals", Some(&deal), &[]).await;
        let called = scene.invoke("createDeal", body(deal)).await;
        assert_eq!(called.status, 201, "{called:?}");
        assert_eq!(settled(called.clone()), settled(sent));

        let id = &called.body["data"]["id"];
        let path = format!("/deals/{}", id.as_str().expect("an id"));
        let (sent, got) =
            (scene.http(Method::GET, &path, None, &[]).await, scene.invoke("getDeal", about(id)).await);
        assert_eq!((got.status, &got.body["data"]), (200, &called.body["data"]));
        assert_eq!(got, sent);

        let query = vec![("q".to_owned(), "ten ch".to_owned()), ("limit".to_owned(), "1".to_owned())];
        let listed = scene.invoke("listDeals", Invocation { query, ..Invocation::default() }).await;
        assert_eq!(listed.body["meta"]["has_more"], true, "{listed:?}");
        assert_eq!(listed, scene.http(Method::GET, "/deals?q=ten%20ch&limit=1", None, &[]).await);
        let cursor = listed.body["meta"]["next_cursor"].as_str().expect("there is more");
        let next = scene.http(Method::GET, &format!("/deals?q=ten+ch&cursor={cursor}"), None, &[]).await;
        assert_eq!((next.status, next.body["data"].as_array().map(Vec::len)), (200, Some(1)));
    });
}

#[test]
fn an_operation_refuses_what_its_route_refuses() {
    let scopes = Scopes::default().with(Scope::DealsWrite);
    on_both(scopes.effective(), |scene| async move {
        let nobody = Uuid::from_u128(7).to_string();
        let at = |id: &str| Invocation { params: vec![id.to_owned()], ..Invocation::default() };
        let filtered = |name: &str, value: &str| Invocation {
            query: vec![(name.to_owned(), value.to_owned())],
            ..Invocation::default()
        };
        let keyed =
            |key: &str| Invocation { idempotency_key: Some(key.to_owned()), ..body(json!({ "title": "x" })) };
        let large = json!({ "title": "x".repeat(1 << 20) });
        let cases = [
            (403, "listContacts", Invocation::default(), Method::GET, "/contacts".to_owned()),
            (404, "getDeal", at(&nobody), Method::GET, format!("/deals/{nobody}")),
            (404, "getDeal", at("7"), Method::GET, "/deals/7".to_owned()),
            (400, "createDeal", body(json!({ "value": "much" })), Method::POST, "/deals".to_owned()),
            (400, "createDeal", body(json!([])), Method::POST, "/deals".to_owned()),
            (400, "createDeal", Invocation::default(), Method::POST, "/deals".to_owned()),
            (413, "createDeal", body(large), Method::POST, "/deals".to_owned()),
            (
                400,
                "listDeals",
                filtered("status", "lost&found"),
                Method::GET,
                "/deals?status=lost%26found".to_owned(),
            ),
            (400, "listDeals", filtered("limit", "0"), Method::GET, "/deals?limit=0".to_owned()),
            (400, "createDeal", keyed("a b"), Method::POST, "/deals".to_owned()),
        ];
        for (status, operation, invocation, method, path) in cases {
            let header = invocation.idempotency_key.clone();
            let headers: Vec<(&str, &str)> =
                header.iter().map(|key| ("idempotency-key", key.as_str())).collect();
            let sent = scene.http(method, &path, invocation.body.as_ref(), &headers).await;
            let called = scene.invoke(operation, invocation).await;
            assert_eq!(called.status, status, "{operation} {path}: {called:?}");
            assert_eq!(settled(called), settled(sent), "{operation} {path}");
        }
        let unknown = scene.invoke("create_deal", body(json!({ "title": "x" }))).await;
        assert_eq!((unknown.status, &unknown.body["error"]["code"]), (404, &json!("not_found")));
        assert_eq!(scene.count("deals").await, 0);
    });
}

#[test]
fn an_idempotency_key_is_shared_by_keys_and_not_by_others() {
    on_both(every_scope(), |scene| async move {
        let deal = json!({ "title": "Once" });
        let once = || Invocation { idempotency_key: Some("once".into()), ..body(deal.clone()) };
        let first = scene.invoke("createDeal", once()).await;
        let sent = scene.http(Method::POST, "/deals", Some(&deal), &[("idempotency-key", "once")]).await;
        assert_eq!((first.status, first.replayed, sent.replayed), (201, false, true));
        assert_eq!(first.body, sent.body);

        let member = Principal::of_member(scene.account, scene.owner, every_scope());
        let assistant = Principal::of_assistant(
            scene.account,
            AssistantId::from_uuid(Uuid::from_u128(9)),
            scene.owner,
            every_scope(),
        );
        for (other, deals) in [(&member, 2), (&assistant, 3)] {
            let made = scene.invoke_as(other, "createDeal", once()).await;
            assert_eq!((made.status, made.replayed), (201, false), "{other:?}");
            let again = scene.invoke_as(other, "createDeal", once()).await;
            assert_eq!((again.replayed, &again.body), (true, &made.body), "{other:?}");
            assert_eq!(scene.count("deals").await, deals);
        }
        let changed =
            Invocation { idempotency_key: Some("once".into()), ..body(json!({ "title": "Twice" })) };
        let reused = scene.invoke_as(&member, "createDeal", changed).await;
        assert_eq!(reused.body["error"]["reason"], "idempotency_key_reused");
    });
}

#[test]
fn writes_are_attributed_to_the_actor() {
    on_both(every_scope(), |scene| async move {
        let contact = scene.invoke("createContact", body(json!({ "name": "Ann" }))).await;
        let contact = &contact.body["data"]["id"];
        let connections = scene.invoke("listChannels", Invocation::default()).await;
        let assistant = AssistantId::from_uuid(Uuid::from_u128(9));
        let assistant = Principal::of_assistant(scene.account, assistant, scene.owner, every_scope());
        let member = Principal::of_member(scene.account, scene.owner, every_scope());
        for (principal, sender) in [(&scene.principal, "bot"), (&member, "agent"), (&assistant, "bot")] {
            let to = json!({
                "phone": "+5511987654321",
                "channel": "personal_whatsapp",
                "connection_id": connections.body["data"][0]["id"],
            });
            let message = body(json!({ "type": "text", "to": to, "text": "Hello" }));
            let sent = scene.invoke_as(principal, "sendMessage", message).await;
            assert_eq!((sent.status, &sent.body["data"]["sender_type"]), (201, &json!(sender)), "{sent:?}");
            let note = Invocation { body: Some(json!({ "body": "Called back" })), ..about(contact) };
            let note = scene.invoke_as(principal, "createContactNote", note).await;
            assert_eq!(note.body["data"]["author_user_id"], json!(scene.owner), "{note:?}");
        }
    });
}

#[test]
fn a_member_is_told_that_the_role_lacks_a_scope_and_has_no_key() {
    on_both(every_scope(), |scene| async move {
        let scopes = Scopes::default().with(Scope::ContactsWrite);
        let member = Principal::of_member(scene.account, scene.owner, scopes);
        let refused = scene.invoke_as(&member, "createDeal", body(json!({ "title": "x" }))).await;
        assert_eq!((refused.status, &refused.body["error"]["reason"]), (403, &json!("scope")));
        assert!(refused.body["error"]["message"].as_str().is_some_and(|told| told.starts_with("Your role")));
        // A scope includes others.
        assert_eq!(scene.invoke_as(&member, "listContacts", Invocation::default()).await.status, 200);
        assert_eq!(scene.invoke_as(&member, "getMe", Invocation::default()).await.status, 404);
        assert_eq!(scene.invoke("getMe", Invocation::default()).await.status, 200);
    });
}

/// Writes a setting with the response's status, and counts how often it is called.
fn companion(calls: &Arc<AtomicU32>, fails: bool) -> Companion {
    let calls = calls.clone();
    Arc::new(move |tx, status: StatusCode, body| {
        calls.fetch_add(1, Ordering::Relaxed);
        let response: Value = serde_json::from_slice(body).expect("a body is JSON");
        let note = format!("{} {}", status.as_u16(), response["data"]["title"]);
        tx.execute("INSERT INTO settings (name, value) VALUES ('companion', $1)", &[&note])?.exactly(1)?;
        if fails { Err(db::Error::Engine("no".into())) } else { Ok(()) }
    })
}

async fn noted(scene: &Scene) -> Option<String> {
    let find = |tx: &mut db::ReadTx<'_>| {
        tx.find("SELECT value FROM settings WHERE name = 'companion'", &[], db::only)
    };
    scene
        .gate
        .dispatcher
        .store
        .read(find)
        .await
        .map_err(|error: db::Error| error.to_string())
        .expect("a read works")
}

#[test]
fn a_companion_commits_with_the_operation_or_not_at_all() {
    on_both(every_scope(), |scene| async move {
        let calls = Arc::new(AtomicU32::new(0));
        let with = |title: &str, fails: bool| Invocation {
            companion: Some(companion(&calls, fails)),
            ..body(json!({ "title": title }))
        };
        let failed = scene.invoke("createDeal", with("Undone", true)).await;
        assert_eq!(failed.status, 500, "{failed:?}");
        assert_eq!((scene.count("deals").await, noted(&scene).await), (0, None));

        calls.store(0, Ordering::Relaxed);
        let stage = json!({ "title": "Refused", "stage_id": Uuid::from_u128(7) });
        let refused = Invocation { companion: Some(companion(&calls, false)), ..body(stage) };
        let refused = scene.invoke("createDeal", refused).await;
        assert_eq!((refused.status, calls.load(Ordering::Relaxed)), (404, 0), "{refused:?}");
        assert_eq!(noted(&scene).await, None);

        let made = scene.invoke("createDeal", with("Done", false)).await;
        assert_eq!((made.status, scene.count("deals").await), (201, 1));
        assert_eq!(noted(&scene).await.as_deref(), Some("201 \"Done\""));
    });
}
