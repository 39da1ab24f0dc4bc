/** Set by `pnpm chaos --postgres`: the suite also runs under each isolation level and with each client of `pg`, not only with a pool. */
export const LENGTH_VARIABLE = "AGENT_HISTORY_POSTGRES_AT_LENGTH";

/** Whether long tests run. */
export const isAtLength: boolean = process.env[LENGTH_VARIABLE] !== undefined;
