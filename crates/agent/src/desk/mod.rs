//! The dashboard's views of assistants: trying one out before it is saved, its versions, and its
//! runs by status and cost.

mod runs;
mod trial;
mod versions;

use std::sync::Arc;

use frontdesk_platform::Route;

use crate::runs::driver::Agent;

/// The views' routes, relative to the dashboard's prefix. Without an agent, they can only be described.
pub fn routes(agent: Option<&Arc<Agent>>) -> Vec<Route> {
    let mut routes = [versions::routes(), runs::routes()].into_iter().flatten().collect::<Vec<_>>();
    routes.push(trial::route(agent));
    routes
}
