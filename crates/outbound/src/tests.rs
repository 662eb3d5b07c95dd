//! The client against small servers on loopback.

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use super::*;

const LIMITS: Limits = Limits { time_max: Duration::from_secs(5), body_bytes_max: 16 };

/// A server that answers every connection with the same bytes.
async fn answering(bytes: String) -> Uri {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut buffer = [0; 4096];
            let _ = stream.read(&mut buffer).await;
            let _ = stream.write_all(bytes.as_bytes()).await;
        }
    });
    format!("http://127.0.0.1:{port}/hook").parse().unwrap()
}

async fn post(reach: Reach, uri: Uri, limits: Limits) -> Result<Response, Error> {
    Client::new(reach).send(Method::POST, uri, HeaderMap::new(), Bytes::from_static(b"{}"), limits).await
}

#[tokio::test]
async fn an_answer_is_kept_only_so_far() {
    let uri =
        answering(format!("HTTP/1.1 201 Created\r\ncontent-length: 1000\r\n\r\n{}", "x".repeat(1000))).await;
    let response = post(Reach::Anywhere, uri, LIMITS).await.unwrap();
    assert_eq!((response.status.as_u16(), response.body.len()), (201, 16));
}

#[tokio::test]
async fn an_answer_that_breaks_off_is_kept_as_far_as_it_came() {
    let uri = answering("HTTP/1.1 202 Accepted\r\ncontent-length: 9\r\n\r\nhalf".into()).await;
    let response = post(Reach::Anywhere, uri, LIMITS).await.unwrap();
    assert_eq!((response.status.as_u16(), &response.body[..]), (202, &b"half"[..]));
}

#[tokio::test]
async fn a_redirect_is_an_answer_and_is_not_followed() {
    let uri =
        answering("HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n".into())
            .await;
    assert_eq!(post(Reach::Anywhere, uri, LIMITS).await.unwrap().status, StatusCode::FOUND);
}

#[tokio::test]
async fn silence_ends_in_time() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let uri: Uri = format!("http://{}/", listener.local_addr().unwrap()).parse().unwrap();
    let limits = Limits { time_max: Duration::from_millis(50), ..LIMITS };
    assert!(matches!(post(Reach::Anywhere, uri, limits).await, Err(Error::Timeout(_))));
}

#[tokio::test]
async fn inner_addresses_are_refused_by_name_and_by_number() {
    for inside in [
        "https://127.0.0.1/",
        "https://[::1]/",
        "https://localhost/",
        "https://[::ffff:127.0.0.1]/",
        "https://169.254.169.254/",
        "https://2130706433/",
        "https://0x7f.1/",
    ] {
        let uri: Uri = inside.parse().unwrap();
        let refused = post(Reach::Public, uri.clone(), LIMITS).await;
        assert!(matches!(refused, Err(Error::Refused(Refusal::Address { .. }))), "{inside}: {refused:?}");
        assert!(Client::new(Reach::Public).inspect(&uri, LIMITS.time_max).await.is_err(), "{inside}");
    }
}

#[tokio::test]
async fn plain_http_needs_unrestricted_reach() {
    let uri = answering("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n".into()).await;
    assert!(matches!(post(Reach::Public, uri.clone(), LIMITS).await, Err(Error::Refused(Refusal::Scheme))));
    assert!(post(Reach::Anywhere, uri, LIMITS).await.is_ok());
}

#[tokio::test]
async fn a_closed_port_is_told_as_such() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let uri: Uri = format!("http://{}/", listener.local_addr().unwrap()).parse().unwrap();
    drop(listener);
    let refused = post(Reach::Anywhere, uri, LIMITS).await;
    assert!(
        matches!(&refused, Err(Error::Unreached(text)) if text.contains("cannot connect")),
        "{refused:?}"
    );
}
