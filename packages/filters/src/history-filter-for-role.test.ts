import { describe, expect, it } from "vitest";

import { historyFilterForRole } from "./history-filter-for-role.ts";

describe("historyFilterForRole", () => {
  it("gives each role its filter, and none the default", () => {
    expect(historyFilterForRole("orchestrator").name).toBe("orchestrator");
    expect(historyFilterForRole("manager").name).toBe("manager");
    expect(historyFilterForRole("worker").name).toBe("worker");
    expect(historyFilterForRole().name).toBe("default");
  });

  it("refuses a role that does not exist, and says which do", () => {
    const role: "worker" = JSON.parse('"boss"');
    expect(() => historyFilterForRole(role)).toThrowError(/orchestrator, manager, worker/u);
  });
});
