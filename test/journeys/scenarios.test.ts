/** A developer who makes things fail in the sandbox: real processes, a real receiver, kills during a course, on both databases. */

import { afterAll, beforeAll, expect, test } from "vitest"
import { Receiver, developerOf, expectReplayed } from "./sandbox-developer.ts"
import { databasesOf, onDatabases } from "./served.ts"
import type { Json } from "./served.ts"

const MINUTE_MS = 60_000
const databases = databasesOf("the embedded database")

onDatabases("scenarios of the sandbox", { databases, words: ["--demo"] }, (served) => {
  const receiver = new Receiver()
  const ask = developerOf(served)

  beforeAll(() => receiver.open())
  afterAll(() => receiver.close())

  const runOf = async (id: string): Promise<Json> =>
    (await ask("GET", `/sandbox/v1/scenarios/runs/${id}`)).data.run
  const ended = async (id: string): Promise<Json> => {
    await expect.poll(async () => (await runOf(id)).status).not.toBe("running")
    return runOf(id)
  }
  const played = async (body: object): Promise<Json> => {
    const begun = await ask("POST", "/sandbox/v1/scenarios", body)
    expect([begun.code, begun.status === 200 || begun.status === 202]).toEqual([undefined, true])
    return ended(begun.data.run.id)
  }
  const outcomes = (run: Json): readonly string[] => run.steps.map((step: Json) => step.status)
  const ofReservation = (id: string): readonly Json[] =>
    receiver.events.filter((body) => body.data?.reservation?.reservation_id === id)

  test("every scenario of the list plays to its end for a new delivery or reservation", async () => {
    const made = await ask("POST", "/rs/v1/webhooks", {
      url: receiver.url,
      subscribed_events: ["reservation.status_changed", "reservation.exception"],
    })
    expect(made.status).toBe(201)
    const { scenarios } = (await ask("GET", "/sandbox/v1/scenarios")).data
    expect(scenarios.length).toBeGreaterThanOrEqual(6)
    for (const { name, steps } of scenarios) {
      const run = await played({ scenario: name })
      expect([name, run.status, run.code]).toEqual([name, "finished", null])
      expect(outcomes(run)).toHaveLength(steps.length)
      for (const outcome of outcomes(run))
        expect([name, ["done", "as_expected"]]).toEqual([name, expect.arrayContaining([outcome])])
    }
  })

  test("the bot does not come: the exception arrives once, at the organization's instant", async () => {
    const run = await played({ scenario: "bot_no_show" })
    const told = ofReservation(run.reservation_id).filter((body) => body.data.reason_code === "bot_no_show")
    expect(told).toHaveLength(1)
    expect(Date.parse(told[0].occurred_at)).toBe(Date.parse(run.steps[4].at))
    // The sandbox has cancelled what it made.
    const { reservation } = (await ask("GET", `/rs/v1/reservations/${run.reservation_id}`)).data
    expect(reservation.status).toBe("canceled")
  })

  test("the process is killed during a course: it goes on, and no step happens twice", async () => {
    receiver.isHolding = true
    const begun = await ask("POST", "/sandbox/v1/scenarios", { scenario: "bot_no_show" })
    expect([begun.status, begun.data.run.status]).toEqual([202, "running"])
    const { id, reservation_id: reservationId } = begun.data.run
    const again = await ask("POST", "/sandbox/v1/scenarios", { scenario: "payload_rejected" })
    expect([again.status, again.code]).toEqual([409, "CLOCK_IS_MOVING"])
    await served.process().kill()
    receiver.release()
    await served.start()
    const run = await ended(id)
    expect(run.status).toBe("finished")
    expect(outcomes(run)).toEqual(["done", "done", "done", "done", "as_expected", "as_expected"])
    const minutes = run.steps.map(({ at }: Json) =>
      Math.round((Date.parse(at) - Date.parse(run.steps[0].at)) / MINUTE_MS),
    )
    expect(minutes).toEqual([0, 2, 5, 9, 19, 19])
    const turns = run.happened.items.filter((one: Json) => one.group === `reservation/${reservationId}`)
    const commands = turns.filter((one: Json) => one.cause === "command").map((one: Json) => one.event)
    expect(commands.slice(0, 4)).toEqual([
      "runner.assigned",
      "runner.at_store",
      "order.in_hand",
      "runner.at_unit",
    ])
    // The cancellation of what the sandbox made.
    expect(commands).toHaveLength(5)
  })

  test("killed again and again, a delivery's course ends as one that was not", async () => {
    const made = await ask("POST", "/dd/v1/webhooks", {
      url: receiver.url,
      events: ["pickup_status.changed"],
    })
    expect(made.status).toBe(201)
    receiver.isHolding = true
    const begun = await ask("POST", "/sandbox/v1/scenarios", { scenario: "vehicle_breaks_down" })
    expect([begun.status, begun.data?.run.status]).toEqual([202, "running"])
    const { id } = begun.data.run
    for (let kills = 0; kills < 2; kills += 1) {
      await served.process().kill()
      if (kills === 1) receiver.release()
      await served.start()
      if (kills === 0) expect((await runOf(id)).status).toBe("running")
    }
    const run = await ended(id)
    expect([run.status, ...outcomes(run)]).toEqual([
      "finished",
      "done",
      "done",
      "done",
      "done",
      "as_expected",
      "done",
    ])
    const events = run.happened.items
      .filter((one: Json) => one.group === `delivery/${run.delivery_id}` && one.cause === "command")
      .map((one: Json) => one.event)
    expect(events).toEqual(["step.advanced", "step.advanced", "cancel.requested"])
    // The vehicle is back.
    expect((await played({ scenario: "no_vehicle" })).status).toBe("finished")
  })

  test("production has none, and the journal replays to the same hashes", async () => {
    const { production } = served.process().urls
    const { status } = await ask("GET", "/sandbox/v1/scenarios", undefined, production)
    expect(status).toBe(404)
    await expectReplayed(served)
  })
})
