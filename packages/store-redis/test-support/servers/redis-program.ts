/** Supported servers, which tests and fault runs can request by name. */
export const SERVER_NAMES = ["redis-7", "redis-8", "valkey-8"] as const;

/** A server by its name and major version. */
export type ServerName = (typeof SERVER_NAMES)[number];

/** A way to run a redis-server on this machine. */
export type RedisProgram =
  | {
      readonly kind: "binary";
      readonly path: string;
      /** Arguments before the server's own: for a loader, the program that it loads. */
      readonly prefix?: readonly string[];
      /** Folder of libraries that are not installed. */
      readonly libraryPath?: string;
    }
  | { readonly kind: "docker"; readonly image: string };

/** Why no redis-server was found, and what to do. */
export interface NoRedisProgram {
  readonly kind: "none";
  readonly reason: string;
}
