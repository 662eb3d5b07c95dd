//! The sandbox over real HTTP: its calls are made as the adapters make them, and its webhooks are taken by a server.

mod bridge;
mod customers;
mod faults;
mod messenger;
mod model;
mod page;
mod stage;
mod templates;
mod whatsapp;
