//! Text on a colour that an account has chosen.

use crate::tags::Color;

/// Black and white are equally readable on a colour of this relative luminance (WCAG 2).
const LUMINANCE_MIDDLE: f64 = 0.179;

/// Black or white, whichever is easier to read on the colour. The widget has the same rule.
pub fn text_on(color: &Color) -> &'static str {
    let [red, green, blue] = parts(color).map(linear);
    let luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    if luminance > LUMINANCE_MIDDLE { "#000" } else { "#fff" }
}

/// Red, green and blue from 0 to 1.
fn parts(color: &Color) -> [f64; 3] {
    let digits: Vec<u32> = color.as_str().chars().filter_map(|digit| digit.to_digit(16)).collect();
    std::array::from_fn(|at| match digits.len() {
        3 => f64::from(digits[at] * 17) / 255.0,
        _ => f64::from(digits[at * 2] * 16 + digits[at * 2 + 1]) / 255.0,
    })
}

fn linear(part: f64) -> f64 {
    if part <= 0.040_45 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_readable_on_every_color() {
        for (color, wanted) in [
            ("#000", "#fff"),
            ("#fff", "#000"),
            ("#0a5", "#000"),
            ("#1f5eff", "#fff"),
            ("#ffd400", "#000"),
            ("#b45309", "#fff"),
            ("#777777", "#000"),
        ] {
            assert_eq!(text_on(&color.parse().unwrap()), wanted, "{color}");
        }
        // WCAG asks for a contrast of 4.5.
        for step in 0..=255_u32 {
            let color: Color =
                format!("#{step:02x}{:02x}{:02x}", 255 - step, (step * 7) % 256).parse().unwrap();
            let [red, green, blue] = parts(&color).map(linear);
            let luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
            let contrast =
                if text_on(&color) == "#000" { (luminance + 0.05) / 0.05 } else { 1.05 / (luminance + 0.05) };
            assert!(contrast >= 4.5, "{color:?} {contrast}");
        }
    }
}
