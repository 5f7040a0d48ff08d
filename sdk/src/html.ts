interface Policy {
  createHTML(html: string): string;
}

/** Kept for the page: a Content-Security-Policy allows a policy name to be created once. */
let policy: Policy | undefined;

/**
 * Marks markup as trusted on pages that enforce Trusted Types
 * (`require-trusted-types-for 'script'; trusted-types adsdk`). Only for the SDK's own markup, the
 * content of a sandboxed frame, and what the page's own template returned.
 */
export const trustedHTML = (html: string): string => {
  const factory = (window as { trustedTypes?: { createPolicy(name: string, rules: Policy): Policy } }).trustedTypes;
  policy ??= factory?.createPolicy('adsdk', { createHTML: (text) => text }) ?? { createHTML: (text) => text };
  return policy.createHTML(html);
};

/** Escapes a value for HTML text and quoted attributes. null and undefined become ''. */
export const escapeHTML = (value: unknown): string =>
  // oxlint-disable-next-line typescript/no-base-to-string -- an object in a template appears as "[object Object]"
  String(value ?? '').replace(/[&<>"'`]/g, (character) => `&#${character.charCodeAt(0)};`);
