import * as fc from "fast-check";

/** Property tests begin with one seed, so that a run can be repeated. `LAW_SEED` gives another: a number, or `random`. */
const { LAW_SEED: seed = "1" } = process.env;
if (seed !== "random") fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(seed) });
