import { execFileSync } from "node:child_process";
import { mkdir, symlink, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { temporaryFolder } from "../../test-support/temporary-folder.ts";
import { openFolder } from "./open-folder.ts";
import type { DocumentFolder } from "./open-folder.ts";

describe("openFolder", () => {
  it("reads every text file below the folder, in the order of their paths", async () => {
    await using folder = await temporaryFolder({
      "b.md": "two\r\nlines",
      "a/z.txt": "",
      "a/B.txt": "\uFEFFafter a mark",
      "Z.txt": "ünïcödé",
    });

    const { documents, skipped } = await openFolder(folder.path);

    expect(documents).toEqual([
      { path: "Z.txt", lines: ["ünïcödé"] },
      { path: "a/B.txt", lines: ["after a mark"] },
      { path: "a/z.txt", lines: [""] },
      { path: "b.md", lines: ["two", "lines"] },
    ]);
    expect(skipped).toEqual([]);
  });

  it("leaves out what is never read and what a .gitignore names, the inner one last", async () => {
    await using folder = await temporaryFolder({
      ".git/config": "secret",
      "node_modules/x/index.js": "x",
      "deep/node_modules/x/index.js": "x",
      ".gitignore": "*.log\nprivate/\n/top.txt\n",
      "a.log": "ignored",
      "private/diary.md": "ignored",
      "top.txt": "ignored",
      "deep/top.txt": "kept: the rule is for the top",
      "deep/.gitignore": "!kept.log\nnotes*\n",
      "deep/kept.log": "kept",
      "deep/notes.md": "ignored",
      "notes.md": "kept: the rule is for deep",
    });

    const opened = await openFolder(folder.path);

    expect(paths(opened)).toEqual([
      ".gitignore",
      "deep/.gitignore",
      "deep/kept.log",
      "deep/top.txt",
      "notes.md",
    ]);
    expect(skips(opened)).toEqual([
      "ignored .git",
      "ignored a.log",
      "ignored deep/node_modules",
      "ignored deep/notes.md",
      "ignored node_modules",
      "ignored private",
      "ignored top.txt",
    ]);
  });

  it("follows no link, in the folder or out of it", async () => {
    await using outside = await temporaryFolder({ "secret.txt": "secret", "sub/secret.txt": "s" });
    await using folder = await temporaryFolder({ "a.txt": "a", "sub/b.txt": "b" });
    await symlink(join(outside.path, "secret.txt"), join(folder.path, "file-out"));
    await symlink(join(outside.path, "sub"), join(folder.path, "folder-out"));
    await symlink("a.txt", join(folder.path, "file-in"));
    await symlink(".", join(folder.path, "sub", "round"));
    await symlink("..", join(folder.path, "up"));
    await symlink("nowhere", join(folder.path, "broken"));
    await symlink(join(outside.path, "secret.txt"), join(folder.path, "sub", ".gitignore"));

    const opened = await openFolder(folder.path);

    expect(paths(opened)).toEqual(["a.txt", "sub/b.txt"]);
    expect(skips(opened)).toEqual([
      "link file-in",
      "link sub/round",
      "link-out file-out",
      "link-out folder-out",
      "link-out sub/.gitignore",
      "link-out up",
      "unreadable broken",
    ]);
  });

  it("takes a sibling whose name begins alike for what it is: outside", async () => {
    await using parent = await temporaryFolder({ "docs/a.txt": "a", "docs-private/b.txt": "b" });
    await symlink("../docs-private", join(parent.path, "docs", "private"));

    const opened = await openFolder(join(parent.path, "docs"));

    expect(skips(opened)).toEqual(["link-out private"]);
  });

  it("says why it does not read what is no text, too large, or no file", async () => {
    await using folder = await temporaryFolder({
      "image.png": new Uint8Array([137, 80, 78, 71, 0, 1]),
      "latin1.txt": new Uint8Array([0x63, 0x61, 0x66, 0xe9]),
      "named-like-a-file.md/inner.txt": "read",
      "exactly.txt": "x".repeat(1_000),
    });
    await writeFile(join(folder.path, "huge.txt"), "");
    await truncate(join(folder.path, "huge.txt"), 5_000_000_000);
    execFileSync("mkfifo", [join(folder.path, "pipe")]);

    const opened = await openFolder(folder.path, { maxFileBytes: 1_000 });

    expect(paths(opened)).toEqual(["exactly.txt", "named-like-a-file.md/inner.txt"]);
    expect(skips(opened)).toEqual([
      "binary image.png",
      "binary latin1.txt",
      "not-a-file pipe",
      "too-large huge.txt",
    ]);
  });

  it("stops at the limits of the whole folder and says where", async () => {
    await using folder = await temporaryFolder({ "a.txt": "12345", "b.txt": "12345", "c.txt": "" });

    const bySize = await openFolder(folder.path, { maxTotalBytes: 9 });
    const byCount = await openFolder(folder.path, { maxFiles: 2 });

    expect([paths(bySize), skips(bySize)]).toEqual([["a.txt"], ["limit b.txt"]]);
    expect([paths(byCount), skips(byCount)]).toEqual([["a.txt", "b.txt"], ["limit c.txt"]]);
  });

  it("opens a folder by a link to it, and resolves the link", async () => {
    await using folder = await temporaryFolder({ "real/a.txt": "a" });
    await symlink("real", join(folder.path, "alias"));

    const opened = await openFolder(join(folder.path, "alias"));

    expect(opened.root).toBe(join(folder.path, "real"));
    expect(paths(opened)).toEqual(["a.txt"]);
  });

  it("refuses a folder that does not exist, and a file", async () => {
    await using folder = await temporaryFolder({ "a.txt": "a" });

    await expect(openFolder(join(folder.path, "none"))).rejects.toMatchObject({
      code: "NOT_FOUND",
      details: { path: join(folder.path, "none") },
      cause: { code: "ENOENT" },
      message: expect.stringContaining("Expected a folder at"),
    });
    await expect(openFolder(join(folder.path, "a.txt"))).rejects.toMatchObject({
      code: "NOT_FOUND",
      message: expect.stringContaining("found a file"),
    });
  });

  it("opens an empty folder", async () => {
    await using folder = await temporaryFolder({});
    await mkdir(join(folder.path, "empty"));

    expect(await openFolder(folder.path)).toEqual({
      root: folder.path,
      documents: [],
      sizeBytes: 0,
      skipped: [],
    });
  });

  it("stops when the signal fires", async () => {
    await using folder = await temporaryFolder({ "a.txt": "a" });

    await expect(openFolder(folder.path, { signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: "ABORTED",
    });
  });
});

function paths({ documents }: DocumentFolder): readonly string[] {
  return documents.map(({ path }) => path);
}

function skips({ skipped }: DocumentFolder): readonly string[] {
  return skipped.map(({ path, reason }) => `${reason} ${path}`).toSorted();
}
