/** Secrets at rest: sealed with AES-256-GCM and a key of the service, so that a copy of the database reveals none. */

import { createCipheriv, createDecipheriv, createSecretKey, hash, randomBytes } from "node:crypto"
import { Context, Layer } from "effect"

export class SecretBox extends Context.Tag("SecretBox")<
  SecretBox,
  {
    readonly seal: (secret: string) => string
    /** Throws when the text was sealed with another key or was changed. */
    readonly open: (sealed: string) => string
  }
>() {}

const ALGORITHM = "aes-256-gcm"
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** `key` may be any text; only the same key opens what it sealed. */
export function layerSecretBox(key: string): Layer.Layer<SecretBox> {
  const derived = createSecretKey(hash("sha256", key, "buffer"))
  return Layer.succeed(SecretBox, {
    seal: (secret) => {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv(ALGORITHM, derived, nonce)
      const sealed = Buffer.concat([cipher.update(secret, "utf8"), cipher.final()])
      return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString("base64")
    },
    open: (sealed) => {
      const bytes = Buffer.from(sealed, "base64")
      const decipher = createDecipheriv(ALGORITHM, derived, bytes.subarray(0, NONCE_BYTES))
      decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
      return (
        decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES), undefined, "utf8") + decipher.final("utf8")
      )
    },
  })
}
