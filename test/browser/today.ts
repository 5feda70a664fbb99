/** Today of a site, from the link on the board, over a service that a test has started: it follows the present, goes back, and returns. */

import { expect, test } from "vitest"
import { column } from "./board-service.ts"
import type { BoardService } from "./board-service.ts"

export function testsOfToday({ openBoard, booked, report, operate }: BoardService): void {
  test("today can be rewound: it follows what happens, goes back and returns to now, and offers no other day", async () => {
    const id = await booked("1301")
    const { page, strayed, complaints, close } = await openBoard()
    await column(page, "Due").getByRole("button", { name: /1301/ }).waitFor()
    await page.getByRole("link", { name: "Rewind today" }).click()
    await page.getByRole("heading", { name: "Today", level: 1 }).waitFor()
    const isNow = page.getByRole("button", { name: "Now", exact: true })
    await expect.poll(() => isNow.getAttribute("aria-pressed")).toBe("true")
    expect(await page.getByRole("region", { name: "Environment" }).textContent()).toContain("PRODUCTION")
    for (const name of ["What if", "Save as one file", "Compute again"])
      expect(await page.getByRole("button", { name }).count(), name).toBe(0)
    expect(await page.getByText("digest").count()).toBe(0)
    expect(new URL(page.url()).hash).not.toContain("t=")

    // What happens is read, and the playhead goes on with it.
    const step = async (path: string, body: object = {}): Promise<void> => {
      expect((await operate("POST", `/reservations/${id}/${path}`, body)).status).toBe(200)
    }
    await step("runner", { runner_id: "run_rewound" })
    await step("at-store")
    await step("order-in-hand")
    await report(id, "ARRIVED")
    await page.keyboard.press("/")
    await page.getByRole("dialog").getByRole("searchbox").fill("run_rewound")
    await page
      .getByRole("dialog")
      .getByRole("button", { name: /carries/ })
      .click()
    const panel = page.getByRole("complementary", { name: "Picked actor" })
    await panel.getByRole("heading", { name: new RegExp(`carries ${id.slice(-5)}$`) }).waitFor()
    await expect.poll(() => isNow.getAttribute("aria-pressed")).toBe("true")
    await step("at-unit")
    await panel.getByRole("heading", { name: /waits at the stall with/ }).waitFor()
    // No person of the order is on the page.
    expect(await page.evaluate("document.body.textContent")).not.toMatch(/Ada|Dana|5550123|Sample St/)

    // Back to the counter, and to now.
    for (let back = 0; back < 12; back += 1) {
      if (
        /picks up|walks to the counter/.test((await panel.getByRole("heading").first().textContent()) ?? "")
      )
        break
      await page.keyboard.press(",")
    }
    await panel.getByRole("heading", { name: /picks up|walks to the counter/ }).waitFor()
    expect(await isNow.getAttribute("aria-pressed")).toBe("false")
    await expect.poll(() => new URL(page.url()).hash).toContain("t=")
    const copied = page.url()
    await page.keyboard.press("t")
    await panel.getByRole("heading", { name: /waits at the stall with/ }).waitFor()
    expect(await isNow.getAttribute("aria-pressed")).toBe("true")

    // The address of a moment opens it.
    await page.goto("about:blank")
    await page.goto(copied)
    await panel.getByRole("heading", { name: /picks up|walks to the counter/ }).waitFor()
    expect(await isNow.getAttribute("aria-pressed")).toBe("false")
    expect([strayed, complaints]).toEqual([[], []])
    await close()
    await operate("POST", `/reservations/${id}/cancel`, { by: "ops" })
  })
}
