import { HistoryError } from "@agent-history/core";
import { expect, it } from "vitest";

import { recordMetrics } from "../../store-sqlite/test-support/record-metrics.ts";
import { storeTelemetry } from "./store-telemetry.ts";

const SQLITE = { "db.system.name": "sqlite" };

function failing(code: "VERSION_CONFLICT" | "OUTCOME_UNKNOWN" | "HISTORY_REWOUND" | "ABORTED") {
  return () => Promise.reject(new HistoryError("secret", { code }));
}

it("measures a verb, and names it", async () => {
  const trace = storeTelemetry("early", "sqlite");
  await trace("ping", async () => {});
  const { values } = recordMetrics();

  await expect(trace("read", async () => "given")).resolves.toBe("given");

  expect(values).toEqual([
    {
      name: "duration",
      value: expect.toSatisfy((seconds) => seconds >= 0 && seconds < 60),
      attributes: { ...SQLITE, "db.operation.name": "read" },
    },
  ]);
});

it("measures a failure, with its code and none of its text", async () => {
  const trace = storeTelemetry("scope", "sqlite");
  const { values } = recordMetrics();

  await expect(trace("append", failing("VERSION_CONFLICT"))).rejects.toThrow("secret");
  await expect(trace("append", failing("OUTCOME_UNKNOWN"))).rejects.toThrow("secret");
  await expect(trace("read", failing("HISTORY_REWOUND"))).rejects.toThrow("secret");
  await expect(trace("read", failing("ABORTED"))).rejects.toThrow("secret");
  await expect(trace("read", () => Promise.reject(new Error("secret")))).rejects.toThrow("secret");

  const durations = values.filter(({ name }) => name === "duration");
  expect(durations.map(({ attributes }) => attributes["error.type"])).toEqual([
    "VERSION_CONFLICT",
    "OUTCOME_UNKNOWN",
    "HISTORY_REWOUND",
    "ABORTED",
    "unknown",
  ]);
  expect(JSON.stringify(values)).not.toContain("secret");
});
