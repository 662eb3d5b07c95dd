//! The sandbox over real HTTP: the tests call it as the adapters do, and a server receives its webhooks.

mod bridge;
mod customers;
mod faults;
mod messenger;
mod model;
mod page;
mod stage;
mod templates;
mod whatsapp;
