//! What the operator configures about models.

use std::fs;

use frontdesk_kernel::Secret;

use crate::{Endpoint, PriceList};

/// The transcription model that every compatible server knows.
const TRANSCRIPTION_MODEL: &str = "whisper-1";
/// The speech model that every compatible server knows.
const SPEECH_MODEL: &str = "tts-1";
/// The largest file of prices.
const PRICES_BYTES_MAX: u64 = 1 << 20;

/// The providers and prices of an installation.
#[derive(Clone, Debug)]
pub struct ModelsConfig {
    pub openai: Option<Endpoint>,
    pub anthropic: Option<Endpoint>,
    pub prices: PriceList,
    pub transcription_model: String,
    pub speech_model: String,
}

impl Default for ModelsConfig {
    fn default() -> Self {
        Self {
            openai: None,
            anthropic: None,
            prices: PriceList::built_in(),
            transcription_model: TRANSCRIPTION_MODEL.to_owned(),
            speech_model: SPEECH_MODEL.to_owned(),
        }
    }
}

impl ModelsConfig {
    /// Reads the settings from environment variables, or names everything that is wrong with them. A provider is configured
    /// by a key, by a base URL, or by both.
    pub fn read(variable: impl Fn(&str) -> Option<String>) -> Result<Self, Vec<String>> {
        let mut wrong = Vec::new();
        let mut endpoint = |names: [&str; 2], make: MakeEndpoint| {
            let [base, key] = names.map(&variable);
            if base.is_none() && key.is_none() {
                return None;
            }
            let made = make(base.as_deref(), key.map(Secret::new));
            made.map_err(|why| {
                wrong.push(format!("{}: {why}", if why.contains("key") { names[1] } else { names[0] }));
            })
            .ok()
        };
        let openai = endpoint(["FRONTDESK_OPENAI_BASE_URL", "FRONTDESK_OPENAI_API_KEY"], Endpoint::openai);
        let anthropic =
            endpoint(["FRONTDESK_ANTHROPIC_BASE_URL", "FRONTDESK_ANTHROPIC_API_KEY"], Endpoint::anthropic);
        let usual = Self::default();
        let prices = match variable("FRONTDESK_MODEL_PRICES") {
            None => usual.prices,
            Some(path) => read_prices(&path).unwrap_or_else(|why| {
                wrong.push(format!("FRONTDESK_MODEL_PRICES: {path}: {why}"));
                PriceList::built_in()
            }),
        };
        if !wrong.is_empty() {
            return Err(wrong);
        }
        Ok(Self {
            openai,
            anthropic,
            prices,
            transcription_model: variable("FRONTDESK_TRANSCRIPTION_MODEL")
                .unwrap_or(usual.transcription_model),
            speech_model: variable("FRONTDESK_SPEECH_MODEL").unwrap_or(usual.speech_model),
        })
    }

    /// Whether no provider is configured, so that the sandbox model is called.
    pub fn is_sandbox(&self) -> bool {
        self.openai.is_none() && self.anthropic.is_none()
    }
}

type MakeEndpoint = fn(Option<&str>, Option<Secret>) -> Result<Endpoint, String>;

fn read_prices(path: &str) -> Result<PriceList, String> {
    let size = fs::metadata(path).map_err(|error| error.to_string())?.len();
    if size > PRICES_BYTES_MAX {
        return Err(format!("it is larger than {PRICES_BYTES_MAX} bytes"));
    }
    let text = fs::read_to_string(path).map_err(|error| error.to_string())?;
    PriceList::built_in().with_file(&text).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Provider;

    fn read(variables: &[(&str, &str)]) -> Result<ModelsConfig, Vec<String>> {
        ModelsConfig::read(|name| {
            variables.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn nothing_needs_to_be_configured() {
        let config = read(&[]).unwrap();
        assert!(config.is_sandbox());
        assert_eq!(
            (config.transcription_model.as_str(), config.speech_model.as_str()),
            ("whisper-1", "tts-1")
        );
    }

    #[test]
    fn a_key_or_an_address_configures_a_provider() {
        let config = read(&[
            ("FRONTDESK_OPENAI_BASE_URL", "http://127.0.0.1:11434/v1"),
            ("FRONTDESK_ANTHROPIC_API_KEY", "sk-ant-1"),
        ]);
        let config = config.unwrap();
        let (openai, anthropic) = (config.openai.unwrap(), config.anthropic.unwrap());
        assert_eq!((openai.provider(), openai.base()), (Provider::OpenAi, "http://127.0.0.1:11434/v1"));
        assert_eq!(anthropic.base(), "https://api.anthropic.com");
    }

    #[test]
    fn every_mistake_is_named_with_its_variable() {
        let wrong = read(&[
            ("FRONTDESK_OPENAI_BASE_URL", "localhost"),
            ("FRONTDESK_ANTHROPIC_API_KEY", "sk\u{7f}"),
            ("FRONTDESK_MODEL_PRICES", "/nowhere/prices.json"),
        ]);
        let wrong = wrong.unwrap_err();
        let named = [
            "FRONTDESK_OPENAI_BASE_URL:",
            "FRONTDESK_ANTHROPIC_API_KEY:",
            "FRONTDESK_MODEL_PRICES: /nowhere",
        ];
        assert_eq!(wrong.len(), named.len(), "{wrong:?}");
        for (problem, name) in wrong.iter().zip(named) {
            assert!(problem.starts_with(name), "{problem}");
        }
        assert!(!wrong.concat().contains("sk\u{7f}"));
    }
}
