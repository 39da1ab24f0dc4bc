import { boundedMap } from "@agent-history/store-kit/indexed";
import { describe, expect, it } from "vitest";

import { nothingKnown } from "./known-threads.ts";

const at = (version: number, more: object = {}) => ({
  version,
  entryCount: version,
  replacements: 0,
  lastId: `e${version}`,
  ancestry: [],
  ...more,
});
const writer = { head: "head", facts: new Map<string, string | undefined>() };

describe("nothingKnown", () => {
  it("remembers the highest version that was seen", () => {
    const known = nothingKnown(10);

    known.see("t", at(5));
    known.see("t", at(3));

    expect(known.thread("t")?.version).toBe(5);
  });

  it("keeps the head to write from as long as it is the newest", () => {
    const known = nothingKnown(10);

    known.see("t", at(5, { writer }));
    known.see("t", at(5));
    const kept = known.thread("t")?.writer;
    known.see("t", at(6));

    expect(kept).toBe(writer);
    expect(known.thread("t")?.writer).toBeUndefined();
  });

  it("forgets a head, and the thread, when told to", () => {
    const known = nothingKnown(10);

    known.see("t", at(5, { writer }));
    known.forgetWriter("t");
    const afterHead = known.thread("t");
    known.forget("t");

    expect(afterHead).toEqual(at(5));
    expect(known.thread("t")).toBeUndefined();
  });
});

describe("boundedMap", () => {
  it("forgets what was not used for longest", () => {
    const map = boundedMap<number>(2);

    map.set("a", 1);
    map.set("b", 2);
    map.get("a");
    map.set("c", 3);

    expect([map.get("a"), map.get("b"), map.get("c")]).toEqual([1, undefined, 3]);
  });
});
