import { onTestFinished } from "vitest";

import type { PostgresClient } from "../src/index.ts";

const TABLES = ["rows", "items", "threads"];

/**
 * Assigns an empty schema to each location of a test. Schemas are reused after the test, because creating one and planning its functions takes longer than
 * most tests.
 */
export function schemaPool(client: PostgresClient, prefix = "s"): (location: string) => string {
  const free: string[] = [];
  const taken = new Map<string, string>();
  let count = 0;
  return (location) => {
    const known = taken.get(location);
    if (known !== undefined) return known;
    const schema = free.pop() ?? `${prefix}${(count += 1)}`;
    taken.set(location, schema);
    onTestFinished(async () => {
      taken.delete(location);
      for (const table of TABLES) await client.query(`DELETE FROM ${schema}.${table}`, []);
      free.push(schema);
    });
    return schema;
  };
}
