import { defineConfig } from "oxlint"

/** Effects are run at the edges alone, never in the middle of the program. */
const effectRunners = [
  "runPromise",
  "runPromiseExit",
  "runFork",
  "runSync",
  "runSyncExit",
  "runCallback",
].map((property) => ({
  property,
  message: "effects are run in main, cli, the http bridge and the hosts alone",
}))

const effectRunnerImports = ["effect/Effect", "effect/Runtime", "effect/ManagedRuntime"].map((name) => ({
  name,
  importNames: effectRunners.map((runner) => runner.property),
  message: "effects are run in main, cli, the http bridge and the hosts alone",
}))

/**
 * What would make two runs of one seed differ. `new Date()` without arguments is one more: no rule here sees it, so
 * test/tidy.test.ts looks for it.
 */
const hostGlobals = [
  ...["setTimeout", "setInterval", "setImmediate", "queueMicrotask"].map((name) => ({
    name,
    message: "time passes on the run's clock: arm a timer, or Effect.sleep",
  })),
  { name: "performance", message: "the run's clock tells the time" },
  { name: "process", message: "configuration arrives in the start input or from a service" },
  { name: "crypto", message: "chance comes from the run's named streams" },
  { name: "fetch", message: "outside contact goes through a gateway" },
]

const hostProperties = [
  { object: "Date", property: "now", message: "the run's clock tells the time" },
  { object: "Math", property: "random", message: "chance comes from the run's named streams" },
  ...["hrtime", "env"].map((property) => ({
    object: "process",
    property,
    message: "configuration and time arrive from the run",
  })),
  ...["randomUUID", "randomBytes", "randomInt", "randomFillSync", "getRandomValues"].map((property) => ({
    property,
    message: "chance comes from the run's named streams",
  })),
]

const hostImports = [
  ...[
    "fs",
    "fs/promises",
    "http",
    "https",
    "http2",
    "net",
    "tls",
    "dgram",
    "dns",
    "dns/promises",
    "timers",
    "timers/promises",
    "child_process",
    "worker_threads",
    "cluster",
    "perf_hooks",
    "process",
    "os",
    "readline",
  ].flatMap((name) =>
    [name, `node:${name}`].map((spelling) => ({
      name: spelling,
      message: "outside contact and host time stay out of the program's inside",
    })),
  ),
  ...["crypto", "node:crypto"].map((name) => ({
    name,
    importNames: [
      "default",
      "webcrypto",
      "getRandomValues",
      "randomBytes",
      "randomFill",
      "randomFillSync",
      "randomInt",
      "randomUUID",
      "generateKey",
      "generateKeyPairSync",
      "generateKeySync",
    ],
    message: "chance comes from the run's named streams; hash, createHash and createHmac are fine",
  })),
]

export default defineConfig({
  plugins: ["eslint", "typescript", "unicorn", "oxc", "import", "promise", "vitest"],
  options: { typeAware: true, reportUnusedDisableDirectives: "error", denyWarnings: true },
  ignorePatterns: [
    "src/pages/web/ops/api-types.ts",
    "src/pages/web/portal/api-types.ts",
    "src/client/*-types.ts",
    "src/client/dist",
    "node_modules",
    ".curbline",
    "coverage",
  ],
  categories: { correctness: "error", suspicious: "error" },
  rules: {
    // Promises that nobody waits for.
    "typescript/no-floating-promises": "error",
    "typescript/no-misused-promises": "error",
    "typescript/await-thenable": "error",
    "typescript/return-await": ["error", "in-try-catch"],

    // A new state, event or refusal must be met wherever they are told apart.
    "typescript/switch-exhaustiveness-check": ["error", { considerDefaultExhaustiveForUnions: true }],

    // Types.
    "typescript/no-explicit-any": "error",
    "typescript/no-non-null-assertion": "error",
    "typescript/consistent-type-imports": ["error", { fixStyle: "separate-type-imports" }],
    "typescript/consistent-type-exports": "error",
    "typescript/ban-ts-comment": "error",
    "typescript/only-throw-error": ["error", { allowThrowingUnknown: true }],

    // The type slots of a machine's setup are `{} as Context`, and JSON is narrowed by whoever knows its kind.
    "typescript/no-unsafe-type-assertion": "off",
    // The compiler's noImplicitReturns knows the types.
    "typescript/consistent-return": "off",
    // A type parameter used once names what is read out of an untyped engine.
    "typescript/no-unnecessary-type-parameters": "off",
    // The contract counts code points, and that is what spreading a string gives.
    "typescript/no-misused-spread": ["error", { allow: ["string"] }],
    // XState's insides are reached by their own names, in one file with a contract test.
    "eslint/no-underscore-dangle": "off",
    // A function stands where its reader needs it.
    "unicorn/consistent-function-scoping": "off",
    // It takes every method called `fill` for an array's.
    "unicorn/no-array-fill-with-reference-type": "off",
    // fast-check and others document their default export as a bag of functions.
    "import/no-named-as-default-member": "off",
    "eslint/no-unused-vars": ["error", { argsIgnorePattern: "^_" }],
    // The second argument of vitest's expect is the message; a property asserts by fc.assert.
    "vitest/valid-expect": ["error", { maxArgs: 2 }],
    "vitest/expect-expect": ["error", { assertFunctionNames: ["expect", "fc.assert"] }],
    // The cell of a table decides what is expected.
    "vitest/no-conditional-expect": "off",

    // What one thread tells another goes nowhere else.
    "unicorn/require-post-message-target-origin": "off",

    // Shape of a module.
    "import/no-default-export": "error",
    "eslint/max-lines-per-function": ["error", { max: 70 }],
    "eslint/no-console": "error",
    "eslint/eqeqeq": "error",
    "eslint/no-var": "error",
    "eslint/prefer-const": "error",

    "eslint/no-restricted-properties": ["error", ...effectRunners],
    "eslint/no-restricted-imports": ["error", { paths: effectRunnerImports }],
  },
  overrides: [
    {
      // The inside of the program: two runs of one seed are the same run.
      files: [
        "machines/**",
        "src/model/**",
        "src/engine/kernel/**",
        "src/engine/services/**",
        "src/areas/**/*.ts",
        "src/http/access/*.ts",
        "src/apps/{inspector,operations,operators,portal}/*.ts",
        "src/apps/portal/people/*.ts",
        "src/apps/composition/**",
      ],
      rules: {
        "eslint/no-restricted-globals": ["error", { globals: hostGlobals, checkGlobalObject: true }],
        "eslint/no-restricted-properties": ["error", ...hostProperties, ...effectRunners],
        "eslint/no-restricted-imports": ["error", { paths: [...hostImports, ...effectRunnerImports] }],
      },
    },
    {
      // As above, but the memory host and the simulation run effects.
      files: ["src/engine/memory/**", "src/simulation/**", "src/{areas/*,apps/portal,http/access}/memory/**"],
      rules: {
        "eslint/no-restricted-globals": ["error", { globals: hostGlobals, checkGlobalObject: true }],
        "eslint/no-restricted-properties": ["error", ...hostProperties],
        "eslint/no-restricted-imports": ["error", { paths: hostImports }],
      },
    },
    {
      // The edges, where effects are run.
      files: [
        "src/live/main.ts",
        "src/live/calling.ts",
        "src/cli/**",
        "src/http/bridge.ts",
        "src/engine/store/transaction.ts",
        "src/engine/services/answering.ts",
        "src/live/swarm-sql/**",
        "test/**",
        "scenarios/**",
      ],
      rules: { "eslint/no-restricted-properties": "off", "eslint/no-restricted-imports": "off" },
    },
    {
      // A table cut in two is worse than a long one; so is a table of tests.
      files: ["machines/**", "test/**"],
      rules: { "eslint/max-lines-per-function": "off" },
    },
    {
      // They talk to a person at a terminal.
      files: ["src/cli/**", "test/bench/**"],
      rules: { "eslint/no-console": "off" },
    },
    {
      // A style is a module without a value.
      files: ["src/pages/web/**/main.tsx"],
      rules: { "import/no-unassigned-import": ["error", { allow: ["**/*.css"] }] },
    },
    {
      // Their tools look for the default export.
      files: ["*.config.ts", ".dependency-cruiser.mjs", "test/costs.ts"],
      rules: { "import/no-default-export": "off" },
    },
  ],
})
