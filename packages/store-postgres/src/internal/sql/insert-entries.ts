/** Writes the entries of `p_entries` to a log, with their columns, which `p_rows` has. */
export function insertEntries(log: string): string {
  return `INSERT INTO {schema}.entries
    (log, position, id, type, agent, turn, phase, task, partner, bytes, created_at_ms, tokens, checksum, json)
  SELECT ${log}, e.at, e.id, e.type, e.agent, e.turn, e.phase, e.task, e.partner, e.bytes, e.created, e.tokens, e.checksum, e.json
  FROM ROWS FROM (
    json_to_recordset(p_rows) AS (
      at int, id text, type text, agent text, turn int, phase int, task int, partner int, bytes int,
      created double precision, tokens text, checksum int
    ),
    json_array_elements(p_entries)
  ) AS e (at, id, type, agent, turn, phase, task, partner, bytes, created, tokens, checksum, json)`;
}
