//! Language models: one request and one reply for every provider.
//!
//! [`Models`] calls OpenAI-compatible endpoints and Anthropic. It chooses the provider by the model's name, retries
//! calls that were refused temporarily, and returns the provider's own message when a call fails. [`PriceList`] holds
//! prices as data. It computes the maximum cost of a call before it is made, and the actual cost after it.
//!
//! Guarantees:
//! - A call ends within its deadline, and dropping its future cancels it.
//! - A call whose outcome is unknown (a timeout, a broken connection) is never repeated here, because the provider may have
//!   billed it. [`ModelError::may_be_billed`] says so, and the caller decides.
//! - No API key appears in an error, a log line or a `Debug` output.
//!
//! This crate stores nothing and reads no clock. The randomness of its waits is an argument.

mod adjustments;
mod anthropic;
mod audio;
mod call;
mod chat;
mod config;
mod endpoint;
mod error;
mod fault;
mod image;
mod models;
mod multipart;
mod openai;
mod prices;
mod response;
mod retry;

pub use audio::{
    AUDIO_BYTES_MAX, AudioFormat, AudioUsage, DEFAULT_VOICE, SPEECH_CHARS_MAX, Speech, SpeechFormat,
    SpeechRequest, Transcript, TranscriptionRequest,
};
pub use call::{CALL_TIME_MAX, CallOptions, REQUEST_BYTES_MAX};
pub use chat::{
    Arguments, Cache, ChatReply, ChatRequest, Message, Part, Replay, StopReason, SystemPrompt, Tool,
    ToolCall, ToolResult, Turn, Usage,
};
pub use config::{ModelsConfig, SANDBOX_MODEL};
pub use endpoint::{Endpoint, Provider};
pub use error::{ModelError, ProviderFault};
pub use image::{IMAGE_BYTES_MAX, Image, ImageError};
pub use models::{Models, verify};
pub use prices::{
    ChatPrice, MicroUsd, PriceList, PricesError, Quote, Rates, SpeechPrice, TranscriptionPrice,
};
