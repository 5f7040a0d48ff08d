import type { Bid, ConsentSignals } from './contract.ts';

/**
 * Fills the macros of a creative's markup. `${CLICK_URL}` counts the click and redirects to the
 * destination of the creative. Unknown macros stay.
 */
export const fillMacros = (
  markup: string,
  { clkurl, price }: Pick<Bid, 'clkurl' | 'price'>,
  { gdpr, consent = '', gpp = '', gppSid = [], usPrivacy = '' }: ConsentSignals,
): string => {
  const values: Record<string, string> = {
    CLICK_URL: clkurl,
    CLICK_URL_ENC: encodeURIComponent(clkurl),
    CACHEBUSTER: String(Math.floor(Math.random() * 1e15)),
    GDPR: gdpr === undefined ? '' : gdpr ? '1' : '0',
    GDPR_CONSENT: encodeURIComponent(consent),
    GPP: encodeURIComponent(gpp),
    GPP_SID: encodeURIComponent(gppSid.join()),
    US_PRIVACY: encodeURIComponent(usPrivacy),
    AUCTION_PRICE: price === undefined ? '' : String(price),
  };
  return markup.replace(/\$\{([A-Z_]+)\}/g, (macro, name: string) => values[name] ?? macro);
};
