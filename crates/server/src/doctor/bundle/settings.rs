//! The settings in a bug report: a list of what may be shown.

use std::fmt::Write;

use frontdesk_db::DatabaseUrl;

use crate::config::Config;

/// Variables of which only whether they are set is shown.
const PRESENCE: &[&str] = &[
    "FRONTDESK_BASE_URL",
    "FRONTDESK_TRUSTED_PROXIES",
    "FRONTDESK_CORS_ORIGINS",
    "FRONTDESK_METRICS_TOKEN",
    "FRONTDESK_SANDBOX_TOKEN",
    "FRONTDESK_SECRET_KEY",
    "FRONTDESK_SECRET_KEY_PREVIOUS",
    "FRONTDESK_STOP_WORDS",
    "FRONTDESK_START_WORDS",
    "FRONTDESK_BACKUP_TO",
    "FRONTDESK_S3_ENDPOINT",
    "FRONTDESK_S3_ACCESS_KEY_ID",
    "FRONTDESK_S3_SECRET_ACCESS_KEY",
    "FRONTDESK_OPENAI_BASE_URL",
    "FRONTDESK_OPENAI_API_KEY",
    "FRONTDESK_ANTHROPIC_BASE_URL",
    "FRONTDESK_ANTHROPIC_API_KEY",
    "FRONTDESK_MODEL_PRICES",
    "FRONTDESK_TRANSCRIPTION_MODEL",
    "FRONTDESK_SPEECH_MODEL",
    "FRONTDESK_LOG",
    "OTEL_EXPORTER_OTLP_ENDPOINT",
    "OTEL_EXPORTER_OTLP_HEADERS",
    "OTEL_SERVICE_NAME",
];

pub(super) fn lines(
    config: &Result<Config, Vec<String>>,
    variable: impl Fn(&str) -> Option<String>,
) -> String {
    let mut text = String::new();
    match config {
        Ok(config) => {
            for (name, value) in values(config) {
                let _ = writeln!(text, "{name:<36} {value}");
            }
        }
        // The problems repeat what was set.
        Err(wrong) => {
            let _ = writeln!(text, "not valid: {} problems, which `frontdesk doctor` names", wrong.len());
        }
    }
    for name in PRESENCE {
        let is_set = variable(name).is_some_and(|value| !value.trim().is_empty());
        let _ = writeln!(text, "{name:<36} {}", if is_set { "set" } else { "not set" });
    }
    text
}

/// Values that were parsed as numbers or as choices.
fn values(config: &Config) -> Vec<(&'static str, String)> {
    let days = |days: Option<i64>| days.map_or_else(|| "never".to_owned(), |days| format!("{days} days"));
    let engine = match config.database {
        DatabaseUrl::Sqlite(_) => "SQLite",
        DatabaseUrl::Postgres(_) => "PostgreSQL",
    };
    let sampler = config.watching.traces.as_ref().map(|traces| traces.sampler);
    vec![
        ("database", engine.to_owned()),
        ("redis", is_set(config.redis.is_some())),
        ("base URL", is_set(config.base_url.is_some())),
        ("role", format!("{:?}", config.role)),
        ("pool", config.pool.map_or_else(|| "default".to_owned(), |pool| pool.to_string())),
        ("private targets", config.private_targets.to_string()),
        ("sandbox clock", config.sandbox_clock.to_string()),
        ("connections", config.connections_max.to_string()),
        ("connections per address", config.connections_per_address.connections_max.to_string()),
        ("chat streams", config.chat_streams.total_max.to_string()),
        ("chat streams per address", config.chat_streams.per_address_max.to_string()),
        ("upload bytes", config.upload_bytes_max.to_string()),
        ("runs are kept", days(config.retention.run_days)),
        ("the audit log is kept", days(config.retention.audit_log_days)),
        ("bulk jobs are kept", days(config.retention.bulk_job_days)),
        ("scheduled backups", is_set(config.backups.is_some())),
        (
            "model providers",
            (config.models.openai.iter().count() + config.models.anthropic.iter().count()).to_string(),
        ),
        ("log format", format!("{:?}", config.log_format)),
        (
            "traces",
            sampler.map_or_else(|| "off".to_owned(), |sampler| format!("a share of {}", sampler.ratio)),
        ),
        (
            "slow statements",
            match config.watching.slow_statements {
                None => "off".to_owned(),
                Some((time, plans)) => format!("from {} ms, plans {plans}", time.as_millis()),
            },
        ),
    ]
}

fn is_set(is_set: bool) -> String {
    if is_set { "set" } else { "not set" }.to_owned()
}
