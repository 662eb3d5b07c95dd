//! The ceiling of reads: a bare axum handler that responds with the same bytes and does nothing else.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use axum::Router;
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use axum::routing::get;
use axum::serve::ListenerExt;
use bytes::Bytes;
use clap::Args;
use tokio::net::TcpListener;
use tokio::runtime;

use crate::error::Result;
use crate::server::Server;

/// The response that the handler serves.
#[derive(Args)]
pub(crate) struct BareArgs {
    /// A file with the response's head
    #[arg(long)]
    head: PathBuf,
    /// A file with the response's body
    #[arg(long)]
    body: PathBuf,
}

/// Serves until it is killed.
pub(crate) fn serve(args: &BareArgs) -> Result<()> {
    let headers = headers_of(&fs::read_to_string(&args.head)?)?;
    let body = Bytes::from(fs::read(&args.body)?);
    let handler = move || {
        let response = (headers.clone(), body.clone());
        async { response }
    };
    runtime::Builder::new_multi_thread().enable_all().build()?.block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        println!("listening on http://{}", listener.local_addr()?);
        // The server sets this too.
        let listener = listener.tap_io(|stream| drop(stream.set_nodelay(true)));
        axum::serve(listener, Router::new().route("/api/v1/contacts", get(handler))).await?;
        Ok(())
    })
}

/// Starts the handler in its own process, with a response that another server gave.
pub(crate) fn start(dir: &Path, head: &[u8], body: &[u8]) -> Result<Server> {
    let (head_file, body_file) = (dir.join("head"), dir.join("body"));
    fs::write(&head_file, head)?;
    fs::write(&body_file, body)?;
    let mut command = Command::new(std::env::current_exe()?);
    command.args(["bare", "--head"]).arg(head_file).arg("--body").arg(body_file);
    Server::start(command, &dir.join("bare.log"))
}

/// The headers of a response, without those that the server adds by itself.
fn headers_of(head: &str) -> Result<HeaderMap> {
    const ADDED: [&str; 4] = ["content-length", "transfer-encoding", "date", "connection"];
    let mut headers = HeaderMap::new();
    for (name, value) in head.split("\r\n").skip(1).filter_map(|line| line.split_once(':')) {
        if !ADDED.iter().any(|added| name.eq_ignore_ascii_case(added)) {
            headers.append(name.parse::<HeaderName>()?, value.trim().parse::<HeaderValue>()?);
        }
    }
    Ok(headers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_headers_are_those_of_the_answer() {
        let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nX-Request-Id: a:b\r\nDate: x\r\nContent-Length: 3\r\n\r\n";
        let headers = headers_of(head).unwrap();
        assert_eq!(headers.len(), 2);
        assert_eq!(headers["x-request-id"], "a:b");
    }
}
