//! Logs to standard error.

use std::io::IsTerminal;

use tracing_subscriber::EnvFilter;

use crate::config::{Config, LogFormat};
use crate::error::{Error, Result};

pub(super) fn start(config: &Config) -> Result<()> {
    let filter = EnvFilter::try_new(&config.log).map_err(|error| Error::Invalid(error.to_string()))?;
    let log = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        // It would report a line that cannot be written, as on a full disk, with a print that panics.
        .log_internal_errors(false)
        .with_ansi(std::io::stderr().is_terminal());
    let started = match config.log_format {
        LogFormat::Text => log.try_init(),
        LogFormat::Json => {
            log.json().flatten_event(true).with_current_span(false).with_span_list(false).try_init()
        }
    };
    started.map_err(|error| Error::Invalid(format!("the log cannot be started: {error}")))
}
