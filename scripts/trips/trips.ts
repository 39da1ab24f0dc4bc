import type { Trip } from "./trip.ts";

/** Every way through the packages that is measured, by the name that it is shown by. Each is loaded when it is measured. */
export const trips: Readonly<Record<string, () => Promise<Trip>>> = {
  "cold fit": async () => (await import("./cold-fit.ts")).coldFit,
  compression: async () => (await import("./compression.ts")).compression,
  "role filter": async () => (await import("./role-filter.ts")).roleFilter,
  "conversion there and back": async () => (await import("./conversion.ts")).conversion,
  "manager's call": async () => (await import("./manager-call.ts")).managerCall,
  "append, in memory": async () => (await import("./store-calls.ts")).storeCalls.appendInMemory,
  "role view, in memory": async () => (await import("./store-calls.ts")).storeCalls.viewInMemory,
  "append, SQLite": async () => (await import("./store-calls.ts")).storeCalls.appendInSqlite,
  "role view, SQLite": async () => (await import("./store-calls.ts")).storeCalls.viewInSqlite,
};
