/** Where the programs of a Postgres server are. */
export interface PostgresProgram {
  readonly kind: "binary";
  /** Holds `initdb` and `postgres`. */
  readonly folder: string;
  /** Where libraries that are not installed are. */
  readonly libraryPath?: string;
}

/** Why there is no server, and what to do. */
export interface NoPostgresProgram {
  readonly kind: "none";
  readonly reason: string;
}
