//! Lists, page by page and row by row.

use frontdesk::Error;
use futures_util::TryStreamExt;

use super::server::{Reply, Server, json, refused};
use super::{ID, TAG};

fn page(names: &[&str], next: Option<&str>) -> Reply {
    let rows: Vec<String> = names.iter().map(|name| TAG.replace("vip", name)).collect();
    let next = next.map_or_else(|| "null".to_owned(), |next| format!("\"{next}\""));
    let has_more = next != "null";
    let rows = rows.join(",");
    json(
        200,
        &format!(r#"{{"data":[{rows}],"meta":{{"next_cursor":{next},"has_more":{has_more},"limit":2}}}}"#),
    )
}

#[tokio::test]
async fn a_list_is_a_stream_of_the_rows_of_all_pages() {
    let server = Server::start([page(&["a", "b"], Some("c=1")), page(&[], Some("c=2")), page(&["c"], None)]);
    let mut tags = server.client().tags().list().stream();
    let mut names = Vec::new();
    while let Some(tag) = tags.next().await {
        names.push(tag.unwrap().name);
    }
    assert_eq!(names, ["a", "b", "c"]);
    assert!(tags.next().await.is_none());
    let targets: Vec<String> = server.requests().into_iter().map(|request| request.target).collect();
    assert_eq!(targets, ["/api/v1/tags", "/api/v1/tags?cursor=c%3D1", "/api/v1/tags?cursor=c%3D2"]);
}

#[tokio::test]
async fn filters_stay_the_same_on_every_page() {
    let empty = r#"{"data":[],"meta":{"next_cursor":"n","has_more":true,"limit":2}}"#;
    let last = r#"{"data":[],"meta":{"next_cursor":null,"has_more":false,"limit":2}}"#;
    let server = Server::start([json(200, empty), json(200, last)]);
    let list = server.client().contacts().list().q("Zoë").tag_id(ID).limit(2).cursor("m");
    assert!(list.stream().try_collect::<Vec<_>>().await.unwrap().is_empty());
    let requests = server.requests();
    let filters = "/api/v1/contacts?q=Zo%C3%AB&tag_id=01890a5d-ac96-774b-bcce-b302099a8057&limit=2&cursor=";
    assert_eq!(requests[0].target, format!("{filters}m"));
    assert_eq!(requests[1].target, format!("{filters}n"));
}

#[tokio::test]
async fn a_page_leads_to_the_next() {
    let server = Server::start([page(&["a", "b"], Some("n")), page(&["c"], None)]);
    let first = server.client().tags().list().page().await.unwrap();
    assert_eq!((first.data.len(), first.has_more, first.next_cursor.as_deref()), (2, true, Some("n")));
    let second = first.next_page().await.unwrap().unwrap();
    assert_eq!((second.data[0].name.as_str(), second.has_more), ("c", false));
    assert!(second.next_page().await.unwrap().is_none());
    assert_eq!(server.requests().len(), 2);
}

#[tokio::test]
async fn a_stream_tries_pages_again_and_ends_after_an_error() {
    let replies = [
        page(&["a"], Some("n")),
        Reply::Closed(String::new()),
        page(&["b"], Some("m")),
        refused(400, "bad_request"),
        page(&["never"], None),
    ];
    let server = Server::start(replies);
    let mut tags = server.client().tags().list().stream();
    assert_eq!(tags.next().await.unwrap().unwrap().name, "a");
    assert_eq!(tags.next().await.unwrap().unwrap().name, "b");
    assert!(matches!(tags.next().await, Some(Err(Error::Api(_)))));
    assert!(tags.next().await.is_none());
    assert_eq!(server.requests().len(), 4);
}
