/** The scenarios by folder, with verdicts; a search over titles, paths and tags. */

import type { JSX, RefObject } from "preact"
import { useEffect, useMemo, useRef, useState } from "preact/hooks"
import { Empty, Skeleton } from "../design/feedback.tsx"
import { Icon } from "../design/icon.tsx"
import type { IconName } from "../design/icon.tsx"
import type { FileResult, ListedFile, Listing } from "./contract.ts"

/** Tags that are shown as chips: those of the most files. */
const CHIPS_MAX = 8

interface ListProps {
  readonly listing: Listing | null
  readonly results: ReadonlyMap<string, FileResult>
  readonly chosen: string | null
  readonly unsaved: ReadonlySet<string>
  readonly search: RefObject<HTMLInputElement | null>
  readonly onOpen: (path: string) => void
  readonly onNew: () => void
}

export function List(props: ListProps): JSX.Element {
  const { listing, results, chosen, unsaved, search, onNew } = props
  const [text, setText] = useState("")
  const [chip, setChip] = useState<string | null>(null)
  const tags = useMemo(() => commonTags(listing?.files ?? []), [listing])
  const failed = [...results.values()].filter(({ verdict }) => isBad(verdict)).length
  const toggle = (name: string): void => setChip(chip === name ? null : name)
  // A key that is typed into the file changes neither, and a folder may have thousands of files.
  const folders = useMemo(
    () => foldersOf((listing?.files ?? []).filter((file) => isShown(file, { text, chip, results }))),
    [listing, text, chip, results],
  )
  const items = useMemo(
    () => folders.map((folder) => <Folder key={folder.name} {...props} {...folder} />),
    [folders, results, chosen, [...unsaved].join("\n")],
  )
  return (
    <>
      <div class="list-head">
        <label class="search">
          <span class="visually-hidden">Search scenarios</span>
          <Icon name="search" />
          <input
            ref={search}
            type="search"
            value={text}
            placeholder="Title, tag, path"
            aria-keyshortcuts="/"
            onInput={({ currentTarget }) => setText(currentTarget.value)}
          />
          <kbd aria-hidden="true">/</kbd>
        </label>
        <button
          type="button"
          class="button square"
          aria-label="New scenario"
          title="New scenario"
          onClick={onNew}
        >
          <Icon name="plus" />
        </button>
      </div>
      <div class="chips" role="group" aria-label="Show only">
        {failed > 0 && <Chip name={FAILED} text={`failed ${failed}`} chosen={chip} onToggle={toggle} />}
        {tags.map((tag) => (
          <Chip key={tag} name={tag} text={tag} chosen={chip} onToggle={toggle} />
        ))}
      </div>
      <nav class="files" aria-label="Scenarios">
        {listing === null && <Skeleton lines={8} />}
        {listing !== null && folders.length === 0 && (
          <Empty title={listing.files.length === 0 ? "No scenario yet" : "No scenario fits"}>
            {listing.files.length === 0 ? "Make the first one with +." : "Change the search or the tag."}
          </Empty>
        )}
        {items}
      </nav>
    </>
  )
}

interface ShownFolder {
  readonly name: string
  readonly files: readonly ListedFile[]
}

function foldersOf(files: readonly ListedFile[]): readonly ShownFolder[] {
  const folders = Map.groupBy(files, ({ path }) => path.split("/").slice(0, -1).join("/"))
  return [...folders].map(([name, own]) => ({ name, files: own }))
}

function Folder({ name, files, ...props }: ListProps & ShownFolder): JSX.Element {
  return (
    <section>
      <h2>
        {name === "" ? "this folder" : name} <span>{files.length}</span>
      </h2>
      <ul>
        {files.map((file) => (
          <li key={file.path}>
            <Item {...props} file={file} />
          </li>
        ))}
      </ul>
    </section>
  )
}

/** A chip of its own beside the tags; no tag has a blank at its end. */
const FAILED = "failed "

function Chip({
  name,
  text,
  chosen,
  onToggle,
}: {
  readonly name: string
  readonly text: string
  readonly chosen: string | null
  readonly onToggle: (name: string) => void
}): JSX.Element {
  return (
    <button type="button" class="chip" aria-pressed={chosen === name} onClick={() => onToggle(name)}>
      {text}
    </button>
  )
}

function commonTags(files: readonly ListedFile[]): readonly string[] {
  const counts = Map.groupBy(
    files.flatMap(({ tags }) => tags),
    (tag) => tag,
  )
  return [...counts]
    .toSorted(([, a], [, b]) => b.length - a.length)
    .slice(0, CHIPS_MAX)
    .map(([tag]) => tag)
}

interface Choice {
  readonly text: string
  readonly chip: string | null
  readonly results: ReadonlyMap<string, FileResult>
}

function isShown({ title, path, tags }: ListedFile, { text, chip, results }: Choice): boolean {
  if (chip === FAILED && !isBad(results.get(path)?.verdict ?? "passed")) return false
  if (chip !== null && chip !== FAILED && !tags.includes(chip)) return false
  const searched = `${title} ${path} ${tags.join(" ")}`.toLowerCase()
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => searched.includes(word))
}

function isBad(verdict: FileResult["verdict"]): boolean {
  return verdict !== "passed" && verdict !== "not run"
}

const SIGNS: Readonly<Record<FileResult["verdict"], readonly [icon: IconName, words: string, tone: string]>> =
  {
    passed: ["check", "passed", "good"],
    failed: ["cross", "failed", "bad"],
    fault: ["cross", "fault", "bad"],
    "not run": ["circle-dashed", "not run against the service", "quiet"],
    unreadable: ["circle-alert", "has a mistake", "bad"],
  }

/** `20 ms`, `0.4 s`. */
function tookWords(ms: number): string {
  return ms < 95 ? `${Math.max(1, Math.round(ms))} ms` : `${(ms / 1000).toFixed(1)} s`
}

function Item({
  file,
  results,
  chosen,
  unsaved,
  onOpen,
}: ListProps & { readonly file: ListedFile }): JSX.Element {
  const { path, title, isTypeScript, problems } = file
  const result = results.get(path)
  const verdict = result?.verdict ?? (problems > 0 ? "unreadable" : null)
  const [icon, words, tone] =
    verdict === null ? (["circle-dashed", "not run yet", "quiet"] as const) : SIGNS[verdict]
  const isChosen = chosen === path
  const button = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (isChosen) button.current?.scrollIntoView({ block: "nearest" })
  }, [isChosen])
  return (
    <button
      ref={button}
      type="button"
      class={verdict !== null && isBad(verdict) ? "file is-bad" : "file"}
      aria-current={isChosen ? "true" : undefined}
      title={result?.message ?? path}
      onClick={() => onOpen(path)}
    >
      <span class={tone}>
        <Icon name={icon} />
        <span class="visually-hidden">{words}: </span>
      </span>
      <span class="file-title">
        {title}
        {unsaved.has(path) && <span class="unsaved"> · not saved</span>}
        {isTypeScript && <span class="quiet"> · program</span>}
      </span>
      {result !== undefined && result.wallMs > 0 && (
        <span class="quiet number">{tookWords(result.wallMs)}</span>
      )}
    </button>
  )
}
