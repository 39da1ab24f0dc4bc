import { symlink } from "node:fs/promises";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { temporaryFolder } from "../../test-support/temporary-folder.ts";
import { readTextFile } from "./read-text-file.ts";

describe("readTextFile", () => {
  it("follows no link, also where one has come in place of a file since the folder was listed", async () => {
    await using folder = await temporaryFolder({ "a.txt": "secret" });
    await symlink("a.txt", join(folder.path, "b.txt"));

    expect(await readTextFile(join(folder.path, "b.txt"), { maxBytes: 100 })).toEqual({
      kind: "skipped",
      reason: "unreadable",
    });
  });

  it("gives the text and its size in bytes", async () => {
    await using folder = await temporaryFolder({ "a.txt": "é" });

    expect(await readTextFile(join(folder.path, "a.txt"), { maxBytes: 2 })).toEqual({
      kind: "text",
      text: "é",
      sizeBytes: 2,
    });
  });
});
