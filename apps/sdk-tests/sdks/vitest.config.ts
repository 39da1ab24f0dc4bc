import { defineConfig } from "vitest/config";
import type { ViteUserConfigFnObject } from "vitest/config";

import base from "../../../vitest.config.ts";

/** The tests of this folder, which need the SDKs installed beside them. */
const config: ViteUserConfigFnObject = defineConfig((env) => {
  const { test, ...rest } = base(env);
  return { ...rest, root: import.meta.dirname, test: { ...test, include: ["**/*.test.ts"] } };
});

export default config;
