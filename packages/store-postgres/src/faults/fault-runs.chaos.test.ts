import { expect, it } from "vitest";

import { describeWithPostgres } from "../../test-support/describe-with-postgres.ts";
import { failOver, failOverToLaggard } from "../../test-support/faults/fail-over.ts";
import { killServer } from "../../test-support/faults/kill-server.ts";
import { killWriters } from "../../test-support/faults/kill-writers.ts";
import { restartServer } from "../../test-support/faults/restart-server.ts";

const LOAD = { writers: 3, threads: 3, lanes: 2, batchSize: 3 };

await describeWithPostgres("postgresStore under load", () => {
  it("loses, doubles and tears nothing that it acknowledged where the server is killed", async () => {
    const { audit, violations } = await killServer({
      synchronousCommit: "on",
      load: LOAD,
      kills: 1,
      entries: 300,
    });
    expect(violations).toEqual([]);
    expect(audit.acknowledged).toBeGreaterThanOrEqual(300);
  });

  it("nor where its writers are", async () => {
    const { figures, violations } = await killWriters({ load: LOAD, kills: 2, everyEntries: 100 });
    expect(violations).toEqual([]);
    expect(figures["kills"]).toBe(2);
  });

  it("nor where the server restarts", async () => {
    const { violations } = await restartServer({ load: LOAD, restarts: 1, everyEntries: 100 });
    expect(violations).toEqual([]);
  });

  it("nor where a synchronous standby takes over after the waits for it were cut", async () => {
    const { figures, violations } = await failOver({ load: LOAD, waits: 20, everyEntries: 150 });
    expect(violations).toEqual([]);
    expect(figures["waits ended"]).toBeGreaterThanOrEqual(20);
  });

  it("says with HISTORY_REWOUND what a standby that lagged had not heard", async () => {
    const { audit, figures, violations } = await failOverToLaggard({ threads: 4, batches: 4 });
    expect(violations).toEqual([]);
    expect(audit.missing).toBe(4 * 4 * 3);
    expect(figures["threads told of"]).toBe(4);
  });
});
