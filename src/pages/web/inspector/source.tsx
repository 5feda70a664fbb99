/** A place in a source file, to copy; on the machine that has the file, also a link to it in an editor. */

import { createContext } from "preact"
import type { JSX } from "preact"
import { useContext } from "preact/hooks"
import { placeText } from "../../inspection/source-places.ts"
import type { NamedPlace, SourcePlace } from "../../inspection/source-places.ts"
import { CopyButton } from "../components/copy-button.tsx"

/** Paths of source files on the reader's machine, by their name in the project; empty in a file and in a service. */
export const LocalPaths = createContext<Readonly<Record<string, string>>>({})

/** VS Code and the editors made from it open such addresses. */
function useEditorAddress({ file, line, column }: SourcePlace): string | null {
  const path = useContext(LocalPaths)[file]
  if (path === undefined) return null
  const rooted = path.startsWith("/") ? path : `/${path}`
  return `vscode://file${encodeURI(rooted)}:${line}:${column ?? 1}`
}

export function Source({ place }: { readonly place: SourcePlace }): JSX.Element {
  const address = useEditorAddress(place)
  return (
    <span class="source">
      <CopyButton text={placeText(place)}>{placeText(place)}</CopyButton>
      {address !== null && (
        <a href={address} aria-label={`Open ${placeText(place)} in VS Code`}>
          VS Code
        </a>
      )}
    </span>
  )
}

/** The line alone, where the file is already named. */
export function SourceLine({ place }: { readonly place: SourcePlace }): JSX.Element {
  const address = useEditorAddress(place)
  const text = `:${place.line}`
  if (address === null) return <span class="mono quiet line">{text}</span>
  return (
    <a class="mono line" href={address} aria-label={`Open ${placeText(place)} in VS Code`}>
      {text}
    </a>
  )
}

/** Places that are listed; more are counted. */
const LISTED_MAX = 3

export function Sources({ places }: { readonly places: readonly NamedPlace[] }): JSX.Element {
  return (
    <>
      {places.slice(0, LISTED_MAX).map((place) => (
        <span key={`${place.name} ${place.line}`} class="named-place">
          <b>{place.name}</b> <Source place={place} />
        </span>
      ))}
      {places.length > LISTED_MAX && <span class="quiet">and {places.length - LISTED_MAX} more</span>}
    </>
  )
}
