import { defineConfig } from "vitest/config"

/** Tests that mock modules or exchange the clock of their process, and so need one of their own. */
const ALONE = ["engine/kernel/run-bounds", "engine/kernel/simulated-time", "cli/exit-status"].map(
  (file) => `test/${file}.test.ts`,
)

/** Folders that start nothing: no database, no browser, no server, no other process. */
const PURE = [
  "areas/analytics",
  "engine/kernel",
  "engine/memory",
  "engine/services",
  "machines",
  "pages/chart",
  "pages/html",
  "simulation/replay",
  "simulation/runs",
  "simulation/scenario-language",
].map((folder) => `test/${folder}/**/*.test.ts`)

/** As pure, but these run whole days of the service: minutes, and a third of all that is pure. */
const SCENARIOS = [
  "test/simulation/scenarios/**/*.test.ts",
  "test/simulation/runs/{errands-from-journal,simulated-service}.test.ts",
]

/** The APIs in process, over one embedded database in memory for all the files of a process. */
const HTTP = ["http", "areas/linking", "areas/messages", "areas/payments", "apps/mcp", "apps/portal"].map(
  (folder) => `test/${folder}/**/*.test.ts`,
)

/** Nodes and stores in process, over databases that each file opens and closes. */
const DATABASES = ["conformance", "engine/store", "live/node", "live/swarm-sql", "pages/inspection"].map(
  (folder) => `test/${folder}/**/*.test.ts`,
)

/** No second compilation of the embedded database: it takes more memory than everything else. */
const ONE_COMPILATION = ["--liftoff-only"]

export default defineConfig({
  test: {
    passWithNoTests: false,
    // Processes, not threads: one that crashes or changes its directory takes no other test file with it.
    pool: "forks",
    setupFiles: ["test/processor-time.ts", "test/temporary-folder.ts", "test/random-seed.ts"],
    // More than processors, because many tests wait for timers and other processes.
    maxWorkers: 4,
    // A bound against hanging, far above what any test takes; no test asserts a speed.
    testTimeout: 1_200_000,
    hookTimeout: 1_200_000,
    expect: { poll: { timeout: 400_000 } },
    // No test is repeated until it passes.
    retry: 0,
    allowOnly: false,
    reporters: ["default", "./test/costs.ts"],
    projects: [
      {
        extends: true,
        // One process loads the modules of the service once for all of these files.
        test: {
          name: "pure",
          include: PURE,
          exclude: [...ALONE, ...SCENARIOS],
          isolate: false,
          execArgv: ONE_COMPILATION,
        },
      },
      {
        extends: true,
        test: { name: "scenarios", include: SCENARIOS, isolate: false, execArgv: ONE_COMPILATION },
      },
      {
        extends: true,
        test: { name: "http", include: HTTP, isolate: false, execArgv: ONE_COMPILATION },
      },
      {
        extends: true,
        // These make so many queries that the second compilation of the embedded database pays.
        test: { name: "databases", include: DATABASES, isolate: false },
      },
      {
        extends: true,
        test: {
          name: "whole",
          include: ["test/**/*.test.ts"],
          // One process loads the modules of the service once for many files; what they start are processes of its own.
          exclude: [...ALONE, ...PURE, ...SCENARIOS, ...HTTP, ...DATABASES],
          isolate: false,
          execArgv: ONE_COMPILATION,
        },
      },
      {
        extends: true,
        test: { name: "alone", include: ALONE, execArgv: ONE_COMPILATION },
      },
    ],
  },
})
