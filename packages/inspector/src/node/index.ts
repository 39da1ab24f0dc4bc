// The contract of the entry: each line is public.
export { serveInspector } from "./serve-inspector.ts";
export type { InspectorServer, ServeInspectorOptions } from "./serve-inspector.ts";
export { writeInspectorPage } from "./write-inspector-page.ts";
export type { WriteInspectorPageOptions } from "./write-inspector-page.ts";
