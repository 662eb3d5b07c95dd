//! The Python package passes every case of an SDK, and its asynchronous client those in which it is not the other one.

use serde_json::json;

use crate::shapes::text;

crate::sdk_cases::sdk_passes_every_case!("python");

static ASYNC_SDK: Sdk = Sdk::client(&SDK, "_async");

on_every_engine! {
    an_asynchronous_list_is_walked_page_by_page,
    an_asynchronous_refusal_tells_its_code_and_reason,
    an_asynchronous_write_takes_effect_once_although_the_server_is_killed,
    an_asynchronous_stream_continues_over_broken_connections,
}

fn an_asynchronous_list_is_walked_page_by_page(engine: Engine) {
    sdk_cases::pages(&ASYNC_SDK, engine);
}

fn an_asynchronous_refusal_tells_its_code_and_reason(engine: Engine) {
    sdk_cases::refused(&ASYNC_SDK, engine);
}

fn an_asynchronous_write_takes_effect_once_although_the_server_is_killed(engine: Engine) {
    sdk_cases::killed(&ASYNC_SDK, engine);
}

fn an_asynchronous_stream_continues_over_broken_connections(engine: Engine) {
    sdk_cases::stream(&ASYNC_SDK, engine);
}

/// Type checkers ignore the types of a package without the file `py.typed`.
#[test]
fn the_installed_wheel_says_that_it_is_typed() {
    let said = SDK.run("typed", &json!({}));
    assert!(text(&said["place"]).contains("/site-packages/frontdesk"), "{said}");
    assert_eq!(said["typed"], true, "{said}");
}
