import { lawRuns } from "@agent-history/testkit";
import * as fc from "fast-check";
import { expect, it } from "vitest";

import {
  compactAgent,
  shownBy,
  writeThread,
} from "../../store-sqlite/test-support/written-thread.ts";
import { messages } from "../test-support/messages.ts";
import { pglite, schemaOf } from "../test-support/pglite.ts";
import { postgresStore } from "./postgres-store.ts";

const ROW = (table: string, nth: string): string =>
  `ctid = (SELECT ctid FROM {schema}.${table} ORDER BY ctid LIMIT 1 OFFSET ${nth})`;

/** What can be done to a row of the index, by its number. */
const DAMAGES: readonly string[] = [
  `DELETE FROM {schema}.refs WHERE ${ROW("refs", "{nth}")}`,
  `UPDATE {schema}.refs SET refs = '' WHERE ${ROW("refs", "{nth}")}`,
  `UPDATE {schema}.refs SET refs = 'nonsense' WHERE ${ROW("refs", "{nth}")}`,
  `DELETE FROM {schema}.refs WHERE stream = 'agent:w1'`,
  `DELETE FROM {schema}.facts WHERE ${ROW("facts", "{nth} % 9")}`,
  `UPDATE {schema}.facts SET value = '[]' WHERE ${ROW("facts", "{nth} % 9")}`,
  `UPDATE {schema}.facts SET value = 'nonsense' WHERE ${ROW("facts", "{nth} % 9")}`,
  "UPDATE {schema}.views SET state = 'nonsense'",
  "DELETE FROM {schema}.views",
  `UPDATE {schema}.threads SET head = regexp_replace(head, '"taskDoubt":-?[0-9]+', '"taskDoubt":{nth}')`,
];

it("repairs whatever is damaged of an index: the thread shows and takes what it did before", async () => {
  let runs = 0;
  const damage = fc.record({ sql: fc.constantFrom(...DAMAGES), nth: fc.nat({ max: 120 }) });
  await fc.assert(
    fc.asyncProperty(fc.array(damage, { minLength: 1, maxLength: 6 }), async (damages) => {
      const schema = schemaOf(`reindex ${(runs += 1)}`);
      await writeThread(postgresStore({ client: pglite, schema }));
      // One that remembers nothing of the thread.
      const store = postgresStore({ client: pglite, schema });
      await compactAgent(store);
      // A view whose summary is gone again has a state too.
      await store.expand("t", "y");
      const before = await shownBy(store);
      for (const { sql, nth } of damages) {
        await pglite.query(sql.replaceAll("{schema}", schema).replaceAll("{nth}", String(nth)));
      }
      expect(await store.reindex("t")).toEqual([]);
      expect(await store.verify("t")).toEqual([]);
      expect(await shownBy(store)).toEqual(before);
      const { viewRevision } = await compactAgent(store);
      expect(viewRevision).toBeGreaterThan(0);
      await store.append("t", messages("later"));
      expect(await store.verify("t")).toEqual([]);
    }),
    { numRuns: lawRuns(15) },
  );
});
