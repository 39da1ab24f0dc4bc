import { action, observation } from "@agent-history/core";
import type { HistoryEntry } from "@agent-history/core";
import { describe, expect, it } from "vitest";

import { fileLedger, isFilePath } from "./file-ledger.ts";
import { readCalls } from "./read-calls.ts";

let calls = 0;
function made(
  name: string,
  args: unknown,
  outcome: "success" | "error" = "success",
): readonly HistoryEntry[] {
  calls += 1;
  const id = `c${calls}`;
  const text = typeof args === "string" ? args : JSON.stringify(args);
  return [
    action({ toolCalls: [{ id, name, arguments: text }] }),
    observation({ callId: id, toolName: name, outcome, content: "" }),
  ];
}

function ledgerOf(...entries: readonly (readonly HistoryEntry[])[]): readonly string[] {
  return fileLedger(readCalls(entries.flat())).map(({ path, isChanged, state }) =>
    [path, isChanged ? "changed" : "read", ...(state === undefined ? [] : [state])].join(" "),
  );
}

describe("fileLedger", () => {
  it("tells files that were changed from files that were read, by the shape of the call", () => {
    expect(
      ledgerOf(
        made("Read", { file_path: "src/a.ts" }),
        made("str_replace_editor", { path: "src/b.ts", old_str: "x", new_str: "y" }),
        made("shell", { command: ["bash", "-lc", "cat src/c.ts > out.txt; echo done"] }),
        made("search", { pattern: "value.ts is here", path: "src/d.py" }),
      ),
    ).toEqual([
      "src/a.ts read",
      "src/b.ts changed",
      "src/c.ts read",
      "out.txt read",
      "src/d.py read",
    ]);
  });

  it("says what became of a file last", () => {
    const path = "src/a.ts";
    const edit = { path, old_string: "x", new_string: "y" };

    expect(ledgerOf(made("write_file", { path, content: "x" }))).toEqual([`${path} changed new`]);
    expect(ledgerOf(made("read", { path }), made("edit", edit, "error"))).toEqual([
      `${path} changed last edit failed`,
    ]);
    expect(ledgerOf(made("edit", edit, "error"), made("edit", edit))).toEqual([`${path} changed`]);
    expect(
      ledgerOf(made("write_file", { path, content: "" }), made("delete_file", { path })),
    ).toEqual([`${path} changed deleted`]);
  });

  it("reads the heads of patches", () => {
    const patch =
      "*** Begin Patch\n*** Add File: n.ts\n+x\n*** Update File: src/o.ts\n@@\n*** End Patch";

    expect(ledgerOf(made("apply_patch", { input: patch }), made("apply_patch", patch))).toEqual([
      "n.ts changed new",
      "src/o.ts changed",
    ]);
  });

  it("names each file once, where it was named last", () => {
    const read = (path: string): readonly HistoryEntry[] => made("read", { path });

    expect(ledgerOf(read("a.ts"), read("b.ts"), read("a.ts"))).toEqual(["b.ts read", "a.ts read"]);
  });
});

describe("isFilePath", () => {
  it.each(["src/a.ts", "Makefile", ".gitignore", "/etc/x.conf", "a.test.tsx"])(
    "takes %s",
    (word) => {
      expect(isFilePath(word)).toBe(true);
    },
  );

  it.each([
    "mu.Lock",
    ".user.login",
    "origin/main",
    "src/",
    "https://a.example/x.html",
    ".../x.go",
  ])("does not take %s", (word) => {
    expect(isFilePath(word)).toBe(false);
  });
});
