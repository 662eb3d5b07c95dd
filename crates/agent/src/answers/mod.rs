//! Answers of people to the asks of runs and of programs.

mod answer;
mod api;
mod carry_out;

use answer::{answer, status_of};
pub(crate) use api::routes;
