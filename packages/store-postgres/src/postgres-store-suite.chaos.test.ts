import { describeHistoryStore } from "@agent-history/testkit/store";

import { pglite, schemaOf } from "../test-support/pglite.ts";
import { postgresStore } from "./postgres-store.ts";

describeHistoryStore(
  "postgresStore on PGlite",
  (location) => postgresStore({ client: pglite, schema: schemaOf(location) }),
  { runs: 3 },
);
