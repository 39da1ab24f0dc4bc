/** Set by `pnpm chaos --postgres`: the suite runs under each isolation level and by each client of `pg`, too, and not only by a pool. */
export const LENGTH_VARIABLE = "AGENT_HISTORY_POSTGRES_AT_LENGTH";

/** Whether tests take their time. */
export const isAtLength: boolean = process.env[LENGTH_VARIABLE] !== undefined;
