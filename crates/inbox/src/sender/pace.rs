//! The pace of one connection: how many calls it may begin now.

use std::time::Duration;

use tokio::time::Instant;

use crate::connections::{Channel, Line, Settings};

/// What vendors allow a number or a page, in messages a second.
const WHATSAPP_PER_SECOND: f64 = 80.0;
const PAGE_PER_SECOND: f64 = 40.0;
/// A linked device is a person's phone: it writes no faster than a person could.
const DEVICE_PER_SECOND: f64 = 1.0;
/// Our own channel has no vendor to mind.
const OWN_PER_SECOND: f64 = 10_000.0;
/// A connection that was told to slow down keeps to a quarter of its pace for so long.
const SLOW_FACTOR: f64 = 0.25;
const SLOW_TIME: Duration = Duration::from_mins(1);

/// Tokens that fill up with time, up to a second's worth.
#[derive(Debug)]
pub(super) struct Pace {
    per_second: f64,
    tokens: f64,
    filled_at: Instant,
    slow_until: Option<Instant>,
}

impl Pace {
    pub(super) fn new(now: Instant) -> Self {
        Self { per_second: WHATSAPP_PER_SECOND, tokens: 1.0, filled_at: now, slow_until: None }
    }

    /// Takes over what a connection allows.
    pub(super) fn learn(&mut self, line: &Line, settings: Option<&Settings>) {
        let own = match settings {
            // Settings may hold a zero, at which there would be no telling when the next one goes.
            Some(Settings::WhatsApp(number)) => number.messages_per_second.map(|most| f64::from(most.max(1))),
            _ => None,
        };
        self.per_second = own.unwrap_or(match line.channel() {
            Channel::Whatsapp => WHATSAPP_PER_SECOND,
            Channel::Messenger | Channel::Instagram => PAGE_PER_SECOND,
            Channel::PersonalWhatsapp if line.sandbox => WHATSAPP_PER_SECOND,
            Channel::PersonalWhatsapp => DEVICE_PER_SECOND,
            Channel::WebChat => OWN_PER_SECOND,
        });
    }

    fn fill(&mut self, now: Instant) -> f64 {
        let rate = match self.slow_until {
            Some(until) if until > now => (self.per_second * SLOW_FACTOR).max(0.1),
            _ => self.per_second,
        };
        let gained = now.saturating_duration_since(self.filled_at).as_secs_f64() * rate;
        self.tokens = (self.tokens + gained).min(rate.max(1.0));
        self.filled_at = now;
        rate
    }

    /// How many may begin now.
    pub(super) fn room(&mut self, now: Instant) -> usize {
        self.fill(now);
        self.tokens as usize
    }

    pub(super) fn take(&mut self, calls: usize) {
        self.tokens -= calls as f64;
    }

    /// How long until one more may begin.
    pub(super) fn wait(&mut self, now: Instant) -> Duration {
        let rate = self.fill(now);
        if self.tokens >= 1.0 { Duration::ZERO } else { Duration::from_secs_f64((1.0 - self.tokens) / rate) }
    }

    pub(super) fn slow_down(&mut self, now: Instant) {
        self.slow_until = Some(now + SLOW_TIME);
        self.tokens = self.tokens.min(0.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_second_holds_what_the_vendor_allows() {
        let start = Instant::now();
        let mut pace = Pace::new(start);
        assert_eq!(pace.room(start), 1);
        assert_eq!(pace.room(start + Duration::from_mins(1)), 80);
        pace.take(80);
        assert_eq!(pace.room(start + Duration::from_mins(1)), 0);
        let wait = pace.wait(start + Duration::from_mins(1));
        assert!(wait > Duration::from_millis(10) && wait < Duration::from_millis(15), "{wait:?}");
        assert_eq!(pace.room(start + Duration::from_millis(60_500)), 40);
    }

    #[tokio::test]
    async fn a_refusal_slows_it_down_for_a_minute() {
        let start = Instant::now();
        let mut pace = Pace::new(start);
        pace.slow_down(start);
        assert_eq!(pace.room(start + Duration::from_secs(2)), 20);
        assert_eq!(pace.room(start + Duration::from_mins(2)), 80);
    }
}
