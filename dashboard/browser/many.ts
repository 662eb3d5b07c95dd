/** A hundred thousand rows of a kind, as copies of one that the server has made: SQL straight into its database. */
import type { Server } from './server';

/** An id that is older by so many milliseconds than the row's, in SQLite. Ids begin with their time. */
const OLDER_ID = "unhex(printf('%012X', :born - copy.n) || '7000' || '8000' || printf('%012X', copy.n))";

export interface Copies {
  table: string;
  count: number;
  /** The row to copy, as a condition. */
  where: string;
  /** Columns that differ, as SQL. `copy.n` counts from 1, and `@id` is an id of its own. */
  columns: Readonly<Record<string, string>>;
}

/** Stops the server, copies a row, and starts it again. */
export async function addCopies(server: Server, ...all: Copies[]): Promise<void> {
  await server.stopProcess();
  for (const copies of all) {
    server.sql(statementOf(copies, server.sql(`SELECT name FROM pragma_table_info('${copies.table}')`)));
  }
  await server.startAgain();
}

function statementOf({ table, count, where, columns }: Copies, names: string[]): string {
  const born = `(SELECT CAST(strftime('%s', 'now') AS integer) * 1000 - 60000)`;
  const own = OLDER_ID.replace(':born', born);
  const values = names.map((name) => (columns[name] ?? `source.${name}`).replaceAll('@id', own));
  return `WITH RECURSIVE copy(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM copy WHERE n < ${count})
    INSERT INTO ${table} (${names.join(', ')})
    SELECT ${values.join(', ')} FROM copy CROSS JOIN (SELECT * FROM ${table} WHERE ${where} LIMIT 1) source`;
}
