import { join } from "node:path";

import { describeImports } from "../test-support/describe-imports.ts";
import { openTestStore } from "../test-support/open-test-store.ts";
import { temporaryFolder } from "../test-support/temporary-folder.ts";

describeImports("memoryStore", async () => openTestStore({ kind: "memory" }));
describeImports("sqliteStore", async () =>
  openTestStore({ kind: "sqlite", path: join(temporaryFolder(), "threads.db") }),
);
