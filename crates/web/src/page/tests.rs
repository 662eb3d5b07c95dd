#![expect(dead_code, reason = "samples are declared to be read and described, not to be used")]

use std::sync::OnceLock;

use super::*;
use crate::RequestId;
use frontdesk_kernel::Text;
use http::Method;

crate::filters! {
    struct Named {
        q: Option<Text<5>>,
    }
}

fn request(query: &str) -> Request<()> {
    Request {
        method: Method::GET,
        path: "/contacts/7/notes".into(),
        query: query.into(),
        params: vec!["7".into()],
        body: bytes::Bytes::new(),
        request_id: RequestId::from_uuid(Uuid::nil()),
        account: Uuid::from_u128(1),
        cursor_key: [3; 32],
        route_path: "/contacts/{id}/notes",
        caller: (),
        ignored: OnceLock::new(),
    }
}

fn page(query: &str) -> Result<Page> {
    Listing::<Named>::take(&request(query)).map(|listing| listing.page)
}

fn code(query: &str) -> &'static str {
    page(query).unwrap_err().code()
}

#[test]
fn a_limit_has_a_shape_and_a_range() {
    assert_eq!(page("").unwrap().limit, LIMIT_DEFAULT);
    assert_eq!(page("limit=1").unwrap().limit, 1);
    assert_eq!(page("limit=100").unwrap().limit, 100);
    for shapeless in ["", "abc", "1.0", "-", "1e2", "0x1", "١"] {
        assert_eq!(code(&format!("limit={shapeless}")), "bad_request", "{shapeless}");
    }
    for outside in ["0", "101", "-1", "99999999999999999999", "-99999999999999999999"] {
        assert_eq!(code(&format!("limit={outside}")), "validation_error", "{outside}");
    }
}

#[test]
fn limit_and_filters_are_reported_together() {
    let failure = page("limit=0&q=longer").unwrap_err();
    let body: Value =
        serde_json::from_slice(&failure.render(&RequestId::from_uuid(Uuid::nil())).body).unwrap();
    let paths: Vec<_> =
        body["error"]["details"].as_array().unwrap().iter().map(|item| &item["path"]).collect();
    assert_eq!(paths, ["q", "limit"]);
}

#[test]
fn a_walk_goes_on_after_the_last_row_and_ends() {
    let rows = |from: u128, count: u128| (0..count).map(|n| Uuid::from_u128(from - n)).collect::<Vec<_>>();
    let first = page("limit=2&q=ann").unwrap();
    assert_eq!((first.fetch(), first.before), (3, None));
    let list = first.finish(rows(9, 3), |id| *id);
    assert_eq!((list.data.len(), list.meta.has_more, list.meta.limit), (2, true, 2));

    let cursor = list.meta.next_cursor.unwrap();
    let second = page(&format!("limit=50&q=ann&cursor={cursor}")).unwrap();
    assert_eq!(second.before, Some(Uuid::from_u128(8)));
    let list = second.finish(rows(7, 2), |id| *id);
    assert_eq!((list.data.len(), list.meta.has_more, list.meta.next_cursor), (2, false, None));
}

#[test]
fn a_cursor_fits_its_list_only() {
    let row = [Uuid::from_u128(9), Uuid::from_u128(8)];
    let cursor = page("limit=1&q=ann").unwrap().finish(row.to_vec(), |id| *id).meta.next_cursor.unwrap();
    assert_eq!(code(&format!("cursor={cursor}")), "bad_request");
    assert_eq!(code(&format!("q=bob&cursor={cursor}")), "bad_request");
    assert_eq!(code("q=ann&cursor=nonsense"), "bad_request");
    let fits = |change: fn(&mut Request<()>)| {
        let mut request = request(&format!("q=ann&cursor={cursor}"));
        change(&mut request);
        Listing::<Named>::take(&request).is_ok()
    };
    assert!(fits(|_| {}));
    assert!(fits(|request| request.query.push_str("&unknown=1&limit=3")));
    assert!(!fits(|request| request.account = Uuid::from_u128(2)));
    assert!(!fits(|request| request.route_path = "/deals"));
    assert!(!fits(|request| request.params = vec!["8".into()]));
    assert!(!fits(|request| request.cursor_key = [4; 32]));
}

#[test]
fn a_whole_list_says_it_is_whole() {
    let list = serde_json::to_value(List::all(vec![1, 2])).unwrap();
    assert_eq!(
        list,
        json!({ "data": [1, 2], "meta": { "next_cursor": null, "has_more": false, "limit": 2 } })
    );
}
