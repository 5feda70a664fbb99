/**
 * The direction of imports: one line of rooms. A room imports the rooms after it, and never one before it.
 * `client` stands alone. Inside a room, the rules below say more.
 */
const ROOMS = ["cli", "live", "simulation", "apps", "areas", "http", "pages", "engine", "machines", "model"]
const room = (name) => (name === "machines" ? "^machines/" : `^src/${name}/`)

const MODEL = room("model")
const MACHINES = room("machines")
const CONTRACTS = "^machines/([a-z-]+-contract|contracts)[.]ts$"
const KERNEL = "^src/engine/kernel/"
const HTML = "^src/pages/html/"
const LIBRARIES = "^src/engine/library-internals/"
/** How threads begin. */
const THREADS = "^src/engine/threads/"
/** The commands of the service: neither HTTP nor rows of a database. */
const COMMANDS = [
  "^src/engine/services/",
  "^src/http/access/(?!(memory|store)/)",
  "^src/areas/[^/]+/(?!(http|memory|store)/)",
  "^src/apps/(developers|inspector|operations|operators|portal|runner)/(?!(http|memory|store)/)",
]
/** Folders of areas and apps for one side of them: their routes, their rows. */
const part = (...names) => [
  `^src/(areas|apps)/[^/]+/(${names.join("|")})/`,
  `^src/http/access/(${names.filter((name) => name !== "http").join("|") || "none"})/`,
]

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

/** Modules `from` may not reach `to`. */
const never = (name, from, to, comment) => ({
  name,
  comment,
  severity: "error",
  from: { path: from },
  to: { path: to },
})

/** Each of `names` may import those before it. */
const inOrder = (names, folder, what) =>
  names
    .slice(0, -1)
    .map((name, place) =>
      never(
        `${name}-knows-lower-${what}`,
        folder([name]),
        folder(names.slice(place + 1)),
        "What is above implements a port of it, or the composition joins them.",
      ),
    )

const rooms = [
  ...ROOMS.map((name, place) =>
    only(
      `${name}-imports-rooms-after-it`,
      room(name),
      ROOMS.slice(place + 1).map(room),
      "One line of rooms; see src/README.md.",
    ),
  ),
  only("client-stands-alone", "^src/client/", [], "Partners get it without the server."),
  never(
    "pages-are-open-through-html",
    ["http", "areas", "apps", "simulation"].map(room),
    "^src/pages/(?!html/)",
    "A route writes HTML; the pages that run in a browser are put into the service by live and cli.",
  ),
]

/** Folders of the engine's services that several areas share; like the engine's ports beside them, they know no area. */
const SHARED = ["geocoding", "outbound", "photos", "rate-limits", "retention", "tables"]
/** Lowest first. */
const AREAS = [
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
  "agents",
]
/** What people use, lowest first. The composition, MCP and the request log stand beside them. */
const APPS = ["portal", "operators", "inspector", "operations", "runner"]
const foldersOf = (where) => (names) => `^src/${where}/(${names.join("|")})/`

const areas = [
  {
    name: "areas-are-listed",
    comment: "The lists above say what is shared, and which place an area has.",
    severity: "error",
    from: {
      path: ["^src/engine/services/[^/]+/", "^src/areas/"],
      pathNot: [foldersOf("engine/services")(SHARED), foldersOf("areas")(AREAS)],
    },
    to: {},
  },
  ...inOrder(AREAS, foldersOf("areas"), "areas"),
  ...inOrder(APPS, foldersOf("apps"), "apps"),
]

const insideRooms = [
  only("kernel-knows-the-model", KERNEL, [MODEL], "The kernel is handed its machines as a program."),
  only(
    "library-internals-stand-alone",
    LIBRARIES,
    [],
    "What we rely on inside of libraries knows nothing of ours.",
  ),
  only("html-stands-alone", HTML, [], "What every page is made in depends on nothing of ours."),
  only(
    "commands-stay-inside",
    COMMANDS,
    [MODEL, KERNEL, MACHINES, LIBRARIES],
    "No store, no gateway, no HTTP.",
  ),
  {
    name: "only-the-engine-reaches-into-libraries",
    comment: "Areas and apps use documented interfaces of libraries.",
    severity: "error",
    from: { path: COMMANDS, pathNot: "^src/engine/services/" },
    to: { path: LIBRARIES },
  },
  {
    name: "commands-name-the-engine-by-type",
    comment:
      "A command speaks to the engine through its host's port: types of kernel and machines, and contracts, never other values.",
    severity: "error",
    from: { path: COMMANDS },
    to: { path: [KERNEL, MACHINES], pathNot: CONTRACTS, dependencyTypesNot: ["type-only"] },
  },
  only(
    "store-is-a-layer",
    ["^src/engine/store/", ...part("store")],
    [COMMANDS, KERNEL, MACHINES, MODEL, LIBRARIES],
    "Beside it: gateways, memory.",
  ),
  only(
    "memory-is-a-layer",
    ["^src/engine/memory/", ...part("memory")],
    [COMMANDS, KERNEL, MACHINES, MODEL, LIBRARIES],
    "Beside it: store, gateways.",
  ),
  only(
    "gateways-are-a-layer",
    "^src/live/gateways/",
    [COMMANDS, KERNEL, MACHINES, MODEL],
    "Beside them: store, memory.",
  ),
  only(
    "composition-lists-the-areas",
    "^src/apps/composition/",
    [COMMANDS, KERNEL, MACHINES, MODEL],
    "One list for both hosts: no store, no gateway.",
  ),
  only(
    "http-translates",
    ["^src/http/(?!access/)", "^src/apps/(request-log/|[^/]+$)", ...part("http")],
    [COMMANDS, MODEL, HTML, "^src/apps/mcp/"],
    "HTTP translates and delegates: no store, no kernel.",
  ),
  only("mcp-translates", "^src/apps/mcp/", [COMMANDS, "^src/http/", MODEL], "MCP translates and delegates."),
  never(
    "simulation-has-no-database",
    room("simulation"),
    ["^src/engine/store/", ...part("store")],
    "It is a host in memory.",
  ),
  {
    name: "steps-alone-are-operations",
    comment: "Handlers of endpoints answer the steps of scenarios. All else asks the services.",
    severity: "error",
    from: { path: room("simulation"), pathNot: "^src/simulation/scenario/operations[.]ts$" },
    to: { path: part("http") },
  },
  never(
    "fleets-know-no-scenario-runs",
    "^src/simulation/scenario/",
    "^src/simulation/(fleet|swarm|fork)/",
    "Fleets, forks and the swarm are made of scenarios.",
  ),
  only(
    "chart-draws-machines",
    "^src/pages/chart/",
    [MACHINES, MODEL, HTML],
    "A chart is drawn from the machine alone.",
  ),
  only(
    "inspection-reads-records",
    "^src/pages/inspection/",
    [MODEL, "^src/pages/chart/"],
    "A record is read from its text.",
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
    [
      MODEL,
      HTML,
      THREADS,
      "^src/pages/inspection/",
      "^src/pages/chart/",
      "^src/engine/(kernel/hash|services/made-once)[.]ts$",
    ],
    "A page is made of its bundle and of a record.",
  ),
  never(
    "browsers-know-no-xstate-and-no-layout",
    ["^src/pages/web/", "^src/pages/inspection/"],
    ["^src/pages/chart/(layout|svg|registered-machine)[.]ts$", "^node_modules/(xstate|elkjs)/"],
    "What a page is bundled from runs without XState and the layout engine.",
  ),
  {
    name: "simulations-know-no-node",
    comment:
      "They also run in a worker of a browser. What they need of Node's crypto is in src/model/digest.",
    severity: "error",
    from: {
      path: [
        MODEL,
        MACHINES,
        KERNEL,
        "^src/engine/(services|memory)/",
        "^src/http/access/(?!store/)",
        "^src/areas/[^/]+/(?!(http|store)/)",
        "^src/apps/(operations|operators|portal|runner|composition)/(?!(http|store)/)",
        "^src/simulation/(?!fleet/(parallel|fit|search|forecast)/)",
      ],
      pathNot: ["^src/model/digest/node[.]ts$", "^src/areas/linking/sealed-request[.]ts$"],
    },
    to: { dependencyTypes: ["core"] },
  },
  {
    name: "browsers-and-the-client-know-no-node",
    comment: "What Node brings is not there.",
    severity: "error",
    from: {
      path: ["^src/pages/web/", "^src/pages/inspection/", "^src/client/"],
      pathNot: "^src/client/build[.]js$",
    },
    to: { dependencyTypes: ["core"] },
  },
  {
    name: "client-needs-one-package",
    comment: "What it imports is installed with it, and runs beside Node too.",
    severity: "error",
    from: { path: "^src/client/", pathNot: "^src/client/build[.]js$" },
    to: { path: "^node_modules/", pathNot: "^node_modules/openapi-fetch/" },
  },
]

export default {
  forbidden: [
    ...rooms,
    ...areas,
    ...insideRooms,
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
          "^src/pages/bundling/(build|worker-bundle)[.]ts$",
          "^src/cli/generate/(api-types|machine-lines)[.]ts$",
          "^src/pages/web/design/icon[.]tsx$",
          // Types alone, of messages that a card and its host exchange.
          "^src/pages/web/card/host[.]ts$",
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
