//! The clients over real HTTP, against providers on loopback and against the sandbox model.

mod anthropic;
mod audio;
mod bodies;
mod failures;
mod openai;
mod retries;
mod sandbox;
mod scene;
