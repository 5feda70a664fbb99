/**
 * A process of its own: imports the module whose URL it gets, asks Node about each import that `module-places.ts` resolves,
 * and prints what differs.
 */

import { registerHooks } from "node:module"
import { rememberedPlace } from "../../src/engine/threads/module-places.ts"

let [resolved, asked] = [0, 0]
const differences: object[] = []

registerHooks({
  resolve: (specifier, context, nextResolve) => {
    resolved += 1
    const found = rememberedPlace(specifier, context, (...all) => {
      asked += 1
      return nextResolve(...all)
    })
    const wanted = nextResolve(specifier, context)
    if (found.url !== wanted.url || found.format !== wanted.format)
      differences.push({ specifier, from: context.parentURL, found, wanted })
    return wanted
  },
})
await import(process.argv[2] ?? "")
process.stdout.write(JSON.stringify({ resolved, asked, differences }))
