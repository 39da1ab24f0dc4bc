import type { FaultReport } from "../../../store-redis/test-support/faults/fault-report.ts";
import { reportOfMixed } from "../../../store-redis/test-support/faults/fault-report.ts";
import { startLoad } from "../../../store-redis/test-support/faults/load.ts";
import type { Load } from "../../../store-redis/test-support/faults/load.ts";
import { openAnyStore } from "../../../store-redis/test-support/open-any-store.ts";
import { cutInEveryVerb } from "../../../testkit/test-support/faults/mixed-writes.ts";
import { addressOf } from "../open-store.ts";
import { startPostgresServer } from "../servers/start-postgres-server.ts";
import { reportOnRows } from "./report-on-rows.ts";

/** Repeatedly kills all processes of the server under load, and restarts it on its data. */
export async function killServer(options: {
  readonly synchronousCommit: "on" | "off";
  readonly load: Load;
  readonly kills: number;
  /** Total entries to acknowledge. */
  readonly entries: number;
}): Promise<FaultReport> {
  const { synchronousCommit, load, kills, entries } = options;
  const settings = { synchronous_commit: synchronousCommit };
  await using server = await startPostgresServer({ settings });
  const address = addressOf(server.url);
  await using writers = await startLoad(address, load);
  for (let kill = 1; kill <= kills; kill += 1) {
    await writers.acknowledged((entries * kill) / (kills + 1));
    await server.kill9();
    await server.start();
  }
  await writers.acknowledged(entries);
  // Kills once more during writes: those in flight have no outcome.
  await server.kill9();
  const stopping = writers.finish("stop");
  await server.start();
  await stopping;
  return await reportOnRows(address, writers, { kills: kills + 1 });
}

/** Kills all processes of the server during every kind of write, and compares its content with that of a memory store after the same writes. */
export async function killInEveryVerb(options: { readonly kills: number }): Promise<FaultReport> {
  await using server = await startPostgresServer({ settings: { synchronous_commit: "on" } });
  const address = addressOf(server.url);
  const report = await cutInEveryVerb({
    open: async () => openAnyStore(address),
    cut: async () => server.kill9(),
    heal: async () => server.start(),
    cuts: options.kills,
  });
  return reportOfMixed(report);
}
