/** The map of places, over the streets that the service has. */

import type { JSX } from "preact"
import { useEffect, useState } from "preact/hooks"
import { TABLE_TITLE, boxOfMap, mapPicture, mapTable } from "../../html/map/place-map.ts"
import type { MapParts } from "../../html/map/place-map.ts"
import type { StreetsInBox } from "../../html/map/streets.ts"

type ShownParts = Omit<MapParts, "credit" | "streets">

interface PlaceMapProps extends ShownParts {
  /** False where something else says the same in words. Default: true. */
  readonly hasTable?: boolean
}

export function PlaceMap({ hasTable = true, ...parts }: PlaceMapProps): JSX.Element | null {
  const streets = useStreets(parts)
  const shown: MapParts = { ...parts, ...streets }
  const picture = mapPicture(shown)
  if (picture === "") return null
  return (
    <figure class="place-map">
      <Markup html={picture} />
      {hasTable ? (
        <details class="positions">
          <summary>{TABLE_TITLE}</summary>
          <Markup html={mapTable(shown)} />
        </details>
      ) : null}
    </figure>
  )
}

/** Markup of our own, in which all text is escaped. */
function Markup({ html }: { readonly html: string }): JSX.Element {
  return <div dangerouslySetInnerHTML={{ __html: html }} />
}

/** Answers by query: pages show the same few places again and again. */
const known = new Map<string, Promise<StreetsInBox | null>>()

function useStreets(parts: ShownParts): StreetsInBox | null {
  const [streets, setStreets] = useState<StreetsInBox | null>(null)
  const box = boxOfMap(parts)
  // Rounded outwards: a vehicle that moves a little needs no other streets.
  const asked =
    box === null
      ? null
      : [
          Math.floor(box.west * 100) / 100,
          Math.floor(box.south * 100) / 100,
          Math.ceil(box.east * 100) / 100,
          Math.ceil(box.north * 100) / 100,
        ]
          .map((degrees) => degrees.toFixed(2))
          .join(",")
  useEffect(() => {
    if (asked === null) return
    let isShown = true
    const answer = known.get(asked) ?? fetchStreets(asked)
    known.set(asked, answer)
    const show = async (): Promise<void> => {
      const found = await answer
      if (isShown) setStreets(found)
      if (found === null) known.delete(asked)
    }
    void show()
    return () => {
      isShown = false
    }
  }, [asked])
  return streets
}

/** Null when there is no answer: the ground stays plain. */
async function fetchStreets(box: string): Promise<StreetsInBox | null> {
  try {
    const answer = await fetch(`/map/streets?box=${box}`)
    return answer.ok ? ((await answer.json()) as StreetsInBox) : null
  } catch {
    return null
  }
}
