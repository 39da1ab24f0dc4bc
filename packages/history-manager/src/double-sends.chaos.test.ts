import { join } from "node:path";

import { describeDoubleSends } from "../test-support/describe-double-sends.ts";
import { temporaryFolder } from "../test-support/temporary-folder.ts";

describeDoubleSends("sqliteStore", async () => ({
  kind: "sqlite",
  path: join(temporaryFolder(), "threads.db"),
}));
