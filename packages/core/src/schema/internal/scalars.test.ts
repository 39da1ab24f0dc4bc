import { afterEach, describe, expect, it, vi } from "vitest";

afterEach(() => vi.doUnmock("zod"));

describe("the schemas", () => {
  it("name the version of zod that they need where it is too old", async () => {
    vi.doMock("zod", () => ({ exactOptional: undefined }));

    await expect(import("../index.ts")).rejects.toMatchObject({
      code: "MISSING_PACKAGE",
      details: { package: "zod", needs: ">=4.3" },
    });
  });
});
