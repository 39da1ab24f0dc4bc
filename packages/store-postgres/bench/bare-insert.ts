/** A row of a table, as the server returns it. */
type Row = Readonly<Record<string, unknown>>;

/** The rows that a batch wrote to one table. */
export interface Rows {
  readonly table: string;
  readonly rows: readonly Row[];
}

/** Makes one statement that inserts rows, as a program without this package would. */
export function bareInsert(schema: string, batch: readonly Rows[]): [string, unknown[]] {
  const values: unknown[] = [];
  const inserts = batch.map(({ table, rows }) => {
    const columns = Object.keys(rows[0] ?? {});
    const tuples = rows.map((row) => {
      const locations = columns.map((column) => `$${values.push(valueOf(column, row[column]))}`);
      return `(${locations.join(", ")})`;
    });
    const again =
      table === "facts" ? " ON CONFLICT (log, key) DO UPDATE SET value = excluded.value" : "";
    return `INSERT INTO ${schema}.${table} (${columns.join(", ")}) VALUES ${tuples.join(", ")}${again}`;
  });
  const last = inserts.at(-1) ?? "";
  const before = inserts.slice(0, -1).map((one, nth) => `i${nth} AS (${one})`);
  return [before.length === 0 ? last : `WITH ${before.join(", ")} ${last}`, values];
}

function valueOf(column: string, value: unknown): unknown {
  return column === "json" ? JSON.stringify(value) : value;
}
