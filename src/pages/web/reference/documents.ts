/** The documents of the host, each fetched when it is first needed. */

import { useEffect, useState } from "preact/hooks"
import type { OpenApi } from "./openapi.ts"
import type { ListedDocument } from "./reference-data.ts"

/** `failed`: a sentence; the host did not answer, or not with a document. */
export type Loaded = OpenApi | { readonly failed: string } | null

const known = new Map<string, OpenApi>()

export function useDocuments(wanted: readonly ListedDocument[]): {
  readonly documentOf: (listed: ListedDocument) => Loaded
  readonly retry: () => void
} {
  const [, setCount] = useState(0)
  const [failures, setFailures] = useState<Readonly<Record<string, string>>>({})
  const urls = wanted.map(({ url }) => url).join(" ")
  useEffect(() => {
    for (const url of urls
      .split(" ")
      .filter((one) => one !== "" && !known.has(one) && failures[one] === undefined)) {
      void fetched(url).then(
        () => setCount((count) => count + 1),
        (cause: unknown) =>
          setFailures((before) => ({
            ...before,
            [url]: cause instanceof Error ? cause.message : String(cause),
          })),
      )
    }
  }, [urls, failures])
  return {
    documentOf: ({ url }) => {
      const failed = failures[url]
      return known.get(url) ?? (failed === undefined ? null : { failed })
    },
    retry: () => setFailures({}),
  }
}

async function fetched(url: string): Promise<void> {
  const response = await fetch(url).catch(() => null)
  if (response === null) throw new Error(`The host does not answer. ${url} was not read.`)
  if (!response.ok) throw new Error(`The host answered ${response.status} for ${url}.`)
  known.set(url, (await response.json()) as OpenApi)
}
