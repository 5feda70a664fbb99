/** The reference of a host's APIs. The address after `#` says what is shown: `rs` or `rs/createReservation`. */

import type { JSX } from "preact"
import { useEffect, useRef, useState } from "preact/hooks"
import { Button } from "../design/button.tsx"
import { Empty, Failure, Skeleton } from "../design/feedback.tsx"
import { useDocuments } from "./documents.ts"
import type { Loaded } from "./documents.ts"
import { entriesOf } from "./openapi.ts"
import { OperationView } from "./operation.tsx"
import { Overview } from "./overview.tsx"
import { slugOf } from "./reference-data.ts"
import type { ListedDocument, ReferenceData } from "./reference-data.ts"
import { Side } from "./side.tsx"
import type { Keys } from "./try-it.tsx"

export function ReferencePage({ data }: { readonly data: ReferenceData }): JSX.Element {
  const { slug, id } = useAddress(data.documents)
  const [isSearching, setSearching] = useState(false)
  const [first] = data.documents
  const listed = data.documents.find((one) => slugOf(one) === slug) ?? first
  const { documentOf, retry } = useDocuments(
    isSearching ? data.documents : listed === undefined ? [] : [listed],
  )
  const [keys, setKeys] = useState<Keys>({
    "API key": data.demo?.api_key ?? "",
    "operator token": data.demo?.operator_token ?? "",
  })
  if (listed === undefined) return <main>This host has no documents.</main>
  const loaded = documentOf(listed)
  return (
    <>
      <a
        class="visually-hidden"
        href="#content"
        onClick={(event) => {
          event.preventDefault()
          document.getElementById("content")?.focus()
        }}
      >
        Skip to the content
      </a>
      <header class={`environment ${data.environment}`}>
        <span class="badge">{data.environment.toUpperCase()}</span>
        <span>API reference</span>
        <span class="end">
          <a href="/">Start page</a>
        </span>
      </header>
      <div class="shell">
        <Side
          documents={data.documents}
          listed={listed}
          openId={id}
          documentOf={documentOf}
          onSearch={() => setSearching(true)}
        />
        <main id="content" tabIndex={-1}>
          <Content
            data={data}
            listed={listed}
            id={id}
            loaded={loaded}
            keys={keys}
            onKeys={setKeys}
            onRetry={retry}
          />
        </main>
      </div>
    </>
  )
}

interface ContentProps {
  readonly data: ReferenceData
  readonly listed: ListedDocument
  readonly id: string | null
  readonly loaded: Loaded
  readonly keys: Keys
  readonly onKeys: (keys: Keys) => void
  readonly onRetry: () => void
}

function Content({ data, listed, id, loaded, keys, onKeys, onRetry }: ContentProps): JSX.Element {
  const place = `${listed.url} ${id ?? ""}`
  const isReady = loaded !== null && !("failed" in loaded)
  useFocusOnChange(place, isReady)
  const slug = slugOf(listed)
  if (loaded === null) {
    return (
      <>
        <h1>{listed.name}</h1>
        <Skeleton lines={6} />
      </>
    )
  }
  if ("failed" in loaded) {
    return (
      <>
        <h1>{listed.name}</h1>
        <Failure
          title="The document could not be read"
          failure={{ message: loaded.failed, code: null, requestId: null }}
          action={
            <Button icon="refresh" onPress={onRetry}>
              Try again
            </Button>
          }
        />
      </>
    )
  }
  if (id === null) {
    const linkTo = (entry: { readonly id: string }): string => `#${slug}/${entry.id}`
    return <Overview key={place} document={loaded} listed={listed} data={data} linkTo={linkTo} />
  }
  const entry = entriesOf(loaded).find((one) => one.id === id)
  if (entry === undefined) {
    return (
      <>
        <h1 tabIndex={-1}>{listed.name}</h1>
        <Empty
          title={`No operation is called ${id}`}
          action={<a href={`#${slug}`}>All operations of this document</a>}
        >
          The address may be of another version or of the other host.
        </Empty>
      </>
    )
  }
  return (
    <OperationView
      key={place}
      entry={entry}
      document={loaded}
      data={data}
      keys={keys}
      onKeys={onKeys}
      link={`#${slug}/${id}`}
    />
  )
}

/** After a change of the view its heading has the focus, and names the tab; not when the page opens. */
function useFocusOnChange(place: string, isReady: boolean): void {
  const before = useRef<string | null>(null)
  useEffect(() => {
    if (!isReady) return
    const heading = document.querySelector<HTMLElement>("main h1")
    document.title = `${heading?.textContent ?? "API reference"} - Curbline`
    if (before.current !== null && before.current !== place) {
      window.scrollTo({ top: 0 })
      heading?.focus({ preventScroll: true })
    }
    before.current = place
  }, [place, isReady])
}

interface Address {
  readonly slug: string | null
  readonly id: string | null
}

/** Also understands the former addresses, `?urls.primaryName=NAME#/tag/operation`. */
function addressOf(documents: readonly ListedDocument[]): Address {
  const parts = decodeURIComponent(window.location.hash.slice(1)).split("/")
  const named = new URLSearchParams(window.location.search).get("urls.primaryName")
  const former = documents.find(({ name }) => name === named)
  if (parts[0] === "" && former !== undefined) return { slug: slugOf(former), id: parts[2] ?? null }
  return { slug: parts[0] ?? null, id: parts[1] === undefined || parts[1] === "" ? null : parts[1] }
}

function useAddress(documents: readonly ListedDocument[]): Address {
  const [address, setAddress] = useState(() => addressOf(documents))
  useEffect(() => {
    const listener = (): void => setAddress(addressOf(documents))
    window.addEventListener("hashchange", listener)
    return () => window.removeEventListener("hashchange", listener)
  }, [documents])
  return address
}
