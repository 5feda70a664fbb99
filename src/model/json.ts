/** Plain JSON: the values of contexts, events, facts and journal entries. */

export type Json =
  null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json | undefined }

export type JsonObject = { readonly [key: string]: Json | undefined }
