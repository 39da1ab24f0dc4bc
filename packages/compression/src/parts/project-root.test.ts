import { describe, expect, it } from "vitest";

import { pathForms } from "./project-root.ts";

describe("pathForms", () => {
  it("finds the folder that relative paths start from", () => {
    const used = ["/home/ann/p/src/a.ts", "/home/ann/p/src/b.ts", "/home/ann/p/docs/c.md"];
    const { root, short } = pathForms(used, ["src/a.ts", "docs/c.md", "/usr/lib/x.so"]);

    expect(root).toBe("/home/ann/p");
    expect([...used, "./src/a.ts", "/usr/lib/x.so", "b/src/a.ts"].map(short)).toEqual([
      "src/a.ts",
      "src/b.ts",
      "docs/c.md",
      "src/a.ts",
      "/usr/lib/x.so",
      "src/a.ts",
    ]);
  });

  it("takes the folder that most share where no relative path says more, and none where there is nothing", () => {
    expect(pathForms(["/w/p/src/a.ts", "/w/p/src/b.ts"], []).root).toBe("/w/p/src");
    expect(pathForms([], ["src/a.ts"]).root).toBe("");
    expect(pathForms([], []).short("a/b.ts")).toBe("a/b.ts");
  });
});
