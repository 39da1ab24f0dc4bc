/** The location of a Postgres server's programs. */
export interface PostgresProgram {
  readonly kind: "binary";
  /** Folder that contains `initdb` and `postgres`. */
  readonly folder: string;
  /** Folder of libraries that are not installed. */
  readonly libraryPath?: string;
}

/** Why no server was found, and what to do. */
export interface NoPostgresProgram {
  readonly kind: "none";
  readonly reason: string;
}
