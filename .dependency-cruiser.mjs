/**
 * The direction of imports:
 * model ← machines, kernel ← services ← store, gateways ← live ← http, mcp ← cli, main.
 * services ← composition ← simulation ← fleet, live: the composition lists what the areas provide to both hosts.
 * chart and web read machines and model. Machines and kernel meet only where a host hands the registry to the kernel.
 */

/** Modules `from` may reach no file of this project outside `allowed` and themselves. */
function only(name, from, allowed, comment) {
  return {
    name,
    comment,
    severity: "error",
    from: { path: from },
    to: { path: "^(machines|src|scenarios|test)/", pathNot: [from, ...allowed].flat() },
  }
}

const MODEL = "^src/model/"
const MACHINES = "^machines/"
const CONTRACTS = "^machines/([a-z-]+-contract|contracts)[.]ts$"
const KERNEL = "^src/engine/kernel/"
const SERVICES = [
  "^src/engine/services/",
  "^src/areas/[^/]+/(?!(http|memory|scenario|store)/)",
  "^src/(inspector|operations|operators|portal|runner)/(?!(http|memory|store)/)",
]
/** Folders of areas and doors that belong to a layer above the services. */
const part = (...names) => [
  `^src/areas/[^/]+/(${names.join("|")})/`,
  `^src/(inspector|operations|operators|portal|runner)/(${names.join("|")})/`,
]
const COMPOSITION = "^src/apps/composition/"
const HTML = "^src/pages/html/"
const LIBRARIES = "^src/engine/library-internals/"
/** The simulated service with everything under it. */
const SIMULATION = [
  "^src/simulation/",
  part("memory", "scenario"),
  COMPOSITION,
  SERVICES,
  KERNEL,
  MACHINES,
  MODEL,
].flat()
/** How threads begin. */
const LOADING = "^src/(module-places|thread-pool)[.]ts$"

/** Folders of services that several areas share; like the engine's ports beside them, they know no area. */
const SHARED = ["geocoding", "outbound", "photos", "rate-limits", "retention", "tables"]
/** Areas and then doors, lowest first. Each may import those before it, so there is no cycle between them. */
const AREAS = [
  "access",
  "clock",
  "catalog",
  "messages",
  "webhooks",
  "analytics",
  "dispatch",
  "linking",
  "reservations",
  "runner-phones",
  "direct-delivery",
  "courier",
  "compartments",
  "tracking",
  "courses",
]
/** What people use: made of the areas' commands, beside HTTP and MCP. */
const DOORS = ["portal", "operators", "inspector", "operations", "runner"]
const IN_ORDER = [...AREAS, ...DOORS]

const foldersOf = (names) => `^src/(areas/)?(${names.join("|")})/`

const orderOfAreas = [
  {
    name: "areas-are-listed",
    comment: "The lists above say what is shared, and which place an area has.",
    severity: "error",
    from: {
      path: ["^src/engine/services/[^/]+/", "^src/areas/"],
      pathNot: [`^src/engine/services/(${SHARED.join("|")})/`, foldersOf(AREAS)],
    },
    to: {},
  },
  {
    name: "shared-services-know-no-area",
    comment: "What several areas use knows none of them.",
    severity: "error",
    from: { path: "^src/engine/services/" },
    to: { path: foldersOf(IN_ORDER) },
  },
  ...IN_ORDER.slice(0, -1).map((area, place) => ({
    name: `${area}-knows-lower-areas`,
    comment:
      "An area imports areas below it. What is above implements a port of it, or the composition joins them.",
    severity: "error",
    from: { path: foldersOf([area]) },
    to: { path: foldersOf(IN_ORDER.slice(place + 1)) },
  })),
]

export default {
  forbidden: [
    ...orderOfAreas,
    only("model-stands-alone", MODEL, [], "The nouns of the field depend on nothing of ours."),
    only("machines-know-the-model", MACHINES, [MODEL], "A machine decides; it sees the model alone."),
    only("kernel-knows-the-model", KERNEL, [MODEL], "The kernel is handed its machines as a program."),
    only(
      "library-internals-stand-alone",
      LIBRARIES,
      [],
      "What we rely on inside of libraries knows nothing of ours.",
    ),
    only("html-stands-alone", HTML, [], "What every page is made in depends on nothing of ours."),
    only(
      "services-stay-inside",
      SERVICES,
      [MODEL, KERNEL, MACHINES, LIBRARIES],
      "No store, no gateway, no HTTP.",
    ),
    {
      name: "only-the-engine-reaches-into-libraries",
      comment: "Areas and doors use documented interfaces of libraries.",
      severity: "error",
      from: { path: SERVICES, pathNot: "^src/engine/services/" },
      to: { path: LIBRARIES },
    },
    {
      name: "services-name-the-engine-by-type",
      comment:
        "A service speaks to the engine through its host's port: types of kernel and machines, and contracts, never other values.",
      severity: "error",
      from: { path: SERVICES },
      to: { path: [KERNEL, MACHINES], pathNot: CONTRACTS, dependencyTypesNot: ["type-only"] },
    },
    only(
      "store-is-a-layer",
      ["^src/engine/store/", ...part("store")],
      [SERVICES, KERNEL, MACHINES, MODEL, LIBRARIES],
      "Beside it: gateways, simulation.",
    ),
    only(
      "gateways-are-a-layer",
      "^src/live/gateways/",
      [SERVICES, KERNEL, MACHINES, MODEL],
      "Beside them: store, simulation.",
    ),
    only(
      "composition-lists-the-areas",
      COMPOSITION,
      [SERVICES, KERNEL, MACHINES, MODEL],
      "One list for both hosts: no store, no gateway.",
    ),
    only(
      "simulation-is-a-host",
      ["^src/simulation/", ...part("memory", "scenario")],
      [COMPOSITION, SERVICES, KERNEL, MACHINES, MODEL, LIBRARIES],
      "Beside it: store, gateways.",
    ),
    only(
      "fleet-is-on-the-simulation",
      "^src/simulation/fleet/",
      [...SIMULATION, HTML, LOADING],
      "Capacity is answered by the simulated service, and by nothing beside it.",
    ),
    only(
      "swarm-is-on-the-simulation",
      "^src/simulation/swarm/",
      [...SIMULATION, LOADING],
      "Random runs of the simulated service; the command prints what they found.",
    ),
    only(
      "chart-draws-machines",
      "^src/pages/chart/",
      [MACHINES, MODEL, HTML],
      "A chart is drawn from the machine alone, in the colours of every page.",
    ),
    only(
      "inspection-reads-records",
      "^src/pages/inspection/",
      [MODEL, "^src/pages/chart/"],
      "A record is read from its text, here and in a page; charts are known by type.",
    ),
    only(
      "web-reads-records",
      "^src/pages/web/",
      [MODEL, HTML, "^src/pages/inspection/", "^src/pages/chart/"],
      "Pages get everything else through HTTP, or with them.",
    ),
    only(
      "pages-are-made-of-records",
      "^src/pages/bundling/",
      [MODEL, HTML, LOADING, "^src/pages/inspection/", "^src/pages/chart/", "^src/engine/kernel/hash[.]ts$"],
      "A page is made of its bundle and of a record.",
    ),
    {
      name: "browsers-know-no-node",
      comment: "What a page is bundled from runs without Node, XState and the layout engine.",
      severity: "error",
      from: { path: ["^src/pages/web/", "^src/pages/inspection/"] },
      to: {
        path: ["^src/pages/chart/(layout|svg|registered-machine)[.]ts$", "^node_modules/(xstate|elkjs)/"],
      },
    },
    {
      name: "browsers-know-no-node-modules",
      comment: "The same, for what Node brings.",
      severity: "error",
      from: { path: ["^src/pages/web/", "^src/pages/inspection/"] },
      to: { dependencyTypes: ["core"] },
    },
    {
      name: "live-is-below-the-surfaces",
      comment: "Wiring on real time may use all that is below it.",
      severity: "error",
      from: { path: "^src/(live|swarm-sql)/" },
      to: {
        path: [
          "^src/(http|mcp|web|cli)/",
          ...part("http"),
          "^src/(main|calling|forecasting)[.]ts$",
          "^(scenarios|test)/",
        ],
      },
    },
    only(
      "http-translates",
      ["^src/http/", ...part("http")],
      [SERVICES, MODEL, HTML],
      "HTTP translates and delegates: no store, no kernel.",
    ),
    only(
      "client-stands-alone",
      "^src/client/",
      [],
      "Partners get it without the server; it knows the service by its documents.",
    ),
    {
      name: "client-needs-one-package",
      comment: "What it imports is installed with it, and runs beside Node too.",
      severity: "error",
      from: { path: "^src/client/", pathNot: "^src/client/build[.]js$" },
      to: { path: "^node_modules/", pathNot: "^node_modules/openapi-fetch/" },
    },
    {
      name: "client-knows-no-node",
      comment: "The same, for what Node brings.",
      severity: "error",
      from: { path: "^src/client/", pathNot: "^src/client/build[.]js$" },
      to: { dependencyTypes: ["core"] },
    },
    only(
      "mcp-translates",
      "^src/apps/mcp/",
      [SERVICES, MODEL],
      "MCP translates and delegates: no store, no kernel.",
    ),
    {
      name: "nothing-imports-the-ends",
      comment:
        "cli, main, calling and forecasting are where the program is put together; scenarios and tests use it.",
      severity: "error",
      from: { path: "^(machines|src)/", pathNot: ["^src/cli/", "^src/(main|calling|forecasting)[.]ts$"] },
      to: { path: ["^src/cli/", "^src/(main|calling|forecasting)[.]ts$"] },
    },
    {
      name: "program-without-tests",
      severity: "error",
      from: { path: "^(machines|src|scenarios)/" },
      to: { path: "^test/" },
    },
    {
      name: "xstate-in-its-places",
      comment:
        "XState is reached through machines/, those of the world of fleets, and two files of the kernel, so that its next version replaces those.",
      severity: "error",
      from: {
        path: "^(src|scenarios)/",
        pathNot: [
          "^src/engine/kernel/(planned-)?step[.]ts$",
          "^src/pages/chart/",
          "^src/simulation/fleet/world/machines/",
        ],
      },
      to: { path: "^node_modules/xstate/" },
    },
    {
      name: "machines-need-xstate-alone",
      comment: "A machine runs in any XState tool as it is.",
      severity: "error",
      from: { path: MACHINES, pathNot: CONTRACTS },
      to: { path: "^node_modules/", pathNot: "^node_modules/xstate/" },
    },
    {
      name: "machines-name-contracts-by-type",
      comment: "Schemas are loaded where something is decoded; a machine decodes nothing.",
      severity: "error",
      from: { path: MACHINES, pathNot: CONTRACTS },
      to: { path: CONTRACTS, dependencyTypesNot: ["type-only"] },
    },
    { name: "no-cycles", severity: "error", from: {}, to: { circular: true } },
    { name: "no-unknown-modules", severity: "error", from: {}, to: { couldNotResolve: true } },
    {
      name: "dependencies-are-declared",
      severity: "error",
      from: {},
      to: { dependencyTypes: ["npm-no-pkg", "npm-unknown"] },
    },
    {
      name: "program-without-dev-dependencies",
      severity: "error",
      // The bundler is loaded where no page was built beforehand, which is in a checkout alone.
      from: {
        path: "^(machines|src|scenarios)/",
        pathNot: [
          "^src/pages/bundling/build[.]ts$",
          "^src/cli/(api-types|machine-lines)[.]ts$",
          "^src/pages/web/design/icon[.]tsx$",
        ],
      },
      to: { dependencyTypes: ["npm-dev"], pathNot: "^node_modules/@types/" },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    exclude: { path: "^(coverage|[.]curbline|src/client/dist)/" },
    // Type imports count, and rules can tell them from values.
    tsPreCompilationDeps: "specify",
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "node", "default", "types"],
    },
  },
}
