/** Times, browsers and problems in the words of the portal's pages. */

import { Schema } from "effect"
import { afterEach, describe, expect, test } from "vitest"
import { maskedName, maskedProblem, namesIn } from "../../../src/http/masked-errors.ts"
import { MASK } from "../../../src/http/masking.ts"
import { CreateReservationRequest } from "../../../src/model/requests/requests.ts"
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../src/model/values/time.ts"
import { timerName } from "../../../src/model/timer-name.ts"
import { inWords } from "../../../src/apps/portal/words.ts"
import { attemptText } from "../../../src/pages/web/portal/attempt-text.ts"
import { browserName } from "../../../src/pages/web/portal/browser-name.ts"
import { reasonText } from "../../../src/pages/web/portal/reason-text.ts"
import {
  clockTimeIn,
  followClock,
  fromNow,
  fromRealNow,
  inZone,
  presentMs,
} from "../../../src/pages/web/portal/times.ts"

const iso = (ms: number): string => new Date(ms).toISOString()

test("an attempt has the status of its answer, or says why there was none", () => {
  const texts = [
    { status: 503, error: null },
    { status: null, error: null },
    { status: null, error: "endpoint_inactive" },
    { status: null, error: "a_code_without_words" },
  ].map(attemptText)
  expect(texts).toEqual(["503", "in flight", "not sent, the endpoint is off", "a code without words"])
})

test("a reason that is empty counts as none", () => {
  expect(["late", "", null].map(reasonText)).toEqual(["late", "no reason was given", "no reason was given"])
})

describe("times", () => {
  afterEach(() => followClock(0))

  test("of records are compared with the moved clock, those of keys and sessions with the real one", () => {
    const made = iso(Date.now() - 5 * MINUTE_MS)
    expect([fromNow(made), fromRealNow(made)]).toEqual(["5 min ago", "5 min ago"])
    followClock(3 * HOUR_MS)
    expect([fromNow(made), fromRealNow(made)]).toEqual(["3 h ago", "5 min ago"])
    expect(fromNow(iso(presentMs() + 2 * DAY_MS))).toBe("in 2 d")
    followClock(-HOUR_MS)
    expect(fromNow(made)).toBe("in 55 min")
  })

  test("a difference that is a request's duration moves nothing", () => {
    followClock(1_500)
    expect(Math.abs(presentMs() - Date.now())).toBeLessThan(1_400)
  })

  test("name their zone in sentences and headings", () => {
    expect(clockTimeIn("2026-06-01T15:04:05Z", "UTC")).toBe("15:04:05 UTC")
    expect(inZone("Sent", "UTC")).toBe("Sent (UTC)")
    expect(inZone("Sent", "America/Chicago")).toMatch(/^Sent \(C[DS]T\)$/)
  })
})

test.each([
  [
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36",
    "Chrome on macOS",
  ],
  [
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36 Edg/141.0.0.0",
    "Edge on Windows",
  ],
  [
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Mobile/15E148 Safari/604.1",
    "Safari on iPhone",
  ],
  ["Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0", "Firefox on Linux"],
  [
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/141.0.0.0 Safari/537.36",
    "Chrome on Linux",
  ],
  [
    "Mozilla/5.0 (Linux; Android 15; SM-S931B) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36",
    "Samsung Internet on Android",
  ],
  ["curl/8.5.0", "Unknown browser"],
  ["Robot (Windows NT 10.0)", "Unknown browser on Windows"],
])("%s is named", (agent, name) => {
  expect(browserName(agent)).toBe(name)
})

test("a timer has the name of its delay, and a status one spelling", () => {
  expect(timerName("xstate.after.window and grace.reservation.open")).toBe("window and grace")
  expect(timerName("order.loaded")).toBeNull()
  expect([inWords("canceled"), inWords("CANCELLED")]).toEqual(["Cancelled", "Cancelled"])
})

describe("G23: problems in the request log", () => {
  const names = new Set(namesIn(CreateReservationRequest.ast))
  const shown = (problem: object, body: unknown, beside: readonly string[] = []) =>
    maskedProblem(problem, names, { body, beside })

  test("show field and sentence when they come from the program", () => {
    const problem = {
      field: "end_user_phone",
      message: "must be a phone number in E.164, such as +15125550100",
    }
    expect(shown(problem, { end_user_phone: "+1" })).toEqual({ ...problem, message: MASK })
    expect(shown(problem, { end_user_phone: "call Bob" })).toEqual(problem)
    const absent = { field: "zone_id", message: "is missing" }
    expect(shown(absent, { end_user_name: "Ada" })).toEqual(absent)
    const deep = { field: "payload_limit.max_weight_kg", message: "must be more than 0" }
    expect(shown(deep, null)).toEqual(deep)
  })

  test("hide a sentence with a value of the request, however it is written", () => {
    const quoting = (text: string) => ({ field: "end_user_name", message: `is not valid: ${text}` })
    expect(shown(quoting("ada lovelace"), { end_user_name: "Ada Lovelace" }).message).toBe(MASK)
    expect(shown(quoting(String.raw`a\"b`), { end_user_name: 'a"b' }).message).toBe(MASK)
    expect(shown(quoting("7"), { end_user_name: 7 }).message).toBe(MASK)
    expect(shown(quoting("Bob"), { nested: [{ deep: "Bob" }] }).message).toBe(MASK)
    expect(shown(quoting("Bob"), null, ["Bob"]).message).toBe(MASK)
    expect(shown(quoting("anything"), undefined).message).toBe(MASK)
  })

  test("hide a name that no schema has, and the sentence with it", () => {
    expect(shown({ field: "Bob's phone", message: "must not contain NUL" }, {})).toEqual({
      field: MASK,
      message: MASK,
    })
    expect(maskedName("payload_limit.Bob", names)).toBe(MASK)
    expect(maskedName("items.3", new Set(namesIn(Schema.Struct({ items: Schema.String }).ast)))).toBe(
      "items.3",
    )
  })
})
