import type { PGlite } from "@electric-sql/pglite";

import { schemaPool } from "./schema-pool.ts";
import { startPglite } from "./start-pglite.ts";

/** One instance for all tests of a process: Postgres in the process, with one connection. */
export const pglite: PGlite = await startPglite();

/** The schema of a place; the test that asks first gives it back when it is over. */
export const schemaOf: (location: string) => string = schemaPool(pglite);
