/** A way to run a redis-server on this machine. */
export type RedisProgram =
  | {
      readonly kind: "binary";
      readonly path: string;
      /** Where libraries that are not installed lie. */
      readonly libraryPath?: string;
    }
  | { readonly kind: "docker"; readonly image: string };

/** Why there is no redis-server, and what to do. */
export interface NoRedisProgram {
  readonly kind: "none";
  readonly reason: string;
}
