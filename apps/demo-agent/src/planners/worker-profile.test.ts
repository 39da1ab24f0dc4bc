import { describe, expect, it } from "vitest";

import { listWorkers, workerProfiles } from "./worker-profile.ts";

describe("workerProfiles", () => {
  it("has a worker for each kind of file that the folder holds, and no other", () => {
    const keys = (...paths: readonly string[]): readonly string[] =>
      workerProfiles(paths.map((path) => ({ path, lines: [] }))).map(({ key }) => key);

    expect(keys("a.json", "b.rs", "LICENSE")).toEqual([
      "source-reader",
      "document-reader",
      "data-reader",
    ]);
    expect(keys("a.md", "b/README")).toEqual(["document-reader"]);
    expect(keys(".gitignore", "a.YAML")).toEqual(["document-reader", "data-reader"]);
    expect(keys()).toEqual([]);
  });
});

describe("listWorkers", () => {
  it("gives each a line", () => {
    const workers = [
      { key: "a", description: "reads" },
      { key: "b", description: "writes" },
    ];

    expect(listWorkers(workers)).toBe("- a: reads\n- b: writes");
  });
});
