//! Where a member tries the account as a customer: the page of the sandbox.

use frontdesk_inbox::connections;
use frontdesk_platform::is_local_url;
use frontdesk_web::{Data, Result, resource};

use crate::caller::{AppCaller, AppRoute};

/// The page of the sandbox.
const PATH: &str = "/sandbox";

resource! {
    /// The sandbox, in which members write as customers.
    pub struct SandboxInfo {
        /// Its page; null if no sandbox channel of the account is connected, or if a browser cannot open it.
        pub url: Option<String>,
    }
}

pub(crate) fn routes() -> Vec<AppRoute> {
    vec![AppRoute::get("/sandbox", "getSandbox", get).summary("Where to write as a customer of the sandbox")]
}

/// A server that others reach asks for a token at the sandbox, which a browser does not send.
async fn get(caller: AppCaller) -> Result<Data<SandboxInfo>> {
    let account = caller.signed_in()?.account;
    let base_url = &caller.shared.server.services.base_url;
    if !is_local_url(base_url) {
        return Ok(Data(SandboxInfo { url: None }));
    }
    let connections = caller.read(move |tx| Ok(connections::list(tx, account)?)).await?;
    let is_open = connections.iter().any(|connection| connection.sandbox && connection.is_connected());
    Ok(Data(SandboxInfo { url: is_open.then(|| format!("{base_url}{PATH}")) }))
}
