//! Where webhooks of tests go: a listener that takes everything with a 200.

use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::sync::OnceLock;
use std::thread;
use std::time::Duration;

use frontdesk_e2e::{App, Engine, Start, read_some};

/// A server whose webhooks may reach this machine.
pub(crate) fn reaching(engine: Engine) -> Start {
    App::start(engine).env("FRONTDESK_ALLOW_PRIVATE_TARGETS", "true")
}

/// The address of the listener, which is started with the first who asks.
pub(crate) fn url() -> &'static str {
    static URL: OnceLock<String> = OnceLock::new();
    URL.get_or_init(|| {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let url = format!("http://{}/hook", listener.local_addr().expect("its address"));
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                thread::spawn(move || take(stream));
            }
        });
        url
    })
}

/// Reads one request and answers it. What goes wrong is the caller's to notice.
fn take(mut stream: TcpStream) {
    let _ = stream.set_read_timeout(Some(Duration::from_secs(10)));
    let mut request = Vec::new();
    let mut bytes = [0; 8 * 1024];
    while !is_whole(&request) {
        match read_some(&mut stream, &mut bytes) {
            Ok(read) if read > 0 => request.extend_from_slice(&bytes[..read]),
            _ => return,
        }
    }
    let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
}

fn is_whole(request: &[u8]) -> bool {
    let text = String::from_utf8_lossy(request).to_lowercase();
    let Some((head, _)) = text.split_once("\r\n\r\n") else { return false };
    let length = head.lines().find_map(|line| line.strip_prefix("content-length:")?.trim().parse().ok());
    request.len() >= head.len() + 4 + length.unwrap_or(0)
}
