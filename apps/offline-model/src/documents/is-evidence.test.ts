import { describe, expect, it } from "vitest";

import { isEvidence } from "./is-evidence.ts";

describe("isEvidence", () => {
  it.each([
    "chaos/mutations/filters.patch",
    "src/a.test.ts",
    "test-support/model-server/wire.ts",
    "fixtures/a.json",
    "pnpm-lock.yaml",
    "dist/a.js.map",
  ])("takes %s for none: a change, a test, or what a program wrote", (path) => {
    expect(isEvidence(path)).toBe(false);
  });

  it.each(["docs/test.md", "spec/README.md", "src/a.ts", "config/a.json", "LICENSE"])(
    "takes %s for a document",
    (path) => {
      expect(isEvidence(path)).toBe(true);
    },
  );
});
