/** Fleet replay on the sandbox host in the states that it has: playing, picked, with two days, computing and failing. */

import type { Page } from "playwright-core"
import { madeUpChunk, madeUpHead, partOf } from "../pages/web/made-up-course.ts"
import type { Shot } from "./portal-states.ts"

/** A worker that says the first hour and a half of a made-up run, and then what is given; without it, nothing more. */
export async function workerThat(page: Page, end: object | null): Promise<void> {
  const part = partOf(madeUpChunk(), 0, 90 * 60_000)
  const text = JSON.stringify(part, (_, value: unknown) =>
    ArrayBuffer.isView(value) ? { column: value.constructor.name, rows: [...(value as Uint32Array)] } : value,
  )
  const script = `
    const made = JSON.parse(${JSON.stringify(text)}, (_, value) => value?.column ? new globalThis[value.column](value.rows) : value)
    self.onmessage = ({ data: { type, token } }) => {
      if (type !== "open") return
      postMessage({ type: "opened", token, head: ${JSON.stringify(madeUpHead())}, numbers: [], offers: [] })
      postMessage({ type: "chunk", token, turns: 4812, chunk: made })
      const end = ${JSON.stringify(end)}
      if (end !== null) postMessage({ ...end, token })
    }`
  await page.route(/replay-worker/, (route) =>
    route.fulfill({ body: script, contentType: "text/javascript" }),
  )
}

/** The demo's lunch, at its peak. */
export async function takeReplay(
  page: Page,
  sandbox: string,
  take: (page: Page, shot: Shot) => Promise<void>,
): Promise<void> {
  const url = `${sandbox}/replay#t=1:32:00`
  const computed = (): Promise<void> => page.locator("[data-digest]").waitFor({ state: "attached" })
  const takeState = (state: string, act: () => Promise<void>): Promise<void> =>
    take(page, { name: `replay-${state}`, url, act })
  await takeState("playing", async () => {
    await computed()
    await page.getByRole("button", { name: "Play", exact: true }).click()
  })
  await takeState("picked", async () => {
    await computed()
    await page.locator(".ticket").first().click()
    await page.locator(".actor h2").waitFor()
  })
  await takeState("two-days", async () => {
    await computed()
    await page.keyboard.press("w")
    await page
      .getByRole("slider", { name: /^Vehicles at / })
      .first()
      .fill("1")
    const bar = page.getByRole("region", { name: "Two days" })
    await bar.locator(".headline strong").waitFor()
    await bar.getByRole("button", { name: "Both" }).click()
  })
  for (const [state, end] of [
    ["computing", null],
    ["failing", { type: "failed", mistake: { message: "no way leads to the store", place: null } }],
  ] as const) {
    await workerThat(page, end)
    await takeState(state, async () => {
      await page
        .locator(end === null ? ".computing-card" : "[role=alert]")
        .first()
        .waitFor()
    })
    await page.unroute(/replay-worker/)
  }
}
