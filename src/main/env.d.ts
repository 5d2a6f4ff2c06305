/** What the bundler fills in. */
interface ImportMeta {
  readonly env: { readonly DEV: boolean };
}
