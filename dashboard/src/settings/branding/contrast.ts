/** Text on a colour. The server and the widget have the same rule. Pure. */

/** Black and white are equally readable on a colour of this relative luminance (WCAG 2). */
const LUMINANCE_MIDDLE = 0.179;

/** Six digits, as the browser's picker has them. */
export const longHex = (color: string): string =>
  color.length === 4 ? `#${[...color.slice(1)].map((digit) => digit + digit).join('')}` : color;

/** Black or white, whichever is easier to read on the colour. */
export function textOn(color: string): '#000' | '#fff' {
  const parts = [1, 3, 5].map((at) => Number.parseInt(longHex(color).slice(at, at + 2), 16) / 255);
  const [red = 0, green = 0, blue = 0] = parts.map((part) =>
    part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4,
  );
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > LUMINANCE_MIDDLE ? '#000' : '#fff';
}
