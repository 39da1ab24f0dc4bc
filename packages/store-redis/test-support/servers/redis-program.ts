/** Servers that the store promises to work with, each of which a test or a fault run can ask for by name. */
export const SERVER_NAMES = ["redis-7", "redis-8", "valkey-8"] as const;

/** A server by its name and major version. */
export type ServerName = (typeof SERVER_NAMES)[number];

/** A way to run a redis-server on this machine. */
export type RedisProgram =
  | {
      readonly kind: "binary";
      readonly path: string;
      /** What comes before the server's own arguments: of a loader, the program that it loads. */
      readonly prefix?: readonly string[];
      /** Where libraries that are not installed lie. */
      readonly libraryPath?: string;
    }
  | { readonly kind: "docker"; readonly image: string };

/** Why there is no redis-server, and what to do. */
export interface NoRedisProgram {
  readonly kind: "none";
  readonly reason: string;
}
