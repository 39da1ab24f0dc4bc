import { join } from "node:path";

import { describeImports } from "../test-support/describe-imports.ts";
import { openPlace } from "../test-support/open-place.ts";
import { temporaryFolder } from "../test-support/temporary-folder.ts";

describeImports("memoryStore", async () => openPlace({ kind: "memory" }));
describeImports("sqliteStore", async () =>
  openPlace({ kind: "sqlite", path: join(temporaryFolder(), "threads.db") }),
);
