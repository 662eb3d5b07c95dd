//! Sample media: a small, complete file of each kind.

use std::io::Write;

use bytes::Bytes;
use flate2::write::ZlibEncoder;
use flate2::{Compression, Crc};

/// The sides of the sample picture.
const PICTURE_PIXELS: usize = 64;

/// A sample of a kind of media: its content type, a name, and its bytes.
pub(crate) fn sample(kind: &str) -> (&'static str, &'static str, Bytes) {
    match kind {
        "image" | "sticker" => ("image/png", "sample.png", picture()),
        "audio" | "voice" => ("audio/wav", "sample.wav", tone()),
        "video" => ("video/mp4", "sample.mp4", Bytes::from_static(VIDEO)),
        _ => ("application/pdf", "sample.pdf", Bytes::from_static(DOCUMENT)),
    }
}

/// An empty file with the signature of MP4.
const VIDEO: &[u8] = b"\0\0\0\x18ftypisom\0\0\x02\0isomiso2\0\0\0\x08free\0\0\0\x08mdat";

const DOCUMENT: &[u8] = b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n\
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 144]>>endobj\n\
trailer<</Root 1 0 R>>\n%%EOF\n";

/// A sunset, from yellow to violet.
fn picture() -> Bytes {
    png(PICTURE_PIXELS, |_, y| {
        let share = (y * 255 / PICTURE_PIXELS) as u8;
        [255 - share / 2, 180 - share / 2, 60 + share / 2]
    })
}

/// A quarter of a second of a tone, as a WAV file.
fn tone() -> Bytes {
    const RATE: u32 = 8000;
    const SAMPLES: u32 = RATE / 4;
    let mut wav = Vec::new();
    wav.extend_from_slice(b"RIFF");
    wav.extend_from_slice(&(36 + SAMPLES).to_le_bytes());
    wav.extend_from_slice(b"WAVEfmt \x10\0\0\0\x01\0\x01\0");
    wav.extend_from_slice(&RATE.to_le_bytes());
    wav.extend_from_slice(&RATE.to_le_bytes());
    wav.extend_from_slice(b"\x01\0\x08\0data");
    wav.extend_from_slice(&SAMPLES.to_le_bytes());
    wav.extend((0..SAMPLES).map(|at| if (at / 9).is_multiple_of(2) { 112 } else { 144 }));
    wav.into()
}

/// A square picture as a PNG file.
pub(crate) fn png(side: usize, color: impl Fn(usize, usize) -> [u8; 3]) -> Bytes {
    let mut pixels = Vec::with_capacity(side * (side * 3 + 1));
    for y in 0..side {
        pixels.push(0);
        (0..side).for_each(|x| pixels.extend_from_slice(&color(x, y)));
    }
    let mut packed = ZlibEncoder::new(Vec::new(), Compression::fast());
    // Writing to memory does not fail.
    let _ = packed.write_all(&pixels);
    let packed = packed.finish().unwrap_or_default();
    let side = (side as u32).to_be_bytes();
    let head = [&side[..], &side[..], &[8, 2, 0, 0, 0]].concat();
    let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
    for (name, content) in [(b"IHDR", &head), (b"IDAT", &packed), (b"IEND", &Vec::new())] {
        let mut crc = Crc::new();
        crc.update(name);
        crc.update(content);
        file.extend_from_slice(&(content.len() as u32).to_be_bytes());
        file.extend_from_slice(name);
        file.extend_from_slice(content);
        file.extend_from_slice(&crc.sum().to_be_bytes());
    }
    file.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_a_sample_that_looks_like_itself() {
        for (kind, beginning) in [
            ("image", &b"\x89PNG"[..]),
            ("voice", b"RIFF"),
            ("video", b"\0\0\0\x18ftyp"),
            ("document", b"%PDF"),
        ] {
            assert!(sample(kind).2.starts_with(beginning), "{kind}");
        }
    }
}
