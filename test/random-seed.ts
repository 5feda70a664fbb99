/**
 * Property tests draw their cases from one known seed, so that a run on one machine is the run on every other. `CURBLINE_TEST_SEED=7` draws
 * others, and `CURBLINE_TEST_SEED=random` new ones each time; a failure prints the seed that repeats it.
 */

import fc from "fast-check"

const { CURBLINE_TEST_SEED: given = "1" } = process.env
if (given !== "random") fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number.parseInt(given, 10) })
