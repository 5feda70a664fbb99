/** A worker that takes a replication and never finishes, for tests that end the process during it. */

import { work } from "../../../src/cli/fleets/parallel/work.ts"

const [url = "", program = ""] = process.argv.slice(2)

await work({
  url,
  program,
  atOnce: 1,
  tell: () => {},
  onDone: () => {},
  stopped: new AbortController().signal,
  replicate: ({ seed }) => {
    process.stderr.write(`took seed ${seed}\n`)
    return new Promise(() => {})
  },
})
