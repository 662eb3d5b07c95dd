//! The stream of events.

use frontdesk::types::EventData;
use frontdesk::{Error, ErrorCode};

use super::server::{Reply, Server, json, refused};

const HEAD: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\nretry: 1000\n\n: ping\n\n";

fn envelope(number: u32) -> String {
    format!(
        r#"{{"event_id":"evt_{number}","event_type":"parcel.lost","created_at":"2026-01-31T09:30:00.000Z","account_id":"01890a5d-ac96-774b-bcce-b302099a8057","api_version":"v1","data":{{"parcel":{number}}}}}"#
    )
}

fn event(number: u32) -> String {
    let envelope = envelope(number);
    format!("id: evt_{number}\nevent: parcel.lost\ndata: {envelope}\n\n")
}

fn newest(events: &str) -> Reply {
    json(200, &format!(r#"{{"data":[{events}],"meta":{{"next_cursor":null,"has_more":false,"limit":1}}}}"#))
}

#[tokio::test]
async fn a_broken_stream_goes_on_after_its_last_event() {
    let server = Server::start([
        Reply::Closed(format!("{HEAD}{}{}", event(1), event(2))),
        Reply::Closed(format!("{HEAD}{}data: cut", event(3))),
        refused(503, "internal"),
        Reply::Silent(format!("{HEAD}{}", event(4))),
    ]);
    let mut events = server.client().events().stream().after("evt_0");
    for number in 1..=4 {
        let event = events.next().await.unwrap().unwrap();
        assert_eq!(event.event_id, format!("evt_{number}"));
        let EventData::Unknown { event_type, data } = event.data else { panic!("it is unknown") };
        assert_eq!((event_type.as_str(), &data["parcel"]), ("parcel.lost", &number.into()));
    }
    let requests = server.requests();
    let after: Vec<_> = requests.iter().map(|request| request.header("last-event-id").unwrap()).collect();
    assert_eq!(after, ["evt_0", "evt_2", "evt_3", "evt_3"]);
    assert_eq!(requests[0].header("accept"), Some("text/event-stream"));
    drop(events);
    tokio::task::spawn_blocking(move || server.wait_until_left()).await.unwrap();
}

#[tokio::test]
async fn a_stream_that_breaks_before_its_first_event_misses_none() {
    let server = Server::start([
        Reply::Closed(String::new()),
        newest(r#"{"event_id":"evt_7"}"#),
        Reply::Closed(HEAD.to_owned()),
        Reply::Silent(format!("{HEAD}{}", event(8))),
    ]);
    let mut events = server.client().events().stream();
    assert_eq!(events.next().await.unwrap().unwrap().event_id, "evt_8");
    let requests = server.requests();
    assert_eq!(requests[1].target, "/api/v1/events?limit=1");
    assert_eq!(requests[2].header("last-event-id"), Some("evt_7"));
    assert_eq!(requests[3].header("last-event-id"), Some("evt_7"));
}

#[tokio::test]
async fn a_stream_of_an_account_without_events_lists_what_has_happened_since_it_began() {
    let server = Server::start([
        newest(""),
        Reply::Closed(HEAD.to_owned()),
        newest(""),
        Reply::Silent(format!("{HEAD}{}{}", event(2), event(3))),
        newest(&format!("{},{}", envelope(2), envelope(1))),
    ]);
    let mut events = server.client().events().stream();
    for number in 1..=3 {
        assert_eq!(events.next().await.unwrap().unwrap().event_id, format!("evt_{number}"));
    }
    assert_eq!(server.requests()[4].target, "/api/v1/events?limit=100");
}

#[tokio::test]
async fn a_lost_place_is_told_and_the_stream_goes_on() {
    let reset = format!("{HEAD}id: evt_8\nevent: reset\ndata: {{}}\n\n{}", event(9));
    let server = Server::start([Reply::Silent(reset)]);
    let mut events = server.client().events().stream().after("evt_0");
    let lost = events.next().await.unwrap();
    assert!(matches!(&lost, Err(Error::EventsLost { resumes_after: Some(id) }) if id == "evt_8"), "{lost:?}");
    assert_eq!(events.next().await.unwrap().unwrap().event_id, "evt_9");
}

#[tokio::test]
async fn a_refusal_that_stays_ends_the_stream() {
    for (status, code) in [(401, "unauthorized"), (403, "forbidden"), (400, "bad_request")] {
        let server = Server::start([Reply::Closed(format!("{HEAD}{}", event(1))), refused(status, code)]);
        let mut events = server.client().events().stream().after("evt_0");
        assert!(events.next().await.unwrap().is_ok());
        let refusal = events.next().await.unwrap().unwrap_err();
        assert_eq!(refusal.code(), Some(&ErrorCode::from(code)));
        assert!(events.next().await.is_none());
    }
    let server = Server::start([refused(401, "unauthorized")]);
    let mut events = server.client().events().stream();
    assert!(events.next().await.unwrap().is_err());
    assert!(events.next().await.is_none());
}
