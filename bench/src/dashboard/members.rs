//! Signed-in members.

use serde_json::json;

use crate::error::Result;
use crate::server::Server;
use crate::site::Site;

const PASSWORD: &str = "a password of the bench";

/// A member's session.
pub(super) struct Member {
    cookie: String,
}

impl Member {
    /// A GET from the member's browser.
    pub(super) fn get(&self, path: &str) -> Vec<u8> {
        format!("GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: {}\r\n\r\n", self.cookie).into_bytes()
    }

    /// A POST from the member's browser, with a JSON body if there is one.
    pub(super) fn post(&self, server: &Server, path: &str, body: Option<&str>) -> Vec<u8> {
        post(server, path, &format!("Cookie: {}\r\n", self.cookie), body)
    }
}

/// Adds members to the first account and signs them in.
pub(super) fn sign_in(site: &Site, server: &Server, members: usize) -> Result<Vec<Member>> {
    (0..members)
        .map(|number| {
            let email = format!("member{number}@example.com");
            let set = json!({ "token": site.invite(&email)?, "password": PASSWORD }).to_string();
            server.ask(&post(server, "/app/api/password", "", Some(&set)))?;
            let body = json!({ "email": email, "password": PASSWORD }).to_string();
            let (head, _) = server.ask(&post(server, "/app/api/session", "", Some(&body)))?;
            Ok(Member { cookie: cookie(&head)? })
        })
        .collect()
}

/// A POST from the server's own origin.
fn post(server: &Server, path: &str, headers: &str, body: Option<&str>) -> Vec<u8> {
    let origin = server.address;
    let kind = if body.is_some() { "Content-Type: application/json\r\n" } else { "" };
    let body = body.unwrap_or_default();
    format!(
        "POST {path} HTTP/1.1\r\nHost: {origin}\r\nOrigin: http://{origin}\r\n{headers}{kind}Content-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .into_bytes()
}

/// The name and value of the cookie that a response sets.
fn cookie(head: &[u8]) -> Result<String> {
    let head = std::str::from_utf8(head)?;
    let mut headers = head.lines().filter_map(|line| line.split_once(':'));
    let set = headers.find(|(name, _)| name.eq_ignore_ascii_case("set-cookie"));
    let (_, value) = set.ok_or("the sign-in sets no cookie")?;
    Ok(value.split(';').next().unwrap_or_default().trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cookie_is_read_from_a_response() {
        let head = b"HTTP/1.1 200 OK\r\nSet-Cookie: frontdesk_session=abc; Path=/; HttpOnly\r\n\r\n";
        assert_eq!(cookie(head).unwrap(), "frontdesk_session=abc");
        assert!(cookie(b"HTTP/1.1 200 OK\r\n\r\n").is_err());
    }
}
