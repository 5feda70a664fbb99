/** `npm run bench` measures the engine, `npm run bench -- start` the start of the service. Flags go to the benchmark. */

const [name = "engine"] = process.argv.slice(2).filter((word) => !word.startsWith("-"))
const benchmarks: Readonly<Record<string, () => Promise<unknown>>> = {
  engine: () => import("./engine.ts"),
  connections: () => import("./connections.ts").then(({ benchConnections }) => benchConnections()),
  analytics: () => import("./analytics.ts"),
  board: () => import("./board.ts").then(({ benchBoard }) => benchBoard()),
  mcp: () => import("./mcp.ts"),
  moment: () => import("./moment.ts").then(({ benchMoment }) => benchMoment()),
  estimates: () => import("./estimates.ts").then(({ benchEstimates }) => benchEstimates()),
  fleet: () => import("./fleet.ts").then(({ benchFleet }) => benchFleet()),
  "first-paint": () => import("./first-paint.ts").then(({ benchFirstPaint }) => benchFirstPaint()),
  layers: () => import("./layers.ts").then(({ benchLayers }) => benchLayers()),
  "group-list": () => import("./group-list.ts").then(({ benchGroupList }) => benchGroupList()),
  inspect: () => import("./inspect.ts").then(({ benchInspector }) => benchInspector()),
  "replay-frames": () => import("./replay-frames.ts").then(({ benchReplayFrames }) => benchReplayFrames()),
  relive: () => import("./relive.ts").then(({ benchRelive }) => benchRelive()),
  overload: () => import("./overload.ts").then(({ benchOverload }) => benchOverload()),
  "portal-lists": () => import("./portal-lists.ts").then(({ benchPortalLists }) => benchPortalLists()),
  streams: () => import("./streams.ts").then(({ benchStreams }) => benchStreams()),
  pool: () => import("./pool.ts").then(({ benchPool }) => benchPool()),
  dispatch: () => import("./dispatch.ts").then(({ benchDispatch }) => benchDispatch()),
  "silent-names": () => import("./silent-names.ts").then(({ benchSilentNames }) => benchSilentNames()),
  soak: () => import("./soak.ts").then(({ benchSoak }) => benchSoak()),
  start: () => import("./start.ts"),
  trips: () => import("./trips.ts").then(({ benchTrips }) => benchTrips()),
  webhooks: () => import("./webhooks.ts").then(({ benchWebhooks }) => benchWebhooks()),
  workers: () => import("./workers.ts").then(({ benchWorkers }) => benchWorkers()),
  streets: () => import("./streets.ts").then(({ benchStreets }) => benchStreets()),
  "wake-up": () => import("./wake-up.ts").then(({ benchWakeUp }) => benchWakeUp()),
}
const benchmark = benchmarks[name]
if (benchmark === undefined) {
  console.error(`there is no benchmark "${name}"; there are ${Object.keys(benchmarks).join(", ")}`)
  process.exitCode = 2
} else {
  await benchmark()
}
