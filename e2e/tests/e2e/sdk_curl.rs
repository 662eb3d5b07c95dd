//! What the documentation shows for curl runs.

use frontdesk_e2e::{Engine, on_sqlite};

use crate::sdk_cases::{self, Sdk};

static CURL: Sdk = Sdk::new("curl");

on_sqlite! {
    every_sample_by_curl_runs,
}

fn every_sample_by_curl_runs(engine: Engine) {
    sdk_cases::samples(&CURL, engine);
}
