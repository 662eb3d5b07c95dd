//! The metrics of a server on this machine, in a bug report.

use std::net::IpAddr;
use std::time::Duration;

use bytes::Bytes;
use frontdesk_outbound::{Client, Limits, Reach};
use http::header::AUTHORIZATION;
use http::{HeaderMap, HeaderValue, Method, Uri};

use crate::serve::telemetry::METRICS;

const CALL_TIME_MAX: Duration = Duration::from_secs(10);
const BODY_BYTES_MAX: usize = 2 << 20;
const UNREACHED: &str = "no server of this installation could be asked on this machine";

/// The metrics that this program knows, one per line.
pub(super) async fn read(local_url: &str, variable: impl Fn(&str) -> Option<String>) -> String {
    let Ok(uri) = format!("{}/metrics", local_url.trim_end_matches('/')).parse::<Uri>() else {
        return UNREACHED.to_owned();
    };
    // The last server may run on another machine, which need not know the token.
    let host = uri.host().map(|host| host.trim_matches(['[', ']']));
    if !host.is_some_and(|host| host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())) {
        return UNREACHED.to_owned();
    }
    let mut headers = HeaderMap::new();
    let token = variable("FRONTDESK_METRICS_TOKEN").map(|token| format!("Bearer {}", token.trim()));
    if let Some(Ok(value)) = token.map(HeaderValue::try_from) {
        headers.insert(AUTHORIZATION, value);
    }
    let limits = Limits { time_max: CALL_TIME_MAX, body_bytes_max: BODY_BYTES_MAX };
    let sent = Client::new(Reach::Anywhere).send(Method::GET, uri, headers, Bytes::new(), limits).await;
    match sent {
        Ok(response) if response.status.is_success() => known(&String::from_utf8_lossy(&response.body)),
        Ok(response) => format!("the server answered {}", response.status.as_u16()),
        Err(_) => UNREACHED.to_owned(),
    }
}

/// The lines of known metrics, without buckets. Another program may answer at this address, so nothing else is taken.
fn known(text: &str) -> String {
    let is_known = |line: &&str| {
        let name = line.split(['{', ' ']).next().unwrap_or_default();
        let base = name.strip_suffix("_sum").or_else(|| name.strip_suffix("_count")).unwrap_or(name);
        let is_plain = |c: char| c.is_ascii_alphanumeric() || " _-./{}=\",:+".contains(c);
        METRICS.iter().any(|metric| metric.name == name || metric.name == base) && line.chars().all(is_plain)
    };
    text.lines().filter(is_known).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_known_metrics_are_taken() {
        let text = "# HELP frontdesk_jobs_total x\nfrontdesk_jobs_total{kind=\"courier\"} 3\nsecret 1\n\
                    frontdesk_job_seconds_sum{kind=\"courier\"} 0.5\nfrontdesk_job_seconds_bucket{le=\"1\"} 1\n\
                    frontdesk_jobs_total{kind=\"ann@example.com\"} 3\nfrontdesk_other{a=\"b\"} 1";
        assert_eq!(
            known(text),
            "frontdesk_jobs_total{kind=\"courier\"} 3\nfrontdesk_job_seconds_sum{kind=\"courier\"} 0.5"
        );
    }
}
