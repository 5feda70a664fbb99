/** The state of the studio's page without a browser: answers that come late, fail once or break off. */

import { afterEach, expect, test, vi } from "vitest"
import { Client, StudioFault } from "../../../src/pages/web/studio/client.ts"
import type { FileRead, Progress, RunAnswer } from "../../../src/pages/web/studio/contract.ts"
import type { FleetNumber } from "../../../src/model/replay/number-text.ts"
import type { FleetRead } from "../../../src/pages/web/studio/fleets/fleet-contract.ts"
import { NO_FLEET, fleetActionsOf } from "../../../src/pages/web/studio/fleets/fleet-state.ts"
import type { FleetState } from "../../../src/pages/web/studio/fleets/fleet-state.ts"
import { FormShapes } from "../../../src/pages/web/studio/form/form-changes.ts"
import { actionsOf } from "../../../src/pages/web/studio/studio-actions.ts"
import { NOTHING } from "../../../src/pages/web/studio/studio-state.ts"
import type { StudioState, StudioStore } from "../../../src/pages/web/studio/studio-state.ts"

afterEach(() => {
  vi.unstubAllGlobals()
})

const FILE: FileRead = {
  path: "a.yaml",
  text: "scenario: A",
  version: "1",
  isTypeScript: false,
  problems: [],
  steps: [],
}
const NO_RUN: RunAnswer = { problems: [], runs: [], inspector: null }

function storeOf<State extends object>(beginning: State) {
  let state = beginning
  return {
    get: () => state,
    set: (change: Partial<State>) => {
      state = { ...state, ...change }
    },
  }
}

function studioOf(client: Partial<Client>, state: Partial<StudioState> = {}): StudioStore {
  return {
    ...storeOf<StudioState>({ ...NOTHING, file: FILE, text: FILE.text, ...state }),
    client: client as Client,
    drafts: new Map(),
    lastByPath: new Map(),
    inMemoryByPath: new Map(),
    opening: FILE.path,
    reading: null,
    writing: Promise.resolve(null),
    askedAgain: null,
    editing: Promise.resolve(null),
    read: null,
    shapes: new FormShapes(),
    stopping: null,
    stoppingAll: null,
    stoppingSeeds: null,
    charts: null,
  }
}

test("pictures of machines that could not be read once are read again with the next run", async () => {
  const charts = vi
    .fn<Client["charts"]>()
    .mockRejectedValueOnce(new StudioFault(503, { message: "too busy" }))
    .mockResolvedValue([])
  const store = studioOf({ charts, run: () => Promise.resolve(NO_RUN) })
  const actions = actionsOf(store)
  await actions.saveAndRun()
  expect([store.get().fault, store.get().last]).toEqual(["too busy", null])
  await actions.saveAndRun()
  expect([store.get().fault, store.get().last?.path]).toEqual([null, FILE.path])
})

test("Run means the file that was chosen last, also while it is being read, and nothing when it cannot be read", async () => {
  vi.stubGlobal("location", { pathname: "/", hash: "" })
  vi.stubGlobal("history", { replaceState: () => undefined })
  const ran: string[] = []
  const answers = new Map([
    ["b.yaml", Promise.withResolvers<FileRead>()],
    ["c.yaml", Promise.withResolvers<FileRead>()],
  ])
  const client: Partial<Client> = {
    read: (path) =>
      answers.get(path)?.promise ?? Promise.reject(new StudioFault(404, { message: "The file is gone." })),
    charts: () => Promise.resolve([]),
    run: async ({ path }) => {
      ran.push(path)
      return NO_RUN
    },
  }
  const store = studioOf(client)
  const actions = actionsOf(store)
  const opening = actions.open("b.yaml")
  const running = actions.saveAndRun()
  answers.get("b.yaml")?.resolve({ ...FILE, path: "b.yaml" })
  await Promise.all([opening, running])
  expect(ran).toEqual(["b.yaml"])
  const failing = actions.open("c.yaml")
  const inVain = actions.saveAndRun()
  answers.get("c.yaml")?.reject(new StudioFault(404, { message: "The file is gone." }))
  await Promise.all([failing, inVain])
  expect(ran).toEqual(["b.yaml"])
  // The file that stayed open runs again when it is asked for.
  await actions.saveAndRun()
  expect(ran).toEqual(["b.yaml", "b.yaml"])
})

test("Run all is stopped by its own button, also when a file ran beside it", async () => {
  const all = Promise.withResolvers<AbortSignal>()
  const runAll: Client["runAll"] = (_, __, signal) => {
    all.resolve(signal)
    return new Promise((_resolve, reject) => {
      signal.addEventListener("abort", () => reject(new DOMException("stopped", "AbortError")))
    })
  }
  const store = studioOf({
    runAll,
    charts: () => Promise.resolve([]),
    run: () => Promise.resolve(NO_RUN),
  })
  const actions = actionsOf(store)
  const running = actions.runAll()
  const signal = await all.promise
  await actions.saveAndRun()
  actions.stop()
  expect([signal.aborted, store.get().last?.path]).toEqual([false, FILE.path])
  actions.stopAll()
  await running
  expect([signal.aborted, store.get().runningAll]).toEqual([true, null])
})

test("a stream that breaks off says that the studio does not answer", async () => {
  const encoder = new TextEncoder()
  const broken = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(encoder.encode('{"is":"start","files":2,"leftOut":[]}\n')),
    pull: (controller) => controller.error(new TypeError("network error")),
  })
  vi.stubGlobal("fetch", () => Promise.resolve(new Response(broken)))
  const lines: Progress[] = []
  const { signal } = new AbortController()
  const reading = new Client("token").runAll("memory", (line) => lines.push(line), signal)
  await expect(reading).rejects.toThrow(StudioFault)
  expect(lines.map(({ is }) => is)).toEqual(["start"])
})

const RUNNERS: FleetNumber = {
  group: "People",
  label: "runners",
  unit: "",
  value: 2,
  line: 1,
  column: 10,
  length: 1,
  min: 0,
  max: 10,
  step: 1,
  setBy: null,
  firstCase: null,
  settings: [],
}

function fleetRead(path: string, value = RUNNERS.value): FleetRead {
  const text = `runners: ${value}`
  const numbers = [{ ...RUNNERS, value }]
  return { path, text, version: text, title: path, because: "", problems: [], numbers }
}

function fleetOf(client: Partial<Client>, state: Partial<FleetState> = {}) {
  const store = storeOf<FleetState>({ ...NO_FLEET, ...state })
  const actions = fleetActionsOf({
    ...store,
    client: client as Client,
    opening: null,
    stopping: null,
    kept: new Map(),
  })
  return { store, actions }
}

test("of two fleet models that are chosen one after the other the second is open, whichever is read first", async () => {
  vi.stubGlobal("location", { pathname: "/", hash: "" })
  vi.stubGlobal("history", { replaceState: () => undefined })
  const first = Promise.withResolvers<FleetRead>()
  const readFleet: Client["readFleet"] = (path) =>
    path === "first.yaml" ? first.promise : Promise.resolve(fleetRead(path))
  const { store, actions } = fleetOf({ readFleet })
  const opening = actions.open("first.yaml")
  await actions.open("second.yaml")
  first.resolve(fleetRead("first.yaml"))
  await opening
  expect(store.get().open?.path).toBe("second.yaml")
})

test("a number that is moved while the model is being written stays moved", async () => {
  const saving = Promise.withResolvers<{ version: string }>()
  const { store, actions } = fleetOf(
    { save: () => saving.promise, readFleet: (path) => Promise.resolve(fleetRead(path, 3)) },
    { open: fleetRead("lunch.yaml") },
  )
  actions.move(RUNNERS, 3)
  const saved = actions.save()
  actions.move(RUNNERS, 4)
  saving.resolve({ version: "2" })
  await saved
  const [moved] = store.get().changed.values()
  expect([moved, [...store.get().unsaved]]).toEqual([4, ["lunch.yaml"]])
})
