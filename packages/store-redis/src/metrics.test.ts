import { userMessage } from "@agent-history/core";
import { createClient } from "redis";
import { expect, it, onTestFinished } from "vitest";

import { recordMetrics } from "../../store-sqlite/test-support/record-metrics.ts";
import { recordSpans } from "../../store-sqlite/test-support/record-spans.ts";
import { faultClient } from "../test-support/fault-client.ts";
import { startJsRedisServer } from "../test-support/servers/start-js-redis-server.ts";
import { redisStore } from "./redis-store.ts";

const message = (id: string) => userMessage({ id, createdAtMs: 1, content: "Hello" });

it("counts commands that were sent once more, and measures failures", async () => {
  const server = await startJsRedisServer();
  const inner = createClient({ url: server.url });
  await inner.connect();
  onTestFinished(async () => {
    inner.destroy();
    await server.stop();
  });
  const { client, loseNextAnswer, freeze } = faultClient(inner);
  const patient = redisStore({ client, namespace: "patient", timeoutMs: 120_000 });
  const hasty = redisStore({ client, namespace: "hasty", timeoutMs: 100 });
  await hasty.ping();
  const { values } = recordMetrics();
  const spans = recordSpans();

  await patient.append("t", [message("a")]);
  loseNextAnswer();
  await patient.append("t", [message("b")]);
  const retries = spans.map(({ attributes }) => attributes["agent_history.retries"]);
  expect(retries).toEqual([undefined, 1]);

  const conflict = patient.append("t", [], { expectedVersion: 7 });
  await expect(conflict).rejects.toMatchObject({ code: "VERSION_CONFLICT" });

  freeze(true);
  const frozen = hasty.append("t", [message("c")]);
  await expect(frozen).rejects.toMatchObject({ code: "OUTCOME_UNKNOWN" });
  const durations = values.filter(({ name }) => name === "duration");
  const failures = durations.map(({ attributes }) => attributes["error.type"]);
  expect(failures).toEqual([undefined, undefined, "VERSION_CONFLICT", "OUTCOME_UNKNOWN"]);
});
