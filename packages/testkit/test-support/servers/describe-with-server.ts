import { describe } from "vitest";

import { findPostgres } from "./start-postgres.ts";
import { findRedis } from "./start-redis.ts";

/**
 * Describes what needs a real redis-server, by `startRedis`. Without one the tests are skipped, with a line that says so; in CI
 * they fail.
 */
export async function describeWithRedis(name: string, tests: () => void): Promise<void> {
  const isMissing = await isSkipped(name, findRedis());
  describe.skipIf(isMissing)(`${name} (redis-server)`, () => {
    tests();
  });
}

/** Describes what needs a real Postgres server, by `startPostgres`, in the same way. */
export async function describeWithPostgres(name: string, tests: () => void): Promise<void> {
  const isMissing = await isSkipped(name, findPostgres());
  describe.skipIf(isMissing)(`${name} (Postgres server)`, () => {
    tests();
  });
}

async function isSkipped(name: string, finding: Promise<unknown>): Promise<boolean> {
  try {
    await finding;
    return false;
  } catch (error) {
    if (process.env["CI"] !== undefined) throw error;
    const reason = error instanceof Error ? error.message : "";
    process.stderr.write(`SKIPPED ${name}: ${reason}\n`);
    return true;
  }
}
