import { describe, expect, it } from "vitest";

import { findExports, findMembers } from "./find-exports.ts";

describe("findExports", () => {
  it("finds values and types, under the names they are exported by", () => {
    const module =
      'export { a, b as c } from "./a.js";\nexport type { T } from "./t.js";\nexport declare function f(): void;';

    expect(findExports("index.d.ts", module)).toEqual(["a", "c", "T", "f"]);
  });
});

describe("findMembers", () => {
  it("finds fields and methods of interfaces, exported or not", () => {
    const module =
      "export interface A { readonly x?: number; y(): void }\ninterface B { z: string }\ntype C = { w: 1 };";

    expect(findMembers("a.d.ts", module)).toEqual(["A.x", "A.y", "B.z"]);
  });
});
