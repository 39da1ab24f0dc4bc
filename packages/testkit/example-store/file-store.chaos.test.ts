import { appendFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { assistantMessage, userMessage } from "@agent-history/core";
import { afterAll, describe, expect, it } from "vitest";

import { describeHistoryStore } from "../src/store/index.ts";
import { fileStore } from "./file-store.ts";

const folder = mkdtempSync(join(tmpdir(), "file-store-"));
afterAll(() => rmSync(folder, { recursive: true }));

describeHistoryStore("fileStore", (location) => fileStore({ path: join(folder, location) }));

describe("fileStore", () => {
  const question = userMessage({ id: "u1", content: "Is it kept?" });
  const answer = assistantMessage({ id: "a1", content: "Yes." });

  it("has what was done when it is opened again", async () => {
    const path = join(folder, "again");
    const before = fileStore({ path });
    await before.append("t", [question], { tokens: new Map([["counter", [4]]]) });
    await before.append("t", [answer]);
    await before.setState("t", "plan", { from: "u1" }, { expectedRevision: 0 });
    await before.setMetadata("t", { title: "Kept", user: "ada" });
    const written = await before.read("t");
    await before.close();

    const after = fileStore({ path });
    expect(await after.read("t")).toEqual(written);
    expect(await after.getState("t", "plan")).toEqual({ value: { from: "u1" }, revision: 1 });
    expect(await after.append("t", [answer])).toEqual({ version: 2, duplicate: true });
    expect(await after.getMetadata("t")).toMatchObject({ title: "Kept", user: "ada" });
    await after.close();
  });

  it("leaves out a line that a killed process did not finish, and goes on behind the last whole one", async () => {
    const path = join(folder, "torn");
    const before = fileStore({ path });
    await before.append("t", [question]);
    await before.close();
    const line = readFileSync(path, "utf8").replace("u1", "a1");
    appendFileSync(path, line.slice(0, -20));

    for (const version of [1, 2]) {
      const after = fileStore({ path });
      expect((await after.read("t")).version).toBe(version);
      await after.append("t", [answer]);
      await after.close();
    }
  });

  it("writes nothing of a call that was refused", async () => {
    const path = join(folder, "refused");
    const store = fileStore({ path });
    await store.append("t", [question]);
    const length = readFileSync(path).length;

    await expect(store.append("t", [answer], { expectedVersion: "none" })).rejects.toThrow(
      expect.objectContaining({ code: "VERSION_CONFLICT" }),
    );
    expect(readFileSync(path)).toHaveLength(length);
    await store.close();
  });
});
