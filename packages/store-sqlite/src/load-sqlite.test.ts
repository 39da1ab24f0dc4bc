import { describe, expect, it, vi } from "vitest";

import { loadSqlite } from "./load-sqlite.ts";
import type { ModuleHost } from "./load-sqlite.ts";

describe("loadSqlite", () => {
  it("names the Node that is needed where this one has no node:sqlite", () => {
    const host: ModuleHost = {
      version: "v22.12.0",
      getBuiltinModule: () => undefined,
      emitWarning: () => {},
    };
    expect(() => loadSqlite(host)).toThrow(
      expect.objectContaining({
        code: "STORE_UNAVAILABLE",
        message: expect.stringMatching(/22\.13.*v22\.12\.0/),
      }),
    );
  });

  it("keeps the warning of an experimental module quiet, and no other", () => {
    const emitWarning = vi.fn<(...warning: unknown[]) => void>();
    const host: ModuleHost = {
      version: "v22.23.3",
      getBuiltinModule: (id) => {
        host.emitWarning("SQLite is an experimental feature", "ExperimentalWarning");
        return process.getBuiltinModule(id);
      },
      emitWarning,
    };
    expect(loadSqlite(host).DatabaseSync).toBeDefined();
    expect(emitWarning).not.toHaveBeenCalled();
    expect(host.emitWarning).toBe(emitWarning);
  });
});
