/** The list beside the page: which document, a search in all of them, and the operations by tag. */

import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { Button } from "../design/button.tsx"
import { SelectField } from "../design/field.tsx"
import { Icon } from "../design/icon.tsx"
import { Mark } from "../design/mark.tsx"
import type { Loaded } from "./documents.ts"
import { entriesOf, isFound } from "./openapi.ts"
import type { Entry, OpenApi } from "./openapi.ts"
import { Method } from "./operation.tsx"
import { Line } from "./prose.tsx"
import { slugOf } from "./reference-data.ts"
import type { ListedDocument } from "./reference-data.ts"

/** Documents with more entries show the tag of the open entry alone, until another is unfolded. */
const ENTRIES_UNFOLDED = 24

interface SideProps {
  readonly documents: readonly ListedDocument[]
  readonly listed: ListedDocument
  readonly openId: string | null
  readonly documentOf: (listed: ListedDocument) => Loaded
  /** Called before the first search, which reads every document. */
  readonly onSearch: () => void
}

export function Side({ documents, listed, openId, documentOf, onSearch }: SideProps): JSX.Element {
  const [search, setSearch] = useState("")
  const [isOpen, setOpen] = useState(false)
  const isSearching = search.trim() !== ""
  const close = (): void => setOpen(false)
  const document = documentOf(listed)
  return (
    <aside aria-label="Contents" class={isOpen || isSearching ? "side open" : "side"}>
      <p class="brand">
        <a href="/">
          <Mark /> Curbline
        </a>
        <span class="toggle">
          <Button isSmall icon="menu" onPress={() => setOpen(!isOpen)}>
            {isOpen ? "Hide the list" : "Operations"}
          </Button>
        </span>
      </p>
      <SelectField
        label="Document"
        value={slugOf(listed)}
        onChange={(slug) => {
          window.location.hash = slug
        }}
        options={documents.map((one) => [slugOf(one), one.name] as const)}
      />
      <label class="search">
        <span class="visually-hidden">Search operations and events</span>
        <Icon name="search" />
        <input
          type="search"
          placeholder="Search all documents"
          value={search}
          onFocus={onSearch}
          onInput={({ currentTarget }) => setSearch(currentTarget.value)}
        />
      </label>
      <nav aria-label="Operations and events" onClick={close}>
        {isSearching ? (
          <Found
            search={search.trim()}
            documents={documents}
            documentOf={documentOf}
            onChoose={() => setSearch("")}
          />
        ) : document === null || "failed" in document ? null : (
          <ByTag document={document} slug={slugOf(listed)} openId={openId} />
        )}
      </nav>
    </aside>
  )
}

interface ByTagProps {
  readonly document: OpenApi
  readonly slug: string
  readonly openId: string | null
}

function ByTag({ document, slug, openId }: ByTagProps): JSX.Element {
  const entries = entriesOf(document)
  return (
    <>
      <a class="whole" href={`#${slug}`} aria-current={openId === null ? "page" : undefined}>
        Overview and error codes
      </a>
      {document.tags.map(({ name }) => {
        const ones = entries.filter(({ tag }) => tag === name)
        const isOpen = entries.length <= ENTRIES_UNFOLDED || ones.some(({ id }) => id === openId)
        return (
          <details key={`${slug} ${name} ${isOpen}`} open={isOpen}>
            <summary>{name}</summary>
            <EntryList slug={slug} entries={ones} openId={openId} />
          </details>
        )
      })}
    </>
  )
}

interface EntryListProps {
  readonly slug: string
  readonly entries: readonly Entry[]
  readonly openId: string | null
  readonly onChoose?: () => void
}

function EntryList({ slug, entries, openId, onChoose }: EntryListProps): JSX.Element {
  return (
    <ul>
      {entries.map(({ id, method, operation }) => (
        <li key={id}>
          <a
            href={`#${slug}/${id}`}
            aria-current={id === openId ? "page" : undefined}
            {...(onChoose === undefined ? {} : { onClick: onChoose })}
          >
            <Method method={method} />
            <span>
              <Line text={operation.summary} />
            </span>
          </a>
        </li>
      ))}
    </ul>
  )
}

interface FoundProps extends Pick<SideProps, "documentOf" | "documents"> {
  readonly search: string
  readonly onChoose: () => void
}

/** Matches of every document that has been read. */
function Found({ search, documents, documentOf, onChoose }: FoundProps): JSX.Element {
  const groups = documents.map((listed) => {
    const document = documentOf(listed)
    const entries = document === null || "failed" in document ? [] : entriesOf(document)
    return { listed, entries: entries.filter((entry) => isFound(entry, search)) }
  })
  const count = groups.reduce((sum, { entries }) => sum + entries.length, 0)
  const isReading = documents.some((listed) => documentOf(listed) === null)
  return (
    <>
      <p class="small quiet" role="status">
        {isReading
          ? "Reading the documents…"
          : count === 0
            ? `Nothing matches "${search}".`
            : `${count} found`}
      </p>
      {groups
        .filter(({ entries }) => entries.length > 0)
        .map(({ listed, entries }) => (
          <section key={listed.url}>
            <h2>{listed.name}</h2>
            <EntryList slug={slugOf(listed)} entries={entries} openId={null} onChoose={onChoose} />
          </section>
        ))}
    </>
  )
}
