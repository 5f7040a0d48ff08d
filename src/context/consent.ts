import { Base64Url, BitLength, FixedVectorEncoder, IntEncoder } from '@iabtcf/core';

/** What an ad request says about its user's rights, as sent: nothing in it is trusted to have the type that OpenRTB gives it. */
export interface ConsentSignals {
  /** OpenRTB `regs`. */
  readonly regs?: unknown;
  /** OpenRTB `user`. */
  readonly user?: unknown;
}

export interface Consent {
  /** Whether the GDPR applies; null: not said. */
  readonly gdpr: boolean | null;
  /** The TCF v2 string as received. */
  readonly consent: string | null;
  /** The US Privacy string as received. */
  readonly usPrivacy: string | null;
  /** The GPP string and its section ids as received. */
  readonly gpp: string | null;
  readonly gppSid: readonly number[];
  /** Whether the page is for children (COPPA); null: not said. */
  readonly coppa: boolean | null;
  /** Whether the user id may be used: hashed, counted against a frequency cap, shown to a bidder. See docs/privacy.md. */
  readonly personal: boolean;
}

/** A string longer than this is not passed on: no consent platform writes one, and it would go out to every bidder. */
const LONGEST_STRING = 8_192;
const MOST_SECTIONS = 32;
/** GPP section of the TCF for Europe: its presence says that the GDPR applies. IAB GPP, section ids. */
const GPP_TCF_EU = 2;

const NOTHING_SAID: Consent = { gdpr: null, consent: null, usPrivacy: null, gpp: null, gppSid: [], coppa: null, personal: true };

/**
 * Reads the consent signals from their OpenRTB 2.6 places, or from `ext` where 2.5 has them. Never throws: what is malformed is as if it had not
 * been sent, and a consent string that cannot be read is no consent.
 */
export const readConsent = ({ regs, user }: ConsentSignals): Consent => {
  if (regs === undefined && user === undefined) return NOTHING_SAID;
  const gppSid = sectionsOf(field(regs, 'gpp_sid'));
  const gdpr = flagOf(field(regs, 'gdpr')) ?? (gppSid.includes(GPP_TCF_EU) ? true : null);
  const consent = textOf(field(user, 'consent'));
  const coppa = flagOf(field(regs, 'coppa'));
  return {
    gdpr,
    consent,
    usPrivacy: textOf(field(regs, 'us_privacy')),
    gpp: textOf(field(regs, 'gpp')),
    gppSid,
    coppa,
    personal: coppa !== true && (gdpr !== true || (consent !== null && allowsStorage(consent))),
  };
};

const field = (holder: unknown, name: string): unknown => {
  const own = member(holder, name);
  return own === undefined || own === null ? member(member(holder, 'ext'), name) : own;
};

const member = (holder: unknown, name: string): unknown =>
  typeof holder === 'object' && holder !== null && Object.hasOwn(holder, name) ? (holder as Record<string, unknown>)[name] : undefined;

/** 0 and 1, and what page scripts make of them. */
const flagOf = (value: unknown): boolean | null => {
  if (value === 1 || value === '1' || value === true) return true;
  return value === 0 || value === '0' || value === false ? false : null;
};

const textOf = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' && value.length <= LONGEST_STRING ? value : null;

const sectionsOf = (value: unknown): readonly number[] =>
  Array.isArray(value) ? value.slice(0, MOST_SECTIONS).filter((id): id is number => Number.isInteger(id)) : [];

/** Where the purposes begin in a TCF v2 core segment: the widths of the fields before them. IAB "Consent string and vendor list format v2". */
const PURPOSES_AT =
  BitLength.version +
  BitLength.created +
  BitLength.lastUpdated +
  BitLength.cmpId +
  BitLength.cmpVersion +
  BitLength.consentScreen +
  BitLength.consentLanguage +
  BitLength.vendorListVersion +
  BitLength.policyVersion +
  BitLength.isServiceSpecific +
  BitLength.useNonStandardStacks +
  BitLength.specialFeatureOptins;
const PURPOSES_END = PURPOSES_AT + BitLength.purposeConsents;
/** Characters of six bits that hold everything up to the purposes. */
const HEAD_CHARACTERS = Math.ceil(PURPOSES_END / 6);
/** A core segment goes on after the purposes: legitimate interests, two vendor sections, restrictions. A shorter one was cut off. */
const SHORTEST_CORE = 44;
const TCF_STRING = /^[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+){0,3}$/;
const STORAGE = 1;

/**
 * Purpose 1: store and/or access information on a device.
 *
 * Only the head of the string is decoded, in 3 µs. `TCString.decode` expands the vendor ranges that follow, up to 65,535 ids for each 33 bits: a hostile
 * string of 600 characters took it 168 ms, one of 5,500 1.6 s, on the one thread that everybody's ads are decided on.
 */
const allowsStorage = (consent: string): boolean => {
  if (!TCF_STRING.test(consent) || coreLength(consent) < SHORTEST_CORE) return false;
  const head = Base64Url.decode(consent.slice(0, HEAD_CHARACTERS));
  if (IntEncoder.decode(head.slice(0, BitLength.version), BitLength.version) !== 2) return false;
  return FixedVectorEncoder.decode(head.slice(PURPOSES_AT, PURPOSES_END), BitLength.purposeConsents).has(STORAGE);
};

const coreLength = (consent: string): number => {
  const end = consent.indexOf('.');
  return end === -1 ? consent.length : end;
};
