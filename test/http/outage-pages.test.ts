/** What a browser gets when a page cannot be answered: the database is away, or more requests come in than can be worked on. */

import { onTestFinished, expect, test } from "vitest"
import { TurnedAway } from "../../src/model/values/errors.ts"
import { bareApp } from "./bare-app.ts"

const BROWSER = "text/html,application/xhtml+xml,*/*;q=0.8"

/** A host whose page and form fail like this. */
async function failingWith(fault: unknown) {
  const app = await bareApp()
  onTestFinished(() => app.close())
  const fail = async (): Promise<never> => {
    throw fault
  }
  app.get("/page", fail)
  app.post("/form", fail)
  return async (method: "GET" | "POST", url: string, headers: Readonly<Record<string, string>>) => {
    const { statusCode, body, headers: answered } = await app.inject({ method, url, headers })
    return {
      status: statusCode,
      body,
      type: answered["content-type"],
      again: answered["retry-after"],
      answered,
    }
  }
}

const AWAY = Object.assign(new Error("connect ECONNREFUSED"), { isOutage: true })

test.each([
  ["a database that is away", AWAY],
  ["a full queue", new TurnedAway({ code: "OVERLOADED" })],
])("%s gives a browser a page that says so and asks again by itself", async (_, fault) => {
  const ask = await failingWith(fault)
  const page = await ask("GET", "/page", { accept: BROWSER })
  expect([page.status, page.type, page.again]).toEqual([503, "text/html; charset=utf-8", "2"])
  expect(page.answered["cache-control"]).toBe("no-store")
  expect(page.body).toContain("This page loads by itself")
  expect(page.body).toContain("location.reload()")
  expect(page.answered["content-security-policy"]).toContain("connect-src 'self'")
  expect(page.body).not.toContain("ECONNREFUSED")
})

test("a form that a browser sent is not sent again by itself", async () => {
  const ask = await failingWith(AWAY)
  const page = await ask("POST", "/form", { accept: BROWSER })
  expect([page.status, page.type]).toEqual([503, "text/html; charset=utf-8"])
  expect(page.body).toContain("look whether it was done")
  expect(page.body).not.toContain("<script")
})

test.each([
  ["a script of a page", { accept: "*/*" }],
  ["a program with a key", { accept: BROWSER, authorization: "Bearer ck_sbx_unknown" }],
])("%s gets the error of the APIs", async (_, headers) => {
  const ask = await failingWith(AWAY)
  const { status, body, again } = await ask("GET", "/page", headers)
  expect([status, JSON.parse(body).code, again]).toEqual([503, "UNAVAILABLE", "2"])
})
