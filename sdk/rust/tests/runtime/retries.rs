//! What is tried again, and what is not.

use std::time::{Duration, Instant};

use frontdesk::types::{MergeContact, NewTag};
use frontdesk::{Client, Error};
use futures_util::future::join_all;

use super::server::{Reply, Server, refused};
use super::{ID, tag};

const BROKEN: &str = "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{\"da";

fn closed() -> Reply {
    Reply::Closed(String::new())
}

#[tokio::test]
async fn a_write_keeps_its_key_over_all_attempts() {
    let server = Server::start([closed(), Reply::Closed(BROKEN.to_owned()), refused(503, "internal"), tag()]);
    let made = server.client().tags().create(NewTag::new("vip")).await;
    // Tags take no key, so a broken connection is the end.
    assert!(matches!(made, Err(Error::Connection { attempts: 1, .. })), "{made:?}");

    let server = Server::start([closed(), Reply::Closed(BROKEN.to_owned()), refused(503, "internal")]);
    let error = server.client().contacts().create(frontdesk::types::NewContact::new().name("Ann")).await;
    assert!(matches!(error, Err(Error::Connection { attempts: 4, .. })), "{error:?}");
    let requests = server.requests();
    assert_eq!(requests.len(), 4);
    let key = requests[0].header("idempotency-key").unwrap();
    assert_eq!(key.len(), 36);
    for request in &requests {
        assert_eq!((request.header("idempotency-key"), &request.body), (Some(key), &requests[0].body));
    }
}

#[tokio::test]
async fn two_calls_have_two_keys_unless_they_are_given_one() {
    let server = Server::start((0..4).map(|_| refused(422, "unprocessable")));
    let client = server.client();
    let note = || client.contacts().create_note(ID, frontdesk::types::NewNote::new("Hello"));
    let _ = (note().await, note().await);
    let _ = (note().idempotency_key("order-4711").await, note().idempotency_key("order-4711").await);
    let requests = server.requests();
    let keys: Vec<_> = requests.iter().map(|request| request.header("idempotency-key").unwrap()).collect();
    assert_ne!(keys[0], keys[1]);
    assert_eq!(keys[2..], ["order-4711", "order-4711"]);
}

#[tokio::test]
async fn reads_are_repeated_and_writes_without_a_key_are_not() {
    let server = Server::start([closed(), tag()]);
    // What it reads is no contact, but it is read.
    assert!(matches!(server.client().contacts().get(ID).await, Err(Error::Decode { .. })));
    assert_eq!(server.requests().len(), 2);

    let server = Server::start([closed(), tag()]);
    let merged = server.client().contacts().merge(ID, MergeContact::new(ID)).await;
    assert!(matches!(merged, Err(Error::Connection { attempts: 1, .. })), "{merged:?}");
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn a_refusal_for_now_is_waited_for_as_long_as_the_server_says() {
    let server = Server::start([refused(429, "rate_limited").with("retry-after", "1"), tag()]);
    let _ = server.client().contacts().merge(ID, MergeContact::new(ID)).await;
    let requests = server.requests();
    assert!(requests[1].at - requests[0].at >= Duration::from_secs(1));

    // Longer than the call may take: it is told at once.
    let server = Server::start([refused(429, "rate_limited").with("retry-after", "30")]);
    let begin = Instant::now();
    let error = server.client().contacts().get(ID).timeout(Duration::from_secs(10)).await.unwrap_err();
    assert!(error.is_rate_limited());
    assert_eq!(error.api().unwrap().retry_after(), Some(Duration::from_secs(30)));
    assert!(begin.elapsed() < Duration::from_secs(5));
}

#[tokio::test]
async fn a_final_refusal_is_not_repeated() {
    for status in [400, 401, 403, 404, 409, 422, 500] {
        let server = Server::start([refused(status, "any"), tag()]);
        let error = server.client().contacts().get(ID).await.unwrap_err();
        assert_eq!((error.api().unwrap().status().as_u16(), server.requests().len()), (status, 1));
    }
}

#[tokio::test]
async fn an_earlier_attempt_that_is_still_in_flight_is_waited_for() {
    let body = r#"{"error":{"code":"conflict","reason":"idempotency_key_in_flight","message":"Wait.","request_id":"req_1"}}"#;
    let server = Server::start([closed(), super::json(409, body), refused(422, "unprocessable")]);
    let error = server.client().contacts().create(frontdesk::types::NewContact::new()).await.unwrap_err();
    assert_eq!(error.api().unwrap().status().as_u16(), 422);
    assert_eq!(server.requests().len(), 3);
}

#[tokio::test]
async fn a_server_that_is_away_is_waited_for() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let client = Client::new(url, "frontdesk_live_secret").unwrap();
    let begin = Instant::now();
    // Nothing was sent, so this may be repeated as well.
    let error = client.contacts().merge(ID, MergeContact::new(ID)).max_retries(1).await.unwrap_err();
    assert!(matches!(error, Error::Connection { attempts: 2, .. }), "{error:?}");
    assert!(begin.elapsed() >= Duration::from_millis(250));
}

#[tokio::test]
async fn a_deadline_ends_a_call_with_its_retries() {
    let server = Server::start([Reply::Silent(String::new())]);
    let begin = Instant::now();
    let error = server.client().contacts().get(ID).timeout(Duration::from_millis(300)).await.unwrap_err();
    assert!(matches!(error, Error::Timeout { attempts: 1, .. }), "{error:?}");
    assert!(begin.elapsed() >= Duration::from_millis(300));
    tokio::task::spawn_blocking(move || server.wait_until_left()).await.unwrap();

    let server = Server::start([Reply::Silent(BROKEN.to_owned()), Reply::Silent(String::new())]);
    let client = server.builder().attempt_timeout(Duration::from_millis(200)).max_retries(1).build().unwrap();
    let error = client.contacts().get(ID).timeout(Duration::MAX).await.unwrap_err();
    assert!(matches!(error, Error::Timeout { attempts: 2, .. }), "{error:?}");
    assert_eq!(server.requests().len(), 2);
}

#[tokio::test]
async fn dropping_a_call_cancels_it() {
    let server = Server::start([Reply::Silent(String::new())]);
    let client = server.client();
    let call = tokio::spawn(async move { client.contacts().get(ID).await });
    while server.requests().is_empty() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    call.abort();
    tokio::task::spawn_blocking(move || server.wait_until_left()).await.unwrap();
}

#[tokio::test]
async fn many_calls_share_a_client() {
    let server = Server::start((0..50).map(|_| tag()));
    let client = server.client();
    let calls = (0..50).map(|_| client.request("GET", "/api/v1/tags").send());
    assert!(join_all(calls).await.iter().all(Result::is_ok));
    assert_eq!(server.requests().len(), 50);
}
