/** Operator tokens in memory. */

import { Effect, Layer } from "effect"
import { OperatorRows } from "../services/access/operator-tokens.ts"
import type { OperatorToken } from "../services/access/operator-tokens.ts"
import type { MemoryStore } from "./memory-store.ts"

export function layerMemoryOperatorRows(store: MemoryStore): Layer.Layer<OperatorRows> {
  const tokens = store.table<OperatorToken>("operator-tokens")
  const idByHash = store.table<string>("operator-token-hashes")
  return Layer.succeed(OperatorRows, {
    byHash: (hash) => Effect.sync(() => tokens.get(idByHash.get(hash) ?? "")),
    token: (id) => Effect.sync(() => tokens.get(id)),
    tokens: (environment) =>
      Effect.sync(() => tokens.all().filter((token) => token.environment === environment)),
    insert: (token) =>
      Effect.sync(() => {
        tokens.put(token.tokenId, token)
        idByHash.put(token.hash, token.tokenId)
      }),
    change: (id, change) =>
      Effect.sync(() => {
        const token = tokens.get(id)
        if (token !== null) tokens.put(id, { ...token, ...change })
      }),
  })
}
