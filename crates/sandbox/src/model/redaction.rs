//! Removes large binary content from recorded calls.

use serde_json::Value;

/// Longer base64 texts are replaced.
const BASE64_CHARS_MAX: usize = 200;

/// Replaces images and recordings by their size. Returns how many images there were.
pub(super) fn shorten(value: &mut Value) -> u64 {
    let mut images = 0;
    walk(value, &mut images);
    images
}

fn walk(value: &mut Value, images: &mut u64) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| walk(item, images)),
        Value::Object(fields) => {
            let kind = fields.get("type").and_then(Value::as_str);
            *images += u64::from(matches!(kind, Some("image" | "image_url")));
            for (name, field) in fields {
                match field {
                    Value::String(text) if name == "data" || name == "url" => cut(text),
                    other => walk(other, images),
                }
            }
        }
        _ => {}
    }
}

fn cut(text: &mut String) {
    let content = text.split_once(";base64,").map_or(0, |(head, _)| head.len() + ";base64,".len());
    let bytes = (text.len() - content) / 4 * 3;
    let is_ascii = text.is_ascii();
    if is_ascii && text.len() - content > BASE64_CHARS_MAX {
        text.replace_range(content.., &format!("({bytes} bytes)"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_large_content_is_replaced() {
        let large = "A".repeat(4000);
        let mut body = json!({ "messages": [{ "content": [
            { "type": "image_url", "image_url": { "url": format!("data:image/png;base64,{large}") } },
            { "type": "image", "source": { "type": "base64", "data": large } },
            { "type": "text", "text": large },
            { "type": "image_url", "image_url": { "url": "data:image/png;base64,AAAA" } },
        ] }] });
        assert_eq!(shorten(&mut body), 3);
        let content = &body["messages"][0]["content"];
        assert_eq!(content[0]["image_url"]["url"], "data:image/png;base64,(3000 bytes)");
        assert_eq!(content[1]["source"]["data"], "(3000 bytes)");
        assert_eq!(content[2]["text"].as_str().map(str::len), Some(4000));
        assert_eq!(content[3]["image_url"]["url"], "data:image/png;base64,AAAA");
    }
}
