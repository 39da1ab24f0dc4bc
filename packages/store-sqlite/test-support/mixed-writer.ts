// A process that runs a sequence of mixed writes and reports which are acknowledged: mixed-writer.ts <path> <first>.
import { mixedWrites } from "../../testkit/test-support/faults/mixed-writes.ts";
import { sqliteStore } from "../src/index.ts";

const [path = "", first = "0"] = process.argv.slice(2);
const store = sqliteStore({ path });
const next = mixedWrites();
for (let nth = 0; nth < Number(first); nth += 1) next();
for (;;) {
  await next().run(store);
  process.stdout.write("+");
}
