import { describe } from "vitest";

import { findRedisProgram } from "./servers/find-redis-program.ts";
import type { ServerName } from "./servers/redis-program.ts";

/**
 * Describes what needs a real redis-server: any, or one by its name.
 *
 * Where none can be had, one line says so and the tests are skipped; where `CI` is set, they fail.
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
