//! Words of others in a mail: short, on one line, and escaped.

/// A text on one line, cut. Control characters and separators of lines become spaces.
pub(super) fn line(text: &str, chars_max: usize) -> String {
    let is_space = |c: char| c.is_whitespace() || c.is_control() || is_invisible(c);
    let words: Vec<&str> = text.split(is_space).filter(|word| !word.is_empty()).collect();
    let words = words.join(" ");
    let mut kept: String = words.chars().take(chars_max).collect();
    if kept.len() < words.len() {
        kept.push('…');
    }
    kept
}

/// Characters that change the direction of text, or separate lines: they could make a mail read differently.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

/// A text in HTML.
pub(super) fn escaped(text: &str) -> String {
    let mut html = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => html.push_str("&amp;"),
            '<' => html.push_str("&lt;"),
            '>' => html.push_str("&gt;"),
            '"' => html.push_str("&quot;"),
            '\'' => html.push_str("&#39;"),
            c => html.push(c),
        }
    }
    html
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_no_breaks_and_an_end() {
        assert_eq!(line(" a\r\n\tb\u{2028}c\u{202e}d\0 ", 20), "a b c d");
        assert_eq!(line("äöüß", 2), "äö…");
        assert_eq!(line("\r\n", 5), "");
    }

    #[test]
    fn nothing_of_a_text_is_html() {
        assert_eq!(escaped("<a href=\"x\">&'"), "&lt;a href=&quot;x&quot;&gt;&amp;&#39;");
    }
}
