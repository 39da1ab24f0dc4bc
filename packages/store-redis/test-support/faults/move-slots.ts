import { eventually } from "../eventually.ts";
import { startRedisCluster } from "../servers/start-redis-cluster.ts";
import type { RedisCluster } from "../servers/start-redis-cluster.ts";
import { reportOn } from "./fault-report.ts";
import type { FaultReport } from "./fault-report.ts";
import { startLoad } from "./load.ts";
import type { Load } from "./load.ts";

/** Moves slots of a cluster from node to node while they are written to, those that hold keys above all. */
export async function moveSlots(options: {
  readonly load: Load;
  /** How often slots are moved from one node to the next. */
  readonly rounds: number;
  /** How many slots that hold keys are moved in each round. */
  readonly slots: number;
  /** How many entries are to be acknowledged before it begins. */
  readonly warmUp: number;
}): Promise<FaultReport> {
  await using cluster = await startRedisCluster();
  const address = { urls: cluster.urls, namespace: "slots" };
  await using writers = await startLoad(address, options.load);
  await writers.acknowledged(options.warmUp);
  let [moves, keys] = [0, 0];
  for (let round = 0; round < options.rounds; round += 1) {
    const from = round % cluster.nodes.length;
    const held = await slotsWithKeys(cluster, from);
    for (const slot of held.slice(0, options.slots)) {
      keys += await moveSlot(cluster, { slot, from, to: (from + 1) % cluster.nodes.length });
      moves += 1;
    }
    await agreed(cluster);
  }
  await writers.finish("stop");
  const report = await reportOn(address, writers, { moves, keys });
  const failed = [...writers.failures.values()].reduce((sum, count) => sum + count, 0);
  const errors = failed === 0 ? [] : [`${failed} errors reached the caller`];
  return { ...report, violations: [...report.violations, ...errors] };
}

async function slotsWithKeys(cluster: RedisCluster, node: number): Promise<string[]> {
  const keys = await cluster.command(node, "KEYS", "*");
  const slots = new Set<string>();
  for (const key of Array.isArray(keys) ? keys : []) {
    slots.add(String(await cluster.command(node, "CLUSTER", "KEYSLOT", String(key))));
  }
  return [...slots];
}

/** As `redis-cli --cluster reshard` does it: the slot is half here, half there for a while. */
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
    // One key at a time, so that scripts meet a thread of which some keys have gone ahead.
    const keys = await cluster.command(from, "CLUSTER", "GETKEYSINSLOT", slot, "1");
    if (!Array.isArray(keys) || keys.length === 0) break;
    for (const key of keys) {
      await cluster.command(from, "MIGRATE", "127.0.0.1", port, String(key), "0", "5000");
    }
    moved += keys.length;
  }
  // The target first: nobody then sends it away.
  await cluster.command(to, "CLUSTER", "SETSLOT", slot, "NODE", target);
  for (const [node] of cluster.nodes.entries()) {
    await cluster.command(node, "CLUSTER", "SETSLOT", slot, "NODE", target);
  }
  return moved;
}

/** Nodes tell each other slowly who won which slot; one that moves on before that takes back what it gave. */
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
