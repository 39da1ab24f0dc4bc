import { arbitraryId, lawRuns } from "@agent-history/testkit";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { fixedKeys, indexKey, locateThread, referencesKey } from "./tree-keys.ts";

const text = fc.oneof(
  fc.string({ unit: "binary", minLength: 1 }),
  fc.string({ unit: fc.constantFrom("a", "/", ":", "{", "}", "%", "*", "m"), minLength: 1 }),
  arbitraryId(),
);

/** What a cluster hashes: the text between the first `{` and the next `}`. */
const hashTag = (key: string): string | undefined => /\{([^}]+)\}/.exec(key)?.[1];

describe("placeOfThread", () => {
  it("puts all keys of a tree, and no other's, under one hash tag", () => {
    fc.assert(
      fc.property(text, text, text, (namespace, root, branch) => {
        const [tree = ""] = root.split("/");
        const location = locateThread(namespace, `${tree}/${branch}`);
        const keys = [
          ...fixedKeys(location),
          ...fixedKeys(locateThread(namespace, tree)),
          referencesKey(location, branch),
        ];
        expect(new Set(keys.map(hashTag)).size).toBe(1);
        for (const key of keys) expect(key).toMatch(/^ah:\{[\w.%-]+:[\w.%-]*\}[\w.%:/-]+$/);
      }),
    );
  });

  it("gives no two threads or namespaces a key in common", () => {
    const thread = fc.tuple(text, text);
    fc.assert(
      fc.property(thread, thread, text, text, (one, other, stream, otherStream) => {
        fc.pre(one[0] !== other[0] || one[1] !== other[1]);
        const keys = placeKeys(one, stream);
        const others = new Set(placeKeys(other, otherStream));
        const isOneTree = one[0] === other[0] && one[1].split("/")[0] === other[1].split("/")[0];
        const shared = keys.filter((key) => others.has(key));
        expect(shared).toEqual(isOneTree ? [locateThread(...one).tree] : []);
      }),
      { numRuns: lawRuns(500) },
    );
  });

  it("keeps the index of threads apart from every thread", () => {
    fc.assert(
      fc.property(text, text, fc.nat(15), (namespace, threadId, shard) => {
        const key = indexKey(namespace, shard);
        expect(key.startsWith(locateThread(namespace, threadId).tag)).toBe(false);
      }),
    );
  });
});

function placeKeys([namespace, threadId]: readonly [string, string], stream: string): string[] {
  const location = locateThread(namespace, threadId);
  return [...fixedKeys(location), referencesKey(location, stream)];
}
