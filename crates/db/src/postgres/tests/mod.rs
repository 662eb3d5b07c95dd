//! The client against a server that follows a script, and against a real one with TLS.

mod connecting;
mod encrypted;
mod faults;
mod fuzzed;
mod scripted;
