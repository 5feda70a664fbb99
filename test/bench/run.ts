/** `npm run bench`: the engine's race; `npm run bench -- api`: the API's. `--quick` makes either shorter. */

await import(process.argv.includes("api") ? "./api.ts" : "./bench.ts")
