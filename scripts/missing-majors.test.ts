import { describe, expect, it } from "vitest";

import { missingMajors } from "./missing-majors.ts";

const packages = [
  { name: "@agent-history/core", dependencies: {} },
  { name: "@agent-history/filters", dependencies: { "@agent-history/core": "workspace:^" } },
  { name: "@agent-history/reducer", dependencies: { "@agent-history/core": "workspace:^" } },
  { name: "elsewhere", dependencies: {} },
];

describe("missingMajors", () => {
  it("asks for a major of every package that stands on core when core has one", () => {
    const releases = [
      { name: "@agent-history/core", type: "major" },
      { name: "@agent-history/filters", type: "major" },
      { name: "@agent-history/reducer", type: "minor" },
    ] as const;

    expect(missingMajors(releases, packages)).toEqual(["@agent-history/reducer"]);
  });

  it("asks for nothing when core changes by less", () => {
    const releases = [
      { name: "@agent-history/core", type: "minor" },
      { name: "@agent-history/filters", type: "major" },
    ] as const;

    expect(missingMajors(releases, packages)).toEqual([]);
  });
});
