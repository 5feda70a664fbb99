/** What nothing has caught: a broken connection is logged and outlived, anything else is logged and ends the process. */

import { spawnSync } from "node:child_process"
import { describe, expect, test } from "vitest"
import { ROOT } from "./command-line.ts"

/** A process with the guards, in which this happens. */
function processIn(happening: string): { readonly status: number | null; readonly out: string } {
  const script = `
    import { guardProcess } from "./src/cli/kit/process-guards.ts"
    import { makeServiceLog } from "./src/live/observation/service-log.ts"
    const lines = []
    const log = makeServiceLog({ level: "info", format: "json", write: (line) => lines.push(line) })
    guardProcess(log, () => process.stdout.write(lines.join("")))
    ${happening}
    setImmediate(() => setImmediate(() => process.stdout.write(lines.join("") + "it lives")))
  `
  const { status, stdout } = spawnSync(process.execPath, ["--input-type=module-typescript", "-e", script], {
    cwd: ROOT,
    encoding: "utf8",
  })
  return { status, out: stdout }
}

describe("what nothing has caught", () => {
  test.each([
    [
      "a reset socket",
      `setImmediate(() => { throw Object.assign(new Error("read"), { code: "ECONNRESET" }) })`,
    ],
    [
      "a session that the server ended",
      `Promise.reject(Object.assign(new Error("terminating"), { code: "57P01" }))`,
    ],
    [
      "a driver's lost connection",
      `Promise.reject(Object.assign(new Error("write"), { code: "CONNECTION_CLOSED" }))`,
    ],
  ])("%s is logged, and the process lives", (_, happening) => {
    const { status, out } = processIn(happening)
    expect(out).toContain("a connection broke outside any request")
    expect(out).toContain("it lives")
    expect(status).toBe(0)
  })

  test.each([
    ["an exception", `setImmediate(() => null.missing)`],
    ["a rejection", `Promise.reject(new TypeError("a mistake"))`],
  ])("%s of the program is logged, and ends it", (_, happening) => {
    const { status, out } = processIn(happening)
    expect(out).toContain("that nothing caught")
    expect(out).toContain('"level":"fatal"')
    expect(out).not.toContain("it lives")
    expect(status).toBe(1)
  })
})
