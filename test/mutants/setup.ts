/** Tells `runtime.mjs`, and the processes that a test starts, which test file runs. */

// A cast, not a check: vitest's own state of a worker, which its types do not show.
const { filepath } = (globalThis as unknown as { readonly __vitest_worker__: { readonly filepath: string } })
  .__vitest_worker__
process.env["CURBLINE_MUTANT_FILE"] = filepath
