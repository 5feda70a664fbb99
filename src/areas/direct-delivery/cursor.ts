/** Cursors of delivery lists. */

import { cursors } from "../../services/wrong-cursor.ts"

export const { cursorOf, numberOf } = cursors("d")
