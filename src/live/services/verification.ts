/**
 * Sender of the codes that verify a phone number: Twilio if it is configured, the service itself for demos and tests,
 * otherwise none.
 */

import { Layer, Redacted } from "effect"
import { layerApiClient } from "../gateways/api-client.ts"
import { layerTwilioVerify } from "../gateways/twilio-verify.ts"
import { layerNoVerification } from "../../areas/linking/built-in-verification.ts"
import type { Configuration } from "../configuration/configuration.ts"
import type { LinkingLayerOptions } from "./linking.ts"

/**
 * The built-in sender shows codes in the command line, so it is only for trials on one machine. Elsewhere only a
 * provider sends codes.
 */
export function verificationOf(configuration: Configuration): LinkingLayerOptions["verification"] {
  const { twilioAccountSid, twilioAuthToken } = configuration
  const { twilioVerifyServiceSid, twilioVerifyUrl: url } = configuration
  if (twilioVerifyServiceSid !== null && twilioAccountSid !== null && twilioAuthToken !== null) {
    return layerTwilioVerify({
      accountSid: twilioAccountSid,
      authToken: Redacted.value(twilioAuthToken),
      serviceSid: twilioVerifyServiceSid,
      ...(url === null ? {} : { verifyUrl: url, lookupUrl: url }),
    }).pipe(Layer.provide(layerApiClient))
  }
  return isTrial(configuration) ? "built-in" : layerNoVerification
}

/** True for a service with the embedded database that does not run in production. */
export function isTrial({ databaseUrl, nodeEnv }: Configuration): boolean {
  return databaseUrl === null && nodeEnv !== "production"
}
