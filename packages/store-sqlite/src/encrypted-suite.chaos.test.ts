import { existsSync, readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";

import { encryptedDriver } from "@agent-history/store-kit/encryption";
import { describeHistoryStore } from "@agent-history/testkit/store";
import { expect, it } from "vitest";

import { PLAIN, testKeys, writePlain } from "../../testkit/test-support/encrypted.ts";
import { temporaryFile } from "../test-support/temporary-folder.ts";
import { sqliteStore } from "./sqlite-store.ts";

const encryption = testKeys();
const files = new Map<string, string>();

const openStore = (path: string) =>
  sqliteStore({ path, wrapDriver: (driver) => encryptedDriver(driver, encryption) });

describeHistoryStore(
  "sqliteStore, encrypted,",
  (location) => {
    const path = files.get(location) ?? temporaryFile();
    files.set(location, path);
    return openStore(path);
  },
  { runs: 3 },
);

it("has no plain text of 10,000 entries in the bytes of the file and its log", async () => {
  const path = temporaryFile();
  const store = openStore(path);
  await writePlain(store);
  const bytes = [path, `${path}-wal`]
    .filter((file) => existsSync(file))
    .map((file) => readFileSync(file, "latin1"))
    .join("");
  expect(bytes.length).toBeGreaterThan(10_000_000 / 10);
  expect(bytes).not.toMatch(PLAIN);
  await store.close();
  new DatabaseSync(path).close();
});
