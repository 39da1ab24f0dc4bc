import { mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { inspectPlans } from "../inspect-plans.ts";
import { writeInspectorPage } from "./write-inspector-page.ts";

const data = inspectPlans({ plans: [], entries: [], title: "A garden" });

async function inFolder(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "inspector-page-"));
  try {
    await use(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

describe("writeInspectorPage", () => {
  it("writes a page that only its owner may read, over a file that others may read too", async () => {
    await inFolder(async (folder) => {
      const path = join(folder, "page.html");
      await writeFile(path, "old", { mode: 0o666 });
      await writeInspectorPage(path, data);

      expect(await readFile(path, "utf8")).toContain("<title>A garden</title>");
      expect((await stat(path)).mode & 0o777).toBe(0o600);
      expect(await readdir(folder)).toEqual(["page.html"]);
    });
  });

  it("replaces a link, and leaves what it points at", async () => {
    await inFolder(async (folder) => {
      const [path, other] = [join(folder, "page.html"), join(folder, "other")];
      await writeFile(other, "kept");
      await symlink(other, path);
      await writeInspectorPage(path, data);

      expect(await readFile(other, "utf8")).toBe("kept");
    });
  });

  it("leaves nothing behind where it cannot write or was aborted", async () => {
    await inFolder(async (folder) => {
      const path = join(folder, "none", "page.html");
      await expect(writeInspectorPage(path, data)).rejects.toMatchObject({
        code: "INVALID_OPTION",
      });
      await expect(writeInspectorPage(folder, data)).rejects.toMatchObject({
        code: "INVALID_OPTION",
      });
      const signal = AbortSignal.abort();
      await expect(
        writeInspectorPage(join(folder, "page.html"), data, { signal }),
      ).rejects.toMatchObject({ code: "ABORTED" });

      expect(await readdir(folder)).toEqual([]);
    });
  });
});
