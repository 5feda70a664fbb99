/** How an app ends while clients hold connections. */

import type { AddressInfo } from "node:net"
import { connect } from "node:net"
import { once } from "node:events"
import { expect, test } from "vitest"
import { bareApp } from "./bare-app.ts"

test("an app closes while a client holds a connection on which it never sent anything", async () => {
  const app = await bareApp()
  await app.listen({ host: "127.0.0.1", port: 0 })
  const accepted = once(app.server, "connection")
  const unused = connect((app.server.address() as AddressInfo).port, "127.0.0.1")
  await accepted
  const ended = once(unused, "close")
  await app.close()
  await ended
  expect(unused.bytesRead).toBe(0)
})
