import { describeHistoryStore } from "@agent-history/testkit/store";

import { pglite, schemaOf } from "../test-support/pglite.ts";
import { postgresStore } from "./postgres-store.ts";

describeHistoryStore(
  "postgresStore on PGlite",
  (place) => postgresStore({ client: pglite, schema: schemaOf(place) }),
  { runs: 3 },
);
