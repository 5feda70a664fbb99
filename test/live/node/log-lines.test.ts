/** What becomes of the log's lines when their reader is slow, or has gone. */

import { setImmediate as turn } from "node:timers/promises"
import { describe, expect, test } from "vitest"
import { LOG_BYTES_MAX } from "../../../src/live/configuration/bounds.ts"
import { logLines } from "../../../src/live/observation/log-lines.ts"

/** A pipe that takes this many bytes, then fails with the error. */
function pipe(room: number, then: "EAGAIN" | "EPIPE") {
  const self = {
    room,
    text: "",
    tries: 0,
    put: (_: number, bytes: Uint8Array): number => {
      self.tries += 1
      if (self.room === 0) throw Object.assign(new Error("write"), { code: then })
      const taken = bytes.subarray(0, self.room)
      self.room -= taken.length
      self.text += Buffer.from(taken).toString()
      return taken.length
    },
  }
  return self
}

describe("the log's lines", () => {
  test("leave in order, in one piece a turn", async () => {
    const reader = pipe(1_000, "EAGAIN")
    const { write } = logLines({ file: 2, put: reader.put }, "json")
    for (const line of ["one\n", "two\n", "three\n"]) write(line)
    expect(reader.text).toBe("")
    await turn()
    await turn()
    expect([reader.text, reader.tries]).toEqual(["one\ntwo\nthree\n", 1])
  })

  test("that a slow reader did not take at once follow, and none is cut or repeated", () => {
    const reader = pipe(6, "EAGAIN")
    const { write, flush } = logLines({ file: 2, put: reader.put }, "json")
    write("first\n")
    write("second\n")
    flush()
    expect(reader.text).toBe("first\n")
    reader.room = 1_000
    flush()
    expect(reader.text).toBe("first\nsecond\n")
  })

  test("end with the reader that has gone, and the last flush does not wait for it", async () => {
    const reader = pipe(0, "EPIPE")
    const { write, flush } = logLines({ file: 2, put: reader.put }, "json")
    write("one\n")
    flush()
    write("two\n")
    await turn()
    await turn()
    flush()
    expect([reader.text, reader.tries]).toEqual(["", 1])
  })

  test("beyond the bound are dropped, and the log says how many", () => {
    const reader = pipe(0, "EAGAIN")
    const { write, flush } = logLines({ file: 2, put: reader.put }, "json")
    const line = `${"x".repeat(1024 * 1024 - 1)}\n`
    for (let bytes = 0; bytes < LOG_BYTES_MAX; bytes += line.length) write(line)
    for (const lost of ["a\n", "b\n", "c\n"]) write(lost)
    reader.room = Number.MAX_SAFE_INTEGER
    flush()
    const last = reader.text.trimEnd().split("\n").at(-1) ?? ""
    expect(JSON.parse(last)).toMatchObject({ level: "warn", dropped: 3 })
    expect(reader.text).toHaveLength(LOG_BYTES_MAX + last.length + 1)
  })
})
