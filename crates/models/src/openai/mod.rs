//! OpenAI's wire format: chat completions and audio.

pub(crate) mod audio;
mod reply;
mod request;

pub(crate) use reply::reply;
pub(crate) use request::body;
