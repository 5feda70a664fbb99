/** The key of digests that are kept after personal data was blanked. */

import { Context } from "effect"

export class DigestKey extends Context.Tag("DigestKey")<DigestKey, { readonly key: string }>() {}
