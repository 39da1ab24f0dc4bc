import { afterEach, describe, expect, it, vi } from "vitest";

import { loadAi } from "./load-ai.ts";

afterEach(() => vi.doUnmock("ai"));

describe("loadAi", () => {
  it("names the package to install where it is missing", async () => {
    vi.doMock("ai", () => {
      throw new Error("Cannot find package 'ai'");
    });

    await expect(loadAi()).rejects.toMatchObject({
      code: "MISSING_PACKAGE",
      details: { package: "ai" },
      message: expect.stringContaining("npm install ai"),
    });
  });

  it("names the version to install where it is too old", async () => {
    vi.doMock("ai", () => ({ generateText: () => undefined }));

    await expect(loadAi()).rejects.toMatchObject({
      code: "MISSING_PACKAGE",
      details: { package: "ai", needs: ">=5" },
      message: expect.stringContaining("npm install ai@latest"),
    });
  });

  it("gives the AI SDK where it is installed", async () => {
    expect(await loadAi()).toHaveProperty("generateText");
  });
});
