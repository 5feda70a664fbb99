/**
 * Loaded before a service whose embedded database takes long to replay: opening it blocks the main thread, as a replay does,
 * until the file that the environment names is there.
 */

import { existsSync } from "node:fs"
import { PGlite } from "@electric-sql/pglite"

const gate = process.env["OPENING_GATE"] ?? ""
const pause = new Int32Array(new SharedArrayBuffer(4))

// The first statement is a part of the opening.
// oxlint-disable-next-line typescript/unbound-method -- the proxy passes the client on
PGlite.prototype.exec = new Proxy(PGlite.prototype.exec, {
  apply: (exec, client, given) => {
    while (!existsSync(gate)) Atomics.wait(pause, 0, 0, 20)
    return Reflect.apply(exec, client, given)
  },
})
