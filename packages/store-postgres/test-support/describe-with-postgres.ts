import { describe } from "vitest";

import { findPostgresProgram } from "./servers/find-postgres-program.ts";

/** Describes what needs a real Postgres server. Where none can be had, one line says so and the tests are skipped; in CI they fail. */
export async function describeWithPostgres(name: string, tests: () => void): Promise<void> {
  const program = await findPostgresProgram();
  const isMissing = program.kind === "none";
  if (isMissing && process.env["CI"] !== undefined) throw new Error(program.reason);
  if (isMissing) process.stderr.write(`SKIPPED ${name}: ${program.reason}\n`);
  describe.skipIf(isMissing)(`${name} (Postgres server)`, () => {
    tests();
  });
}
