import { startRedisServer } from "./start-redis-server.ts";

/** Runs in a separate process, which is killed: starts a server, reports it, and waits. */
const server = await startRedisServer({ appendonly: true });
process.send?.({ pid: server.pid(), dir: server.dir });
