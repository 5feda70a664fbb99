/** `/map/streets`: the streets of a box, for maps that pages draw. Public: they say nothing about anybody. */

import type { FastifyInstance } from "fastify"
import type { Box } from "../../pages/html/map/projection.ts"
import type { Streets, StreetsInBox } from "../../pages/html/map/streets.ts"
import { Refused } from "../../model/values/errors.ts"

export interface StreetsOptions {
  /** Null without a file of streets. */
  readonly streets: Streets | null
}

interface Asked {
  readonly Querystring: { readonly box?: string | readonly string[] }
}

export async function streetsPlugin(app: FastifyInstance, { streets }: StreetsOptions): Promise<void> {
  app.get<Asked>("/map/streets", async ({ query }, reply) => {
    const box = boxIn(query.box)
    if (box === null) {
      const problem = { field: "box", message: "must be west,south,east,north in degrees" }
      throw new Refused({ code: "VALIDATION_ERROR", problems: [problem] })
    }
    const found: StreetsInBox =
      streets === null ? { streets: [] } : { streets: streets.within(box), credit: streets.credit }
    return reply
      .headers({ "Cache-Control": "private, max-age=3600", "X-Content-Type-Options": "nosniff" })
      .send(found)
  })
}

function boxIn(text: Asked["Querystring"]["box"]): Box | null {
  if (typeof text !== "string" || !/^-?\d{1,3}(\.\d{1,6})?(,-?\d{1,3}(\.\d{1,6})?){3}$/.test(text))
    return null
  const [west = 0, south = 0, east = 0, north = 0] = text.split(",").map(Number)
  const isOnEarth = west >= -180 && east <= 180 && south >= -90 && north <= 90
  return isOnEarth && west <= east && south <= north ? { west, south, east, north } : null
}
