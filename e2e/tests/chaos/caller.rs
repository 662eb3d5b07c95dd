//! A client as an integrator writes it: it repeats a request until it is acknowledged, with the same `Idempotency-Key`.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::sleep;
use std::time::{Duration, Instant};

use frontdesk_e2e::{Response, Wire};
use serde_json::Value;

use crate::cluster::SERVERS;
use crate::dice::Dice;

/// No operation takes longer than 30 seconds, and a client may read for as long.
const RESPONSE_TIME_MAX: Duration = Duration::from_mins(1);
/// A request that is not acknowledged by then is a fault of the servers: they were never away for so long.
const ACKNOWLEDGED_WITHIN: Duration = Duration::from_mins(3);
const PAUSE_MIN_MILLIS: u64 = 20;
const PAUSE_MAX_MILLIS: u64 = 250;

/// When requests succeeded, and what the others came to.
#[derive(Debug, Default)]
pub(crate) struct Pulse(Mutex<Beats>);

#[derive(Clone, Debug, Default)]
pub(crate) struct Beats {
    last: Option<Instant>,
    pub(crate) longest_silence: Duration,
    pub(crate) acknowledged: usize,
    pub(crate) repeated: usize,
    pub(crate) broken: usize,
    /// By status.
    pub(crate) refused: BTreeMap<u16, usize>,
}

impl Pulse {
    fn lock(&self) -> MutexGuard<'_, Beats> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn succeeded(&self) {
        let mut beats = self.lock();
        let now = Instant::now();
        let silence = beats.last.map_or(Duration::ZERO, |last| now - last);
        beats.longest_silence = beats.longest_silence.max(silence);
        beats.last = Some(now);
        beats.acknowledged += 1;
    }

    pub(crate) fn beats(&self) -> Beats {
        self.lock().clone()
    }
}

/// What is asked.
#[derive(Clone, Debug, Default)]
pub(crate) struct Request {
    method: &'static str,
    path: String,
    headers: Vec<(&'static str, String)>,
    body: String,
}

impl Request {
    pub(crate) fn get(path: &str) -> Self {
        Self { method: "GET", path: path.to_owned(), ..Self::default() }
    }

    pub(crate) fn post(path: &str, body: &Value) -> Self {
        Self { method: "POST", path: path.to_owned(), body: body.to_string(), ..Self::default() }
    }

    pub(crate) fn patch(path: &str, body: &Value) -> Self {
        Self { method: "PATCH", ..Self::post(path, body) }
    }

    pub(crate) fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    /// With a key under which the request may be repeated.
    pub(crate) fn once(self, key: &str) -> Self {
        self.with("Idempotency-Key", key)
    }

    fn bytes(&self) -> Vec<u8> {
        let headers: String =
            self.headers.iter().flat_map(|(name, value)| [*name, ": ", value.as_str(), "\r\n"]).collect();
        let body = if self.method == "GET" {
            "\r\n".to_owned()
        } else {
            let length = self.body.len();
            format!("Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n{}", self.body)
        };
        format!("{} {} HTTP/1.1\r\nHost: 127.0.0.1\r\n{headers}{body}", self.method, self.path).into_bytes()
    }
}

/// A client with one connection at a time, to any of the servers.
pub(crate) struct Caller<'a> {
    bases: &'a [String; SERVERS],
    pulse: &'a Pulse,
    authorization: Option<String>,
    dice: Dice,
    wire: Option<Wire>,
    server: usize,
}

impl<'a> Caller<'a> {
    pub(crate) fn new(bases: &'a [String; SERVERS], pulse: &'a Pulse, key: Option<&str>, dice: Dice) -> Self {
        let server = dice.below(SERVERS as u64) as usize;
        let authorization = key.map(|key| format!("Bearer {key}"));
        Self { bases, pulse, authorization, dice, wire: None, server }
    }

    /// Chance of this caller's own.
    pub(crate) fn dice(&self) -> &Dice {
        &self.dice
    }

    /// Goes on with another server from time to time, as behind a proxy.
    pub(crate) fn wander(&mut self) {
        self.wire = None;
        self.server = self.dice.below(SERVERS as u64) as usize;
    }

    /// Sends it once: none if there was no response, or no connection.
    pub(crate) fn attempt(&mut self, request: &Request) -> Option<Response> {
        let request = match &self.authorization {
            Some(key) => request.clone().with("Authorization", key.clone()),
            None => request.clone(),
        };
        let mut wire = match self.wire.take() {
            Some(wire) => wire,
            None => Wire::try_open(&self.bases[self.server], RESPONSE_TIME_MAX).ok()?,
        };
        wire.send(request.bytes()).ok()?;
        let response = wire.try_answer().ok()?;
        if response.header("connection").is_none_or(|value| value != "close") {
            self.wire = Some(wire);
        }
        if (200..300).contains(&response.status) {
            self.pulse.succeeded();
        }
        Some(response)
    }

    /// Sends it until a server has acknowledged it.
    ///
    /// 500, 503 and broken connections are repeated, and 409 while the first attempt may still be under way. Every other
    /// refusal would be a mistake of ours or of the servers.
    pub(crate) fn acknowledged(&mut self, request: &Request) -> Result<Response, String> {
        let deadline = Instant::now() + ACKNOWLEDGED_WITHIN;
        let mut pause = PAUSE_MIN_MILLIS;
        loop {
            let response = self.attempt(request);
            let why = match &response {
                Some(response) if (200..300).contains(&response.status) => {
                    return Ok(response.clone());
                }
                Some(response) => format!("{} {}", response.status, response.text),
                None => "no response".to_owned(),
            };
            let mut beats = self.pulse.lock();
            beats.repeated += 1;
            match &response {
                Some(response) => *beats.refused.entry(response.status).or_default() += 1,
                None => beats.broken += 1,
            }
            drop(beats);
            let may_repeat = response.is_none_or(|response| matches!(response.status, 409 | 500 | 503));
            if !may_repeat || Instant::now() > deadline {
                return Err(format!("{} {}: {why}", request.method, request.path));
            }
            sleep(Duration::from_millis(pause + self.dice.below(pause)));
            pause = (2 * pause).min(PAUSE_MAX_MILLIS);
            self.wire = None;
            self.server = (self.server + 1) % SERVERS;
        }
    }

    /// Every row of a list, newest first.
    pub(crate) fn walk(&mut self, path: &str) -> Result<Vec<Value>, String> {
        let (mut rows, mut cursor) = (Vec::new(), String::new());
        let sign = if path.contains('?') { '&' } else { '?' };
        loop {
            let page = format!("/api/v1{path}{sign}limit=100&cursor={cursor}");
            let page = self.acknowledged(&Request::get(&page))?.json;
            rows.extend(page["data"].as_array().cloned().unwrap_or_default());
            match page["meta"]["next_cursor"].as_str() {
                Some(next) => next.clone_into(&mut cursor),
                None => return Ok(rows),
            }
        }
    }
}
