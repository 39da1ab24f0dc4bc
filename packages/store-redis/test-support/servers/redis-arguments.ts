import type { ServerName } from "./redis-program.ts";

/** Options of a redis-server. By default it keeps data in memory only. */
export interface RedisServerOptions {
  /** The kind of server. Default: any that is available. */
  readonly server?: ServerName;
  readonly appendonly?: boolean;
  readonly appendfsync?: "always" | "everysec" | "no";
  /** E.g. `12mb`. Default: no limit. */
  readonly maxmemory?: string;
  /** The `maxmemory-policy`. Default `noeviction`. */
  readonly policy?: string;
  /** Data folder. Default: a new one, removed with the server. */
  readonly dir?: string;
  /** Keeps its data in an in-memory file system, if there is one, so that syncs are fast. Default `false`. */
  readonly inMemory?: boolean;
  /** Default: a free one. */
  readonly port?: number;
  /** Port of the primary that this server replicates. */
  readonly replicaOf?: number;
  /** Starts as a cluster node. */
  readonly cluster?: boolean;
  /** Further command line arguments. */
  readonly extra?: readonly string[];
}

/** Converts options to arguments of the redis-server command. */
export function redisArguments(port: number, dir: string, options: RedisServerOptions): string[] {
  const { appendonly = false, appendfsync = "everysec", maxmemory, replicaOf } = options;
  const args = ["--port", String(port), "--bind", "127.0.0.1", "--dir", dir];
  args.push("--save", "", "--daemonize", "no", "--logfile", "");
  args.push("--appendonly", appendonly ? "yes" : "no", "--appendfsync", appendfsync);
  args.push("--maxmemory-policy", options.policy ?? "noeviction");
  if (maxmemory !== undefined) args.push("--maxmemory", maxmemory);
  // Replicas get their copy without delay.
  args.push("--repl-diskless-sync-delay", "0");
  if (replicaOf !== undefined) args.push("--replicaof", "127.0.0.1", String(replicaOf));
  if (options.cluster === true) {
    args.push("--cluster-enabled", "yes", "--cluster-node-timeout", "60000");
  }
  return [...args, ...(options.extra ?? [])];
}
