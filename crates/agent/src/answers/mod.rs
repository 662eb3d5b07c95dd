//! Answers of people to the asks of runs.

mod answer;
mod api;

use answer::answer;
pub(crate) use api::routes;
