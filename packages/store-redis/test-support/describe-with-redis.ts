import { describe } from "vitest";

import { findRedisProgram } from "./servers/find-redis-program.ts";

/**
 * Describes what needs a real redis-server.
 *
 * Where none can be had, one line says so and the tests are skipped; where `CI` is set, they fail.
 */
export async function describeWithRedis(name: string, tests: () => void): Promise<void> {
  const program = await findRedisProgram();
  const isMissing = program.kind === "none";
  if (isMissing && process.env["CI"] !== undefined) throw new Error(program.reason);
  if (isMissing) process.stderr.write(`SKIPPED ${name}: ${program.reason}\n`);
  describe.skipIf(isMissing)(`${name} (redis-server)`, () => {
    tests();
  });
}
