/** The values of a creative's macros. */
export interface MacroValues {
  /** Counts a click, and redirects to the destination of the creative. */
  readonly click: string;
  /** Unique for this showing; safe in a URL. */
  readonly cacheBuster: string;
  readonly gdpr: boolean | null;
  readonly consent: string | null;
  readonly gpp: string | null;
  readonly gppSid: readonly number[];
  readonly usPrivacy: string | null;
}

/** Macros whose values are the visitor's. */
const OF_VISITOR = /\$\{(GDPR|GDPR_CONSENT|GPP|GPP_SID|US_PRIVACY)\}/;

/** Whether a markup differs from visitor to visitor. */
export const dependsOnVisitor = (markup: string): boolean => OF_VISITOR.test(markup);

/**
 * Fills the macros of a creative's markup, as the SDK does in a page (sdk/src/macros.ts).
 * `${AUCTION_PRICE}` stays, because the auction fills it. Unknown macros stay.
 */
export const fillMacros = (markup: string, values: MacroValues): string => {
  if (!markup.includes('${')) return markup;
  const { click, cacheBuster, gdpr, consent, gpp, gppSid, usPrivacy } = values;
  const texts: Readonly<Record<string, string>> = {
    CLICK_URL: click,
    CLICK_URL_ENC: encodeURIComponent(click),
    CACHEBUSTER: cacheBuster,
    GDPR: gdpr === null ? '' : gdpr ? '1' : '0',
    GDPR_CONSENT: inUrl(consent),
    GPP: inUrl(gpp),
    GPP_SID: inUrl(gppSid.join()),
    US_PRIVACY: inUrl(usPrivacy),
  };
  return markup.replace(/\$\{([A-Z_]+)\}/g, (macro, name: string) => (Object.hasOwn(texts, name) ? texts[name]! : macro));
};

/** encodeURIComponent throws on a lone surrogate, which JSON can carry, and leaves single quotes. */
const inUrl = (text: string | null): string => encodeURIComponent(Buffer.from(text ?? '').toString()).replaceAll("'", '%27');
