import { createClient } from "redis";

import { eventually } from "../eventually.ts";
import { startRedisServer } from "./start-redis-server.ts";
import type { RedisServer } from "./start-redis-server.ts";

const SLOTS = 16_384;

/** A cluster of primaries without replicas. */
export interface RedisCluster {
  readonly urls: readonly string[];
  readonly nodes: readonly RedisServer[];
  /** Sends a command to one node, regardless of its keys. */
  readonly command: (node: number, ...args: readonly string[]) => Promise<unknown>;
  /** The nodes' cluster ids, in the order of `nodes`. */
  readonly ids: readonly string[];
  readonly stop: () => Promise<void>;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
}

/** Starts a cluster of three primaries that share the slots evenly, and waits until all of them agree. */
export async function startRedisCluster(): Promise<RedisCluster> {
  const nodes: RedisServer[] = [];
  const clients: Awaited<ReturnType<typeof connect>>[] = [];
  const stop = async (): Promise<void> => {
    for (const client of clients) client.destroy();
    await Promise.all(nodes.map((node) => node.stop()));
  };
  try {
    for (let index = 0; index < 3; index += 1) {
      nodes.push(await startRedisServer({ cluster: true }));
    }
    for (const node of nodes) clients.push(await connect(node.url));
    const command = (node: number, ...args: readonly string[]): Promise<unknown> =>
      clientOf(clients, node).sendCommand([...args]);
    await join(nodes, command);
    const urls = nodes.map(({ url }) => url);
    const ids = await Promise.all(
      nodes.map(async (_, index) => String(await command(index, "CLUSTER", "MYID"))),
    );
    return { urls, nodes, ids, command, stop, [Symbol.asyncDispose]: stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function connect(url: string) {
  const client = createClient({ url });
  client.on("error", () => undefined);
  await client.connect();
  return client;
}

function clientOf<Client>(clients: readonly Client[], node: number): Client {
  const client = clients[node];
  if (client === undefined) throw new Error(`The cluster has no node ${node}`);
  return client;
}

/** Joins the nodes by single commands, because `redis-cli --cluster create` waits for seconds. */
async function join(
  nodes: readonly RedisServer[],
  command: RedisCluster["command"],
): Promise<void> {
  for (const [index] of nodes.entries()) {
    const first = Math.ceil((index * SLOTS) / nodes.length);
    const last = Math.ceil(((index + 1) * SLOTS) / nodes.length) - 1;
    const slots = Array.from({ length: last - first + 1 }, (_, offset) => String(first + offset));
    await command(index, "CLUSTER", "SET-CONFIG-EPOCH", String(index + 1));
    await command(index, "CLUSTER", "ADDSLOTS", ...slots);
  }
  for (const { port } of nodes.slice(1)) {
    await command(0, "CLUSTER", "MEET", "127.0.0.1", String(port));
  }
  for (const [index] of nodes.entries()) {
    await eventually(`node ${index} knows the cluster`, async () => {
      const info = String(await command(index, "CLUSTER", "INFO"));
      return (
        info.includes("cluster_state:ok") && info.includes(`cluster_known_nodes:${nodes.length}`)
      );
    });
  }
}
