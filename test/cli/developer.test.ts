/** What `listen`, `trigger` and `logs` say before they call a host. The calls are in `test/journeys/developer.test.ts`. */

import { describe, expect, test } from "vitest"
import { EXCEPTION_CODES } from "../../src/model/handoff.ts"
import { EVENT_TYPES, PICKUP_EVENT_TYPES } from "../../src/model/webhook.ts"
import { folder } from "./command-line.ts"
import { curblineHere, curblineHereWith } from "./same-process.ts"

const KEY = `ck_sbx_${"A1".repeat(20)}`
const NOTHING = { CURBLINE_API_KEY: "", CURBLINE_URL: "", CURBLINE_LISTEN_SECRET: "" }
const NOWHERE = ["--key", KEY, "--url", "http://127.0.0.1:9"]

test("trigger without a name prints every event of both APIs, and what makes it happen", async () => {
  const { status, out } = await curblineHere("trigger")
  expect(status).toBe(0)
  const names = out
    .trim()
    .split("\n")
    .map((line) => line.split(/\s+/)[0])
  expect(names).toEqual([...EVENT_TYPES, ...PICKUP_EVENT_TYPES])
})

describe("a mistake in the command line ends with 2 and names it:", () => {
  test.each<[string, readonly string[], string]>([
    [
      "an unknown event",
      ["trigger", "reservation.lost", ...NOWHERE],
      `there is no event "reservation.lost"; there are ${EVENT_TYPES[0]}`,
    ],
    [
      "an unknown reason",
      ["trigger", "reservation.exception", "--reason", "rain", ...NOWHERE],
      EXCEPTION_CODES.join(", "),
    ],
    [
      "a reason of another event",
      ["trigger", "pickup_status.changed", "--reason", "bot_no_show", ...NOWHERE],
      "--reason is for reservation.exception",
    ],
    [
      "a place that is none",
      ["trigger", "pickup_status.changed", "--to", "91,0", ...NOWHERE],
      "--to 91,0 must be LATITUDE,LONGITUDE",
    ],
    [
      "half a place",
      ["trigger", "pickup_status.changed", "--to", "30", ...NOWHERE],
      "must be LATITUDE,LONGITUDE",
    ],
    ["no target", ["listen", ...NOWHERE], "--forward-to"],
    [
      "a target that is no URL",
      ["listen", "--forward-to", "3000/hooks", ...NOWHERE],
      "is no URL; write it as http://localhost:3000/hooks",
    ],
    [
      "a target of another scheme",
      ["listen", "--forward-to", "ftp://localhost/hooks", ...NOWHERE],
      "is no URL",
    ],
    [
      "a target with a password",
      ["listen", "--forward-to", "http://a:b@localhost/", ...NOWHERE],
      "no user name and no password",
    ],
    [
      "another machine",
      ["listen", "--forward-to", "https://hooks.example/x", ...NOWHERE],
      "add --allow-remote",
    ],
    [
      "an address of the network",
      ["listen", "--forward-to", "http://10.0.0.7/", ...NOWHERE],
      "add --allow-remote",
    ],
    [
      "a name that begins like the loopback",
      ["listen", "--forward-to", "http://127.0.0.1.example/", ...NOWHERE],
      "add --allow-remote",
    ],
    [
      "a name that ends like it",
      ["listen", "--forward-to", "http://notlocalhost/", ...NOWHERE],
      "add --allow-remote",
    ],
    ["a host that is no URL", ["logs", "--key", KEY, "--url", "sandbox"], "sandbox is no URL of a host"],
    [
      "a key of production",
      ["listen", "--forward-to", "http://localhost:3000/", "--key", "ck_prod_1"],
      "begin with ck_sbx_",
    ],
  ])("%s", async (_, words, text) => {
    const { status, out, err } = await curblineHereWith(NOTHING, ...words)
    expect([status, out]).toEqual([2, ""])
    expect(err).toContain(text)
    expect(err).not.toContain(KEY)
  })

  test("no key, in flags, environment and demo data", async () => {
    const data = folder()
    for (const words of [
      ["trigger", "reservation.exception"],
      ["logs"],
      ["listen", "--forward-to", "http://localhost:3000/"],
    ]) {
      const { status, err } = await curblineHereWith(NOTHING, ...words, "--data", data)
      expect([status, err]).toEqual([2, expect.stringContaining("set CURBLINE_API_KEY, or pass --key")])
    }
  })

  test("a signing secret that is too short", async () => {
    const env = { ...NOTHING, CURBLINE_LISTEN_SECRET: "whsec_1" }
    const { status, err } = await curblineHereWith(
      env,
      "listen",
      "--forward-to",
      "http://localhost:1/",
      ...NOWHERE,
    )
    expect([status, err]).toEqual([2, expect.stringContaining("CURBLINE_LISTEN_SECRET must be whsec_")])
  })
})

test.each([
  "http://localhost:3000/",
  "http://app.localhost:3000/",
  "http://127.8.0.1/",
  "http://[::1]:3000/",
  "http://2130706433/",
])(
  "%s is this machine: then the host is asked, and its absence has one line and status 1",
  async (target) => {
    const { status, out, err } = await curblineHereWith(NOTHING, "listen", "--forward-to", target, ...NOWHERE)
    expect([status, out]).toEqual([1, ""])
    expect(err).toMatch(/^error: http:\/\/127\.0\.0\.1:9 does not answer: .+\n$/)
  },
)
