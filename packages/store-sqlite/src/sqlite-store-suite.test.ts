import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { describeHistoryStore } from "@agent-history/testkit/store";
import { afterAll } from "vitest";

import { sqliteStore } from "./sqlite-store.ts";

const folder = mkdtempSync(join(tmpdir(), "store-sqlite-"));
afterAll(() => rmSync(folder, { recursive: true }));

describeHistoryStore("sqliteStore", (location) => sqliteStore({ path: join(folder, location) }), {
  runs: 10,
});
