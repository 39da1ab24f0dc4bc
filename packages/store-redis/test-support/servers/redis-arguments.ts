import type { ServerName } from "./redis-program.ts";

/** How a redis-server is to be set up. Everything is optional; without anything it keeps data in memory only. */
export interface RedisServerOptions {
  /** Which server. Default: whichever this machine has. */
  readonly server?: ServerName;
  readonly appendonly?: boolean;
  readonly appendfsync?: "always" | "everysec" | "no";
  /** For example `12mb`. Default: no limit. */
  readonly maxmemory?: string;
  /** What happens when memory is full. Default `noeviction`. */
  readonly policy?: string;
  /** Folder of its data. Default: a new one, removed with the server. */
  readonly dir?: string;
  /** Keeps its data in a file system in memory, where there is one, so that a sync takes no time. Default `false`. */
  readonly inMemory?: boolean;
  /** Default: a free one. */
  readonly port?: number;
  /** Port of the server that this one follows. */
  readonly replicaOf?: number;
  /** Starts as a node of a cluster. */
  readonly cluster?: boolean;
  /** Further arguments, as on the command line. */
  readonly extra?: readonly string[];
}

/** Writes options as arguments of the redis-server command. */
export function redisArguments(port: number, dir: string, options: RedisServerOptions): string[] {
  const { appendonly = false, appendfsync = "everysec", maxmemory, replicaOf } = options;
  const args = ["--port", String(port), "--bind", "127.0.0.1", "--dir", dir];
  args.push("--save", "", "--daemonize", "no", "--logfile", "");
  args.push("--appendonly", appendonly ? "yes" : "no", "--appendfsync", appendfsync);
  args.push("--maxmemory-policy", options.policy ?? "noeviction");
  if (maxmemory !== undefined) args.push("--maxmemory", maxmemory);
  // A replica that asks gets its copy at once.
  args.push("--repl-diskless-sync-delay", "0");
  if (replicaOf !== undefined) args.push("--replicaof", "127.0.0.1", String(replicaOf));
  if (options.cluster === true) {
    args.push("--cluster-enabled", "yes", "--cluster-node-timeout", "60000");
  }
  return [...args, ...(options.extra ?? [])];
}
