//! Logs to standard error.

use std::io::IsTerminal;

use frontdesk_platform::REQUEST_LOG;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

use crate::config::{Config, LogFormat};
use crate::error::{Error, Result};

/// What is logged unless `FRONTDESK_LOG` says otherwise.
const LEVEL_DEFAULT: &str = "info";

/// At a terminal, a line for each request would hide the key and the links that are printed at the start.
fn usual_filter(at_terminal: bool) -> String {
    // The protocol's library logs lines for each request, which say nothing more than ours.
    let usual = format!("{LEVEL_DEFAULT},rmcp=warn");
    if at_terminal { format!("{usual},{REQUEST_LOG}=warn") } else { usual }
}

pub(super) fn start(config: &Config) -> Result<()> {
    let at_terminal = std::io::stderr().is_terminal();
    let chosen = config.log.clone().unwrap_or_else(|| usual_filter(at_terminal));
    let filter: Targets =
        chosen.parse().map_err(|error| Error::Invalid(format!("FRONTDESK_LOG: {error}")))?;
    let log = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::TRACE)
        .with_writer(std::io::stderr)
        // It would report a line that cannot be written, as on a full disk, with a print that panics.
        .log_internal_errors(false)
        .with_ansi(at_terminal);
    let started = match config.log_format {
        LogFormat::Text => log.finish().with(filter).try_init(),
        LogFormat::Json => {
            let log = log.json().flatten_event(true).with_current_span(false).with_span_list(false);
            log.finish().with(filter).try_init()
        }
    };
    started.map_err(|error| Error::Invalid(format!("the log cannot be started: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::sync::{Arc, Mutex};

    #[derive(Clone, Default)]
    struct Lines(Arc<Mutex<Vec<u8>>>);

    impl Write for Lines {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    /// What is logged of a request, of its failure and of the start.
    fn logged(at_terminal: bool) -> String {
        let lines = Lines::default();
        let sink = lines.clone();
        let log = tracing_subscriber::fmt()
            .with_writer(move || sink.clone())
            .finish()
            .with(usual_filter(at_terminal).parse::<Targets>().unwrap());
        tracing::subscriber::with_default(log, || {
            tracing::info!(target: REQUEST_LOG, "answered");
            tracing::error!(target: REQUEST_LOG, "failed");
            tracing::info!("ready");
        });
        String::from_utf8(lines.0.lock().unwrap().clone()).unwrap()
    }

    #[test]
    fn requests_are_logged_one_by_one_except_at_a_terminal() {
        let (file, terminal) = (logged(false), logged(true));
        assert!(file.contains("answered") && file.contains("ready"), "{file}");
        assert!(!terminal.contains("answered"), "{terminal}");
        assert!(terminal.contains("failed") && terminal.contains("ready"), "{terminal}");
    }
}
