/** The key of the digests that outlive the blanking of personal data. */

import { Context } from "effect"

export class DigestKey extends Context.Tag("DigestKey")<DigestKey, { readonly key: string }>() {}
