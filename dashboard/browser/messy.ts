/** A file of 500 contacts as people keep them, with every oddity that an import must get along with. */

const ROUND_ROWS = 20;
const ROUNDS = 25;

/** What comes of the file in an account of Germany. */
export const MESSY = {
  rows: ROUND_ROWS * ROUNDS,
  created: 16 * ROUNDS,
  unchanged: ROUNDS,
  rejected: 3 * ROUNDS,
  warned: 4 * ROUNDS,
} as const;

const quoted = (text: string) => (/[";\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** Cells: name, number, email, company, birthday, tags. */
function row(n: number): string[] {
  const tail = String(n).padStart(7, '0');
  const name = `Jürgen Müller ${n}`;
  const good = `+49 152 ${tail}`;
  const email = `p${n}@example.com`;
  const rows: Array<() => string[]> = [
    () => [name, `+49 (0)152 ${tail}`],
    () => [name, `0152 ${tail}`],
    () => [name, `152${tail}`],
    () => [name, `'0152/${tail}`],
    () => [name, 'n/a', email],
    // Rejected: nothing finds its contact.
    () => [name, '-', 'ann(at)example.com'],
    // Comes in without its email address.
    () => [name, good, 'nowhere@'],
    () => [name, good, 'N/A', '-', '–'],
    // Comes in without its birthday.
    () => [name, good, '', '', '31.02.2026'],
    () => [name, good, '', '', '1.12.1990'],
    // Comes in without its number.
    () => [name, '12', email],
    // Rejected: the number is too short.
    () => [name, '0152'],
    // The first of the round once more, written in another way.
    () => [`Jürgen Müller ${n - 12}`, `0049-152-${String(n - 12).padStart(7, '0')}`],
    () => [name, good, '', 'Müller; "Söhne"\nKG'],
    () => ['k.A.', good],
    // Rejected: a name alone finds nobody.
    () => [name, '', ''],
    () => [name, `0049 152 ${tail}`],
    () => [name, `+1 (415) 555-${String(n).padStart(4, '0')}`],
    () => [name, `${good}`, email, '', '', 'vip, neu'],
    // Comes in without the tag that is too long.
    () => [name, good, '', '', '', `vip, ${'x'.repeat(101)}`],
  ];
  return rows[n % ROUND_ROWS]?.() ?? [];
}

/** The file as a spreadsheet program writes it in Germany: with a byte order mark and semicolons. */
export function messyFile(): string {
  const head = ['Name', 'Handy', 'E-Mail', 'Firma', 'Geburtstag', 'Schlagwörter'];
  const rows = Array.from({ length: MESSY.rows }, (_, n) => row(n));
  const lines = [head, ...rows].map((cells) =>
    Array.from({ length: head.length }, (_, index) => quoted(cells[index] ?? '')).join(';'),
  );
  return `\uFEFF${lines.join('\r\n')}\r\n`;
}
