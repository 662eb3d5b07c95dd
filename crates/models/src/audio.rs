//! Recordings and speech.

use bytes::Bytes;

use crate::chat::Usage;
use crate::error::ModelError;

/// The largest recording that is transcribed, as OpenAI limits it.
pub const AUDIO_BYTES_MAX: usize = 25 << 20;
/// The longest text that is spoken, as OpenAI limits it.
pub const SPEECH_CHARS_MAX: usize = 4_096;
/// The voice of an assistant that names none.
pub const DEFAULT_VOICE: &str = "alloy";

/// A format that transcription models read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AudioFormat {
    /// Ogg with Opus, as WhatsApp's voice notes are.
    Opus,
    Mp3,
    M4a,
    Wav,
    Webm,
    Flac,
}

impl AudioFormat {
    /// The format of a content type; none when no provider reads it. Parameters after `;` are ignored.
    pub fn of(content_type: &str) -> Option<Self> {
        let essence = content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        Some(match essence.as_str() {
            "audio/ogg" | "audio/opus" | "application/ogg" => Self::Opus,
            "audio/mpeg" | "audio/mp3" | "audio/mpga" => Self::Mp3,
            "audio/mp4" | "audio/m4a" | "audio/x-m4a" => Self::M4a,
            "audio/wav" | "audio/x-wav" | "audio/wave" => Self::Wav,
            "audio/webm" => Self::Webm,
            "audio/flac" | "audio/x-flac" => Self::Flac,
            _ => return None,
        })
    }

    pub fn content_type(self) -> &'static str {
        match self {
            Self::Opus => "audio/ogg",
            Self::Mp3 => "audio/mpeg",
            Self::M4a => "audio/mp4",
            Self::Wav => "audio/wav",
            Self::Webm => "audio/webm",
            Self::Flac => "audio/flac",
        }
    }

    /// Providers tell formats apart by the file's name.
    pub(crate) fn file_name(self) -> &'static str {
        match self {
            Self::Opus => "audio.ogg",
            Self::Mp3 => "audio.mp3",
            Self::M4a => "audio.m4a",
            Self::Wav => "audio.wav",
            Self::Webm => "audio.webm",
            Self::Flac => "audio.flac",
        }
    }
}

/// A format of generated speech.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SpeechFormat {
    /// Ogg with Opus: channels show it as a voice note.
    #[default]
    Opus,
    Mp3,
    Wav,
}

impl SpeechFormat {
    pub fn content_type(self) -> &'static str {
        match self {
            Self::Opus => "audio/ogg",
            Self::Mp3 => "audio/mpeg",
            Self::Wav => "audio/wav",
        }
    }

    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Opus => "opus",
            Self::Mp3 => "mp3",
            Self::Wav => "wav",
        }
    }
}

/// A recording to be transcribed.
#[derive(Clone, Debug)]
pub struct TranscriptionRequest {
    pub model: String,
    pub format: AudioFormat,
    /// At most [`AUDIO_BYTES_MAX`].
    pub audio: Bytes,
    /// The language spoken, as ISO 639-1, if it is known.
    pub language: Option<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Transcript {
    /// May be empty, when nobody speaks.
    pub text: String,
    /// None when the provider reported no usage. Count the call at its worst case then.
    pub usage: Option<AudioUsage>,
    pub request_id: Option<String>,
}

/// What a transcription is billed by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AudioUsage {
    Tokens(Usage),
    /// The length of the recording.
    Millis(u64),
}

/// A text to be spoken. Speech is billed by its characters.
#[derive(Clone, Debug)]
pub struct SpeechRequest {
    pub model: String,
    /// At most [`SPEECH_CHARS_MAX`] characters.
    pub text: String,
    pub voice: String,
    pub format: SpeechFormat,
}

impl SpeechRequest {
    pub(crate) fn check(&self) -> Result<(), ModelError> {
        if self.text.chars().count() > SPEECH_CHARS_MAX {
            return Err(ModelError::SpeechTooLong { chars_max: SPEECH_CHARS_MAX });
        }
        Ok(())
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Speech {
    pub content_type: &'static str,
    pub audio: Bytes,
    pub request_id: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_known_by_their_content_type() {
        assert_eq!(AudioFormat::of("audio/ogg; codecs=opus"), Some(AudioFormat::Opus));
        assert_eq!(AudioFormat::of("Audio/MPEG"), Some(AudioFormat::Mp3));
        assert_eq!(AudioFormat::of("audio/amr"), None);
        for format in [
            AudioFormat::Opus,
            AudioFormat::Mp3,
            AudioFormat::M4a,
            AudioFormat::Wav,
            AudioFormat::Webm,
            AudioFormat::Flac,
        ] {
            assert_eq!(AudioFormat::of(format.content_type()), Some(format));
        }
    }
}
