/** Cursors of delivery lists. */

import { cursors } from "../../services/cursors.ts"

export const { cursorOf, numberOf } = cursors("d")
