import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    passWithNoTests: false,
    // Processes, not threads: one that crashes or changes its directory takes no other test file with it.
    pool: "forks",
    maxWorkers: 2,
    // A bound against hanging, far above what any test takes; no test asserts a speed.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // No test is repeated until it passes.
    retry: 0,
    allowOnly: false,
    reporters: ["default"],
  },
})
