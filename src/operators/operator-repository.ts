/** Sessions of operators over their declared tables. */

import { Effect, Layer } from "effect"
import { purgeOf } from "../services/tables/purge.ts"
import { Tables } from "../services/tables/tables.ts"
import { OperatorSessionRows, operatorSessions } from "./operator-sessions.ts"

export const layerOperatorSessionRows: Layer.Layer<OperatorSessionRows, never, Tables> = Layer.effect(
  OperatorSessionRows,
  Effect.map(Tables, (tables): OperatorSessionRows["Type"] => {
    const sessions = tables.of(operatorSessions)
    return {
      insert: sessions.insert,
      byHash: (tokenHash) => sessions.get({ tokenHash }),
      remove: (tokenHash) => sessions.delete({ tokenHash }),
      purge: purgeOf(operatorSessions, sessions),
    }
  }),
)
