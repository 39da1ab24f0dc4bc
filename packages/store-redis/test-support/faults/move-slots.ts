import { eventually } from "../eventually.ts";
import { startRedisCluster } from "../servers/start-redis-cluster.ts";
import type { RedisCluster } from "../servers/start-redis-cluster.ts";
import { reportOn } from "./fault-report.ts";
import type { FaultReport } from "./fault-report.ts";
import { startLoad } from "./load.ts";
import type { Load } from "./load.ts";

/** Moves slots of a cluster between nodes while their threads are written. */
export async function moveSlots(options: {
  readonly load: Omit<Load, "batches">;
  /** Number of rounds, each of which moves slots from one node to another. */
  readonly rounds: number;
  /** Slots with threads to move in each round, from the node that has the most of them. */
  readonly slots: number;
  /** Entries to acknowledge before the first round, between two rounds, and after the last one. */
  readonly everyEntries: number;
}): Promise<FaultReport> {
  const { load, rounds, slots, everyEntries } = options;
  await using cluster = await startRedisCluster();
  const address = { urls: cluster.urls, namespace: "slots" };
  await using writers = await startLoad(address, load);
  await eventually(
    "all threads are written to",
    () => writers.ledger.acknowledgedThreads() === load.threads,
  );
  let [moves, keys] = [0, 0];
  for (let round = 0; round < rounds; round += 1) {
    await writers.acknowledgedMore(everyEntries);
    const { node: from, held } = await fullestNode(cluster);
    for (const slot of held.slice(0, slots)) {
      keys += await moveSlot(cluster, { slot, from, to: (from + 1) % cluster.nodes.length });
      moves += 1;
    }
    await agreed(cluster);
  }
  await writers.acknowledgedMore(everyEntries);
  await writers.finish("stop");
  const report = await reportOn(address, writers, { moves, keys });
  const failed = [...writers.failures.values()].reduce((sum, count) => sum + count, 0);
  const errors = failed === 0 ? [] : [`${failed} errors reached the caller`];
  return { ...report, violations: [...report.violations, ...errors] };
}

/** The node with the most slots that contain threads, and these slots. */
async function fullestNode(
  cluster: RedisCluster,
): Promise<{ readonly node: number; readonly held: readonly string[] }> {
  let fullest: { readonly node: number; readonly held: readonly string[] } = { node: 0, held: [] };
  for (const [node] of cluster.nodes.entries()) {
    const held = await slotsOfThreads(cluster, node);
    if (held.length > fullest.held.length) fullest = { node, held };
  }
  return fullest;
}

async function slotsOfThreads(cluster: RedisCluster, node: number): Promise<string[]> {
  const keys = await cluster.command(node, "KEYS", "*{slots:thread-*}*");
  const slots = new Set<string>();
  for (const key of Array.isArray(keys) ? keys : []) {
    slots.add(String(await cluster.command(node, "CLUSTER", "KEYSLOT", String(key))));
  }
  return [...slots];
}

/** Moves a slot as `redis-cli --cluster reshard` does: meanwhile its keys are split between two nodes. */
async function moveSlot(
  cluster: RedisCluster,
  { slot, from, to }: { readonly slot: string; readonly from: number; readonly to: number },
): Promise<number> {
  const [source = "", target = ""] = [cluster.ids[from], cluster.ids[to]];
  const port = String(cluster.nodes[to]?.port);
  await cluster.command(to, "CLUSTER", "SETSLOT", slot, "IMPORTING", source);
  await cluster.command(from, "CLUSTER", "SETSLOT", slot, "MIGRATING", target);
  let moved = 0;
  for (;;) {
    // Moves one key at a time, so that scripts encounter threads with only some of their keys moved.
    const keys = await cluster.command(from, "CLUSTER", "GETKEYSINSLOT", slot, "1");
    if (!Array.isArray(keys) || keys.length === 0) break;
    for (const key of keys) {
      await cluster.command(from, "MIGRATE", "127.0.0.1", port, String(key), "0", "60000");
    }
    moved += keys.length;
  }
  // Assigns the slot on the target first, so that the target does not redirect commands back.
  await cluster.command(to, "CLUSTER", "SETSLOT", slot, "NODE", target);
  for (const [node] of cluster.nodes.entries()) {
    await cluster.command(node, "CLUSTER", "SETSLOT", slot, "NODE", target);
  }
  return moved;
}

/** Waits until the nodes agree on slot owners: they exchange this slowly, and a move before that would be reverted. */
async function agreed(cluster: RedisCluster): Promise<void> {
  await eventually("the nodes agree", async () => {
    const views = cluster.nodes.map(async (_, node) => {
      const info = String(await cluster.command(node, "CLUSTER", "INFO"));
      const nodes = String(await cluster.command(node, "CLUSTER", "NODES"));
      const owners = nodes
        .split("\n")
        .map((line) => [line.slice(0, 40), ...line.split(" ").slice(8)]);
      const own = owners.map((owner) => owner.filter((part) => !part.startsWith("[")).join(" "));
      return `${/cluster_current_epoch:\d+/u.exec(info)?.[0]} ${own.toSorted().join(", ")}`;
    });
    return new Set(await Promise.all(views)).size === 1;
  });
}
