interface Policy {
  createHTML(html: string): string;
}

let policy: Policy | undefined;

/**
 * Lets markup through on pages that enforce Trusted Types (`require-trusted-types-for 'script'; trusted-types adsdk`). It vouches only for
 * the SDK's own markup, for what sits in a sandboxed frame, and for what the page's own template returned.
 */
export const trustedHTML = (html: string): string => {
  const factory = (window as { trustedTypes?: { createPolicy(name: string, rules: Policy): Policy } }).trustedTypes;
  policy ??= factory?.createPolicy('adsdk', { createHTML: (text) => text }) ?? { createHTML: (text) => text };
  return policy.createHTML(html);
};
