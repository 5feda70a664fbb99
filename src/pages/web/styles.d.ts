/** The bundler takes styles as modules without values. */
declare module "*.css" {}
