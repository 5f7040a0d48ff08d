import { LRUCache } from 'lru-cache';
import { copyText } from '../../base/copy-text.ts';
import { RecentMap } from '../../base/recent-map.ts';
import type { PublisherPrivacy } from '../../catalog/model/entities.ts';
import {
  GPP_TCF_CANADA,
  GPP_TCF_EU,
  GPP_US_PRIVACY,
  isUsOptOut,
  isUsPrivacyOptOut,
  isUsSection,
  MAX_US_SECTION_LENGTH,
  readGppSections,
} from './gpp-string.ts';
import type { Consent, Denial, Verdict } from './consent.ts';
import { isGdprCountry } from './gdpr-countries.ts';
import { NO_SIGNALS, type PrivacySignals } from './privacy-signals.ts';
import { readTcfCanada, readTcfString, type TcfString } from './tcf-string.ts';

const refusal = (denial: Verdict): Consent => ({ remember: denial, measure: denial, profile: denial, shareWith: () => denial });

const ALL_ALLOWED = refusal(null);
const CHILD = refusal('child');
const SILENCE = refusal('silence');
/** Limits profiles and their exchange, and not the publisher's own frequency caps. */
const LIMITED: Consent = { remember: null, measure: null, profile: 'lmt', shareWith: () => 'lmt' };

export type DecideConsent = (signals: PrivacySignals, country: string | null, privacy: PublisherPrivacy) => Consent;

/**
 * Sections of US laws that are judged, at 70 µs each; consent platforms write one. More count as an
 * opt-out.
 */
const MAX_US_SECTIONS = 4;

/** Of the cached TCF strings, which have about 1,000 characters each. */
const MAX_CACHED_CHARACTERS = 1_000_000;

/**
 * One decision per request. Pure but for a bounded cache of decoded strings. Each law that applies
 * must allow it. Never throws.
 *
 * A request without signals costs a comparison and the look-up of the country, and allocates nothing.
 */
export const createDecideConsent = ({ cacheSize }: { readonly cacheSize: number }): DecideConsent => {
  const optOuts = new RecentMap<string, boolean>(cacheSize);
  const isUsSectionOptOut = (id: number, text: string): boolean => {
    if (text.length > MAX_US_SECTION_LENGTH) return true;
    const key = `${id} ${text}`;
    let isOptOut = optOuts.get(key);
    if (isOptOut === undefined) {
      isOptOut = isUsOptOut(id, text);
      // The text may be a slice of a body; the cache keeps a copy.
      optOuts.set(copyText(key), isOptOut);
    }
    return isOptOut;
  };

  const tcfStrings = new LRUCache<string, { readonly tcf: TcfString | undefined }>({
    maxSize: MAX_CACHED_CHARACTERS,
    sizeCalculation: (_, text) => text.length,
  });
  /** Users who accept everything have the same string on the same day, because its times are days. */
  const readTcf = (text: string): TcfString | undefined => {
    let known = tcfStrings.get(text);
    if (!known && text !== '') {
      known = { tcf: readTcfString(text) };
      tcfStrings.set(copyText(text), known);
    }
    return known?.tcf;
  };

  const isOptedOut = ({ usPrivacy }: PrivacySignals, ids: readonly number[], sections: Sections): boolean => {
    if (usPrivacy !== null && isUsPrivacyOptOut(usPrivacy)) return true;
    if (ids.length > MAX_US_SECTIONS) return true;
    return ids.some((id) => {
      const text = sections?.get(id) ?? '';
      return id === GPP_US_PRIVACY ? isUsPrivacyOptOut(text) : isUsSectionOptOut(id, text);
    });
  };

  return function decideConsent(signals, country, privacy) {
    if (signals === NO_SIGNALS) return isSilenceDenied(privacy, country, false) ? SILENCE : ALL_ALLOWED;
    if (signals.coppa === true) return CHILD;
    const sections = signals.gpp === null ? undefined : readGppSections(signals.gpp);
    // Without gpp_sid every section applies; gpp_sid [-1] says that none does.
    const applying = signals.gppSid.length > 0 ? signals.gppSid : [...(sections?.keys() ?? [])];
    const usIds = applying.filter((id) => id === GPP_US_PRIVACY || isUsSection(id));
    const gdpr = signals.gdpr ?? (signals.consent !== null || applying.includes(GPP_TCF_EU) ? true : null);
    const inCanada = applying.includes(GPP_TCF_CANADA);
    const hasUnreadable = signals.gpp !== null && sections === undefined && applying.length === 0;
    const hasSpoken = inCanada || usIds.length > 0 || signals.usPrivacy !== null;
    if (gdpr === null && isSilenceDenied(privacy, country, hasSpoken)) return SILENCE;

    const laws: Consent[] = [];
    if (gdpr === true) laws.push(underTcf(readTcf(signals.consent ?? sections?.get(GPP_TCF_EU) ?? ''), 'gdpr_without_consent', 'tcf'));
    if (inCanada) laws.push(underTcf(readTcfCanada(sections?.get(GPP_TCF_CANADA) ?? ''), 'canada', 'canada'));
    if (hasUnreadable || isOptedOut(signals, usIds, sections)) laws.push(underOptOut('us_opt_out', privacy));
    else if (signals.gpc) laws.push(underOptOut('gpc', privacy));
    if (signals.lmt === true) laws.push(LIMITED);
    return together(laws);
  };
};

type Sections = ReadonlyMap<number, string> | undefined;

/** Nothing says whether the GDPR applies: the publisher's setting decides. */
const isSilenceDenied = ({ consentWhenSilent }: PublisherPrivacy, country: string | null, hasSpoken: boolean): boolean => {
  switch (consentWhenSilent) {
    case 'allow':
      return false;
    case 'by_country':
      return isGdprCountry(country);
    case 'deny':
      return !hasSpoken;
  }
};

/**
 * The publisher's server is not a vendor: purpose 1 is to store or read an identifier, 2 to select ads
 * (which includes frequency capping), 4 to select them by profiles, 7 to measure them.
 */
const underTcf = (tcf: TcfString | undefined, unreadable: Denial, denied: Denial): Consent =>
  tcf === undefined
    ? refusal(unreadable)
    : {
        remember: tcf.allowsPublisher(1) && tcf.allowsPublisher(2) ? null : denied,
        measure: tcf.allowsPublisher(7) ? null : denied,
        profile: tcf.allowsPublisher(1) && tcf.allowsPublisher(4) ? null : denied,
        shareWith: (gvlId) => (gvlId === null ? 'not_a_vendor' : tcf.allowsVendor(gvlId) ? null : denied),
      };

/** An opt-out forbids sharing and selection by profiles; the publisher decides whether it ends frequency caps too. */
const underOptOut = (denial: Denial, { usOptOutEndsCaps }: PublisherPrivacy): Consent => ({
  remember: usOptOutEndsCaps ? denial : null,
  measure: null,
  profile: denial,
  shareWith: () => denial,
});

const together = (laws: readonly Consent[]): Consent => {
  const [only = ALL_ALLOWED] = laws;
  if (laws.length < 2) return only;
  const first = (verdictOf: (law: Consent) => Verdict): Verdict => laws.map(verdictOf).find((verdict) => verdict !== null) ?? null;
  return {
    remember: first(({ remember }) => remember),
    measure: first(({ measure }) => measure),
    profile: first(({ profile }) => profile),
    shareWith: (gvlId) => first(({ shareWith }) => shareWith(gvlId)),
  };
};
