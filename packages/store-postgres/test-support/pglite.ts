import type { PGlite } from "@electric-sql/pglite";

import { schemaPool } from "./schema-pool.ts";
import { startPglite } from "./start-pglite.ts";

/** One PGlite for all tests of a process: in-process Postgres with one connection. */
export const pglite: PGlite = await startPglite();

/** Returns the schema of a location; the test that first requests it returns it to the pool when it ends. */
export const schemaOf: (location: string) => string = schemaPool(pglite);
