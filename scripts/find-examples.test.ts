import { describe, expect, it } from "vitest";

import { findExamples } from "./find-examples.ts";

describe("findExamples", () => {
  it("finds the ts fences of a Markdown file and the lines they begin on", () => {
    const page =
      "# Title\n\n```ts\nfirst();\n```\n\n- item\n\n  ```ts no-run\n  second();\n  ```\n\n```sh\nls\n```\n";

    expect(findExamples("README.md", page)).toEqual([
      { file: "README.md", line: 4, code: "first();", run: true },
      { file: "README.md", line: 10, code: "second();", run: false },
    ]);
  });

  it("finds the fences of doc comments, and of no other comments or strings", () => {
    const source = [
      'const text = "/** ```ts */";',
      "/* ```ts\nno();\n``` */",
      "/**",
      " * Says hello.",
      " * @example",
      " * ```ts",
      " * hello({",
      " *   loud: true,",
      " * });",
      " * ```",
      " */",
      "export function hello() {}",
    ].join("\n");

    expect(findExamples("hello.ts", source)).toEqual([
      { file: "hello.ts", line: 9, code: "hello({\n  loud: true,\n});", run: true },
    ]);
  });
});
