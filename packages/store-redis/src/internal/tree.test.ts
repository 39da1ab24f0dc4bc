import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { locateThread } from "./tree-keys.ts";
import { decodeAncestry, encodeAncestry, namesToDelete, treeOf } from "./tree.ts";

/** A tree whose root was forked as `a`, which was forked as `a/b`; each has a log, and a stream of references. */
function treeWith(values: Readonly<Record<string, string>>) {
  const names = Object.entries(values).flatMap(([branch, value]) => [
    `${branch}:m`,
    value,
    `${branch}:l`,
    "",
    `${branch}:r:l`,
    "",
  ]);
  return treeOf(["r", "7", "x", "123", ...names]);
}

const ofRoot = encodeAncestry([{ branch: "", upTo: 3 }]);

describe("treeOf", () => {
  it("reads names and revision", () => {
    const { revision, names } = treeWith({ "": "" });

    expect(revision).toBe(7);
    expect([...names.keys()]).toEqual([":m", ":l", ":r:l"]);
  });
});

describe("encodeAncestry", () => {
  it("is read back as it was", () => {
    const ancestor = fc.record({ branch: fc.string(), upTo: fc.nat() });
    fc.assert(
      fc.property(fc.array(ancestor), (drawn) => {
        const ancestry = drawn.toSorted((one, other) => one.upTo - other.upTo);
        expect(decodeAncestry(encodeAncestry(ancestry))).toEqual(ancestry);
      }),
    );
    expect([decodeAncestry(undefined), decodeAncestry(""), decodeAncestry("d")]).toEqual([
      [],
      [],
      [],
    ]);
  });
});

describe("namesToDelete", () => {
  const root = locateThread("n", "t");
  const fork = locateThread("n", "t/a");

  it("deletes all but the tombstone of a thread without forks", () => {
    expect(namesToDelete(treeWith({ "": "" }), root)).toEqual([":l", ":r:l"]);
  });

  it("keeps a log that a fork still shares", () => {
    expect(namesToDelete(treeWith({ "": "", "/a": ofRoot }), root)).toEqual([":r:l"]);
  });

  it("deletes with the last fork the log of its deleted parent", () => {
    expect(namesToDelete(treeWith({ "": "d", "/a": ofRoot }), fork)).toEqual([
      ":l",
      "/a:l",
      "/a:r:l",
    ]);
  });

  it("keeps the log of a living parent, and of another fork", () => {
    expect(namesToDelete(treeWith({ "": "", "/a": ofRoot, "/b": ofRoot }), fork)).toEqual([
      "/a:l",
      "/a:r:l",
    ]);
    expect(namesToDelete(treeWith({ "": "d", "/a": ofRoot, "/b": ofRoot }), fork)).toEqual([
      "/a:l",
      "/a:r:l",
    ]);
  });
});
