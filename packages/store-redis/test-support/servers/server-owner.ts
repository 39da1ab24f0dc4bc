import { startRedisServer } from "./start-redis-server.ts";

/** Runs in a process of its own, to be killed: starts a server, says where, and waits for its end. */
const server = await startRedisServer({ appendonly: true });
process.send?.({ pid: server.pid(), dir: server.dir });
