//! Pairs a session by a code to scan or to type.
//!
//! The image only looks like a QR code: no phone can be linked to a sandbox. `POST /sandbox/bridge/scan`
//! simulates scanning it.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http::StatusCode;
use http::header::ACCEPT;
use serde_json::json;
use sha2::{Digest, Sha256};

use super::{Call, SessionState, failure};
use crate::media::png;
use crate::response::{SandboxResponse, bytes, json as answer_json};

/// Modules per side including the white border, and pixels per module.
const SIDE: usize = 33;
const BORDER: usize = 2;
const SQUARE_PIXELS: usize = 6;
/// The size of the finder patterns in three corners.
const CORNER: usize = 7;

impl Call<'_> {
    pub(super) fn show_code(&self) -> SandboxResponse {
        if let Some(response) = self.refusal_unless(SessionState::ScanQrCode) {
            return response;
        }
        let code = self.code();
        if self.request.param("format") == Some("raw") {
            return answer_json(StatusCode::OK, &json!({ "value": code }));
        }
        let picture = draw(&code);
        let accepts =
            self.request.headers.get(ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
        if accepts.contains("application/json") {
            let picture = json!({ "mimetype": "image/png", "data": STANDARD.encode(&picture) });
            return answer_json(StatusCode::OK, &picture);
        }
        bytes(StatusCode::OK, "image/png", picture)
    }

    pub(super) fn request_code(&self) -> SandboxResponse {
        if let Some(response) = self.refusal_unless(SessionState::ScanQrCode) {
            return response;
        }
        if self.body["phoneNumber"].as_str().is_none_or(str::is_empty) {
            return failure(StatusCode::BAD_REQUEST, "phoneNumber should not be empty");
        }
        let letters = self.code().to_uppercase();
        answer_json(
            StatusCode::CREATED,
            &json!({ "code": format!("{}-{}", &letters[2..6], &letters[6..10]) }),
        )
    }
}

/// Draws an image that looks like a QR code.
fn draw(code: &str) -> bytes::Bytes {
    let pixels = (SIDE + 2 * BORDER) * SQUARE_PIXELS;
    let rows: Vec<_> = (0..SIDE).map(|row| Sha256::digest(format!("{code}{row}"))).collect();
    png(pixels, |x, y| {
        let (x, y) = (x / SQUARE_PIXELS, y / SQUARE_PIXELS);
        let inside = BORDER..BORDER + SIDE;
        let is_dark = inside.contains(&x) && inside.contains(&y) && {
            let (x, y) = (x - BORDER, y - BORDER);
            corner(x, y).unwrap_or_else(|| rows[y][x % rows[y].len()] & 1 == 1)
        };
        if is_dark { [17, 24, 39] } else { [255, 255, 255] }
    })
}

/// Whether a module of a finder pattern is dark; none outside of the patterns.
fn corner(x: usize, y: usize) -> Option<bool> {
    let far = SIDE - CORNER;
    let (dx, dy) = match (x, y) {
        (x, y) if x <= CORNER && y <= CORNER => (x, y),
        (x, y) if x + 1 >= far && y <= CORNER => {
            ((x + 1).checked_sub(far)?.checked_sub(1).unwrap_or(CORNER), y)
        }
        (x, y) if x <= CORNER && y + 1 >= far => {
            (x, (y + 1).checked_sub(far)?.checked_sub(1).unwrap_or(CORNER))
        }
        _ => return None,
    };
    if dx == CORNER || dy == CORNER {
        return Some(false);
    }
    let ring = [dx, dy, CORNER - 1 - dx, CORNER - 1 - dy].into_iter().min()?;
    Some(ring != 1)
}
