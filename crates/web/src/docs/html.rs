//! Writes HTML; everything that is not markup is escaped.

/// A page being written.
#[derive(Debug, Default)]
pub(super) struct Html(String);

impl Html {
    /// Trusted markup.
    pub(super) fn raw(&mut self, markup: &str) -> &mut Self {
        self.0.push_str(markup);
        self
    }

    /// Any text. Safe between tags and inside a quoted attribute.
    pub(super) fn text(&mut self, text: &str) -> &mut Self {
        for c in text.chars() {
            match c {
                '&' => self.0.push_str("&amp;"),
                '<' => self.0.push_str("&lt;"),
                '>' => self.0.push_str("&gt;"),
                '"' => self.0.push_str("&quot;"),
                '\'' => self.0.push_str("&#39;"),
                c => self.0.push(c),
            }
        }
        self
    }

    pub(super) fn element(&mut self, tag: &str, text: &str) -> &mut Self {
        self.raw("<").raw(tag).raw(">").text(text).raw("</").raw(tag).raw(">")
    }

    /// A link to a place on this page.
    pub(super) fn link(&mut self, anchor: &str, text: &str) -> &mut Self {
        self.raw("<a href=\"#").text(anchor).raw("\">").text(text).raw("</a>")
    }

    /// Text in which backticks mean code.
    pub(super) fn inline(&mut self, text: &str) -> &mut Self {
        for (at, part) in text.split('`').enumerate() {
            if at % 2 == 1 {
                self.element("code", part);
            } else {
                self.text(part);
            }
        }
        self
    }

    /// Paragraphs, or nothing.
    pub(super) fn prose(&mut self, text: &str) -> &mut Self {
        for paragraph in text.split("\n\n").filter(|paragraph| !paragraph.trim().is_empty()) {
            self.raw("<p>").inline(paragraph).raw("</p>");
        }
        self
    }

    pub(super) fn finish(self) -> String {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn backticks_are_code_and_blank_lines_paragraphs() {
        let mut html = Html::default();
        html.prose("Use `a<b`.\n\nThen & only then.");
        assert_eq!(html.finish(), "<p>Use <code>a&lt;b</code>.</p><p>Then &amp; only then.</p>");
    }

    proptest! {
        #[test]
        fn text_never_opens_a_tag_or_ends_an_attribute(text: String) {
            let mut html = Html::default();
            html.text(&text);
            prop_assert!(!html.finish().contains(['<', '>', '"', '\'']));
        }
    }
}
