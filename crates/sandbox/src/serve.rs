//! A plain server for the sandbox alone, for tests that run it next to the server under test.

use std::time::Duration;

use http::{Request, StatusCode};
use http_body_util::{BodyExt, Limited};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpListener;

use crate::request::BODY_BYTES_MAX;
use crate::response::{ControlError, Disconnect, SandboxResponse};
use crate::sandbox::Sandbox;

/// The pause after a failed accept, when the system is out of a resource.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Serves the sandbox over HTTP/1 until it is dropped.
pub async fn serve(sandbox: Sandbox, listener: TcpListener) {
    loop {
        let stream = match listener.accept().await {
            Ok((stream, _)) => stream,
            Err(error) => {
                tracing::warn!(%error, "the sandbox could not accept a connection");
                tokio::time::sleep(ACCEPT_PAUSE).await;
                continue;
            }
        };
        // Only an optimisation for small responses.
        let _ = stream.set_nodelay(true);
        let sandbox = sandbox.clone();
        let service = service_fn(move |request| respond(sandbox.clone(), request));
        let conversation =
            http1::Builder::new().timer(TokioTimer::new()).serve_connection(TokioIo::new(stream), service);
        tokio::spawn(async move {
            if let Err(error) = conversation.await {
                tracing::debug!(%error, "a connection to the sandbox ended early");
            }
        });
    }
}

/// An error makes hyper drop the connection.
async fn respond(sandbox: Sandbox, request: Request<Incoming>) -> Result<SandboxResponse, Disconnect> {
    let (parts, body) = request.into_parts();
    let Ok(body) = Limited::new(body, BODY_BYTES_MAX).collect().await else {
        let message = format!("The body did not arrive whole, or is larger than {BODY_BYTES_MAX} bytes.");
        return Ok(ControlError { status: StatusCode::PAYLOAD_TOO_LARGE, message }.response());
    };
    sandbox.respond(parts, body.to_bytes()).await
}
