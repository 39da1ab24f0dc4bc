import { describe } from "vitest";

import { findPostgresProgram } from "./servers/find-postgres-program.ts";

/** Declares tests that need a real Postgres server. If none is available, prints one line and skips the tests; in CI they fail. */
export async function describeWithPostgres(name: string, tests: () => void): Promise<void> {
  const program = await findPostgresProgram();
  const isMissing = program.kind === "none";
  if (isMissing && process.env["CI"] !== undefined) throw new Error(program.reason);
  if (isMissing) process.stderr.write(`SKIPPED ${name}: ${program.reason}\n`);
  describe.skipIf(isMissing)(`${name} (Postgres server)`, () => {
    tests();
  });
}
