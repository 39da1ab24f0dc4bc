import { describe } from "vitest";

import { findRedisProgram } from "./servers/find-redis-program.ts";
import type { ServerName } from "./servers/redis-program.ts";

/**
 * Declares tests that need a real redis-server: any, or a named one.
 *
 * If no server is available, prints one line and skips the tests; if `CI` is set, they fail.
 */
export async function describeWithRedis(
  name: string,
  tests: () => void,
  server?: ServerName,
): Promise<void> {
  const program = await findRedisProgram(server);
  const isMissing = program.kind === "none";
  if (isMissing && process.env["CI"] !== undefined) throw new Error(program.reason);
  if (isMissing) process.stderr.write(`SKIPPED ${name}: ${program.reason}\n`);
  describe.skipIf(isMissing)(`${name} (${server ?? "redis-server"})`, () => {
    tests();
  });
}
