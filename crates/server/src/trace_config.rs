//! How traces are exported, by OpenTelemetry's standard variables.

use std::time::Duration;

use frontdesk_trace::Sampler;
use http::{HeaderMap, HeaderName, HeaderValue, Uri};
use percent_encoding::percent_decode_str;

const PATH: &str = "/v1/traces";
const TIME_DEFAULT: Duration = Duration::from_secs(10);
const TIME_MILLIS_MAX: u64 = 60_000;
const SERVICE_DEFAULT: &str = "frontdesk";
const SAMPLERS: &str = "always_on, always_off, traceidratio, parentbased_always_on, parentbased_always_off or \
                        parentbased_traceidratio";

/// Where traces go. Headers may hold a token, so this is not `Debug`.
#[derive(Clone)]
pub(crate) struct TraceConfig {
    pub(crate) endpoint: Uri,
    pub(crate) headers: HeaderMap,
    pub(crate) service_name: String,
    pub(crate) sampler: Sampler,
    /// For one request to the collector.
    pub(crate) time_max: Duration,
}

impl std::fmt::Debug for TraceConfig {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("TraceConfig")
    }
}

impl TraceConfig {
    /// Reads the variables. None if traces are not configured; what is wrong is noted.
    pub(crate) fn read(
        variable: impl Fn(&str) -> Option<String>,
        mut note: impl FnMut(String),
    ) -> Option<Self> {
        if variable("OTEL_SDK_DISABLED").is_some_and(|text| text.eq_ignore_ascii_case("true")) {
            return None;
        }
        match variable("OTEL_TRACES_EXPORTER").as_deref() {
            Some("none") => return None,
            None | Some("otlp") => {}
            Some(other) => note(format!("OTEL_TRACES_EXPORTER is otlp or none, not {other:?}")),
        }
        // A variable for traces alone comes before the one for all signals.
        let of_traces = |name: &str| {
            let (own, all) =
                (format!("OTEL_EXPORTER_OTLP_TRACES_{name}"), format!("OTEL_EXPORTER_OTLP_{name}"));
            variable(&own).map(|text| (own, text)).or_else(|| variable(&all).map(|text| (all, text)))
        };
        let (name, text) = of_traces("ENDPOINT")?;
        let is_whole = name == "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT";
        let endpoint = read_endpoint(&text, is_whole);
        if endpoint.is_none() {
            note(format!("{name}: it is no URL: use http://HOST:4318 or https://HOST"));
        }
        if let Some((name, text)) = of_traces("PROTOCOL").filter(|(_, text)| text != "http/json") {
            note(format!(
                "{name} is http/json, not {text:?}. A collector takes it on the port of http/protobuf, 4318"
            ));
        }
        let headers = match of_traces("HEADERS") {
            None => HeaderMap::new(),
            Some((name, text)) => read_headers(&text).unwrap_or_else(|| {
                // The text may hold a token.
                note(format!("{name}: it is no list of headers: use NAME=VALUE,NAME=VALUE"));
                HeaderMap::new()
            }),
        };
        let time_max = match of_traces("TIMEOUT") {
            None => TIME_DEFAULT,
            Some((name, text)) => {
                let millis = text.parse().ok().filter(|millis| (1..=TIME_MILLIS_MAX).contains(millis));
                Duration::from_millis(millis.unwrap_or_else(|| {
                    note(format!(
                        "{name} is a number of milliseconds from 1 to {TIME_MILLIS_MAX}, not {text:?}"
                    ));
                    TIME_MILLIS_MAX
                }))
            }
        };
        let sampler = read_sampler(variable("OTEL_TRACES_SAMPLER"), variable("OTEL_TRACES_SAMPLER_ARG"))
            .unwrap_or_else(|why| {
                note(why);
                Sampler { ratio: 0.0, follows_parent: true }
            });
        let service_name = variable("OTEL_SERVICE_NAME").unwrap_or_else(|| SERVICE_DEFAULT.to_owned());
        Some(Self { endpoint: endpoint?, headers, service_name, sampler, time_max })
    }
}

/// The address to which spans are posted.
fn read_endpoint(text: &str, is_whole: bool) -> Option<Uri> {
    let text = if is_whole { text.to_owned() } else { format!("{}{PATH}", text.trim_end_matches('/')) };
    let uri: Uri = text.parse().ok()?;
    let is_usable = matches!(uri.scheme_str(), Some("http" | "https"))
        && uri.authority().is_some_and(|authority| !authority.as_str().contains('@'));
    is_usable.then_some(uri)
}

/// `NAME=VALUE` pairs, separated by commas. Values are percent-encoded.
fn read_headers(text: &str) -> Option<HeaderMap> {
    let mut headers = HeaderMap::new();
    for pair in text.split(',').map(str::trim).filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=')?;
        let name: HeaderName = name.trim().parse().ok()?;
        let value = percent_decode_str(value.trim()).collect::<Vec<u8>>();
        let mut value = HeaderValue::from_bytes(&value).ok()?;
        value.set_sensitive(true);
        headers.insert(name, value);
    }
    Some(headers)
}

fn read_sampler(name: Option<String>, ratio: Option<String>) -> Result<Sampler, String> {
    let name = name.unwrap_or_else(|| "parentbased_always_on".to_owned());
    let (follows_parent, own) = match name.strip_prefix("parentbased_") {
        Some(own) => (true, own),
        None => (false, name.as_str()),
    };
    let ratio = match own {
        "always_on" => 1.0,
        "always_off" => 0.0,
        "traceidratio" => {
            let text = ratio.unwrap_or_else(|| "1".to_owned());
            let read = text.parse().ok().filter(|ratio| (0.0..=1.0).contains(ratio));
            read.ok_or_else(|| format!("OTEL_TRACES_SAMPLER_ARG is a number from 0 to 1, not {text:?}"))?
        }
        _ => return Err(format!("OTEL_TRACES_SAMPLER is {SAMPLERS}, not {name:?}")),
    };
    Ok(Sampler { ratio, follows_parent })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    fn read(variables: &[(&str, &str)]) -> (Option<TraceConfig>, Vec<String>) {
        let variables: HashMap<_, _> = variables.iter().copied().collect();
        let mut wrong = Vec::new();
        let find = |name: &str| variables.get(name).map(|text| (*text).to_owned());
        (TraceConfig::read(find, |problem| wrong.push(problem)), wrong)
    }

    #[test]
    fn traces_are_off_without_an_endpoint_or_if_they_are_disabled() {
        let endpoint = ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://localhost:4318");
        for variables in [
            &[][..],
            &[("OTEL_SERVICE_NAME", "desk")],
            &[endpoint, ("OTEL_SDK_DISABLED", "true")],
            &[endpoint, ("OTEL_TRACES_EXPORTER", "none")],
        ] {
            let (config, wrong) = read(variables);
            assert!(config.is_none() && wrong.is_empty(), "{variables:?} {wrong:?}");
        }
    }

    #[test]
    fn the_standard_variables_are_read() {
        let (config, wrong) = read(&[
            ("OTEL_EXPORTER_OTLP_ENDPOINT", "https://otel.example/base/"),
            ("OTEL_EXPORTER_OTLP_HEADERS", "authorization=Bearer%20abc, x-team = desk"),
            ("OTEL_EXPORTER_OTLP_TIMEOUT", "2000"),
            ("OTEL_TRACES_SAMPLER", "parentbased_traceidratio"),
            ("OTEL_TRACES_SAMPLER_ARG", "0.25"),
            ("OTEL_SERVICE_NAME", "desk"),
        ]);
        assert_eq!(wrong, Vec::<String>::new());
        let config = config.unwrap();
        assert_eq!(config.endpoint, "https://otel.example/base/v1/traces");
        assert_eq!(config.headers["authorization"], "Bearer abc");
        assert_eq!(config.headers["x-team"], "desk");
        assert_eq!((config.time_max, config.service_name.as_str()), (Duration::from_secs(2), "desk"));
        assert_eq!(config.sampler, Sampler { ratio: 0.25, follows_parent: true });
        assert!(!format!("{config:?}").contains("abc"));
        let (config, _) = read(&[("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://h:1/custom")]);
        assert_eq!(config.unwrap().endpoint, "http://h:1/custom");
    }

    #[test]
    fn what_is_wrong_is_named_and_no_token_is_repeated() {
        let (_, wrong) = read(&[
            ("OTEL_EXPORTER_OTLP_ENDPOINT", "localhost"),
            ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"),
            ("OTEL_EXPORTER_OTLP_HEADERS", "hunter2"),
            ("OTEL_EXPORTER_OTLP_TIMEOUT", "soon"),
            ("OTEL_TRACES_EXPORTER", "zipkin"),
            ("OTEL_TRACES_SAMPLER", "sometimes"),
        ]);
        assert_eq!(wrong.len(), 6, "{wrong:?}");
        assert!(!wrong.concat().contains("hunter2"));
        let (_, wrong) = read(&[
            ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://name:hunter2@localhost:4318"),
            ("OTEL_TRACES_SAMPLER", "traceidratio"),
            ("OTEL_TRACES_SAMPLER_ARG", "2"),
        ]);
        assert_eq!(wrong.len(), 2, "{wrong:?}");
        assert!(!wrong.concat().contains("hunter2"));
    }
}
