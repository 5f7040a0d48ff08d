import { Base64Url, BitLength, FixedVectorEncoder, IntEncoder } from '@iabtcf/core';

/**
 * The privacy signals of an ad request, as sent: the types are not trusted to be those of OpenRTB.
 */
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
  /**
   * Whether the user id may be used: hashed, counted against a frequency cap, shown to a bidder.
   * See docs/privacy.md.
   */
  readonly personal: boolean;
}

/**
 * Longer strings are dropped: consent platforms do not write them, and every bidder would receive
 * them.
 */
const MAX_STRING_LENGTH = 8_192;
const MAX_SECTIONS = 32;
/**
 * GPP section id of the TCF for Europe; its presence means that the GDPR applies (IAB GPP, section
 * ids).
 */
const GPP_TCF_EU = 2;

const NOTHING_SAID: Consent = { gdpr: null, consent: null, usPrivacy: null, gpp: null, gppSid: [], coppa: null, personal: true };

/**
 * Reads the consent signals from their OpenRTB 2.6 fields, or from `ext` as in 2.5. Never throws:
 * malformed fields count as absent, and a consent string that cannot be read as no consent.
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

/** 0 and 1, and the forms in which page scripts write them. */
const flagOf = (value: unknown): boolean | null => {
  if (value === 1 || value === '1' || value === true) return true;
  return value === 0 || value === '0' || value === false ? false : null;
};

const textOf = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' && value.length <= MAX_STRING_LENGTH ? value : null;

const sectionsOf = (value: unknown): readonly number[] =>
  Array.isArray(value) ? value.slice(0, MAX_SECTIONS).filter((id): id is number => Number.isInteger(id)) : [];

/**
 * Offset of the purposes in a TCF v2 core segment: the sum of the widths of the fields before them
 * (IAB "Consent string and vendor list format v2").
 */
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
/** Characters, of six bits each, up to the end of the purposes. */
const HEAD_CHARACTERS = Math.ceil(PURPOSES_END / 6);
/**
 * A core segment continues after the purposes with legitimate interests, two vendor sections and
 * restrictions; a shorter one was truncated.
 */
const MIN_CORE_LENGTH = 44;
const TCF_STRING = /^[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+){0,3}$/;
const STORAGE = 1;

/**
 * Purpose 1: store and/or access information on a device.
 *
 * Only the head of the string is decoded, in 3 µs. `TCString.decode` also expands the vendor
 * ranges, up to 65,535 ids for each 33 bits: a hostile string of 600 characters took 168 ms, one of
 * 5,500 took 1.6 s, on the thread that handles all requests.
 */
const allowsStorage = (consent: string): boolean => {
  if (!TCF_STRING.test(consent) || coreLength(consent) < MIN_CORE_LENGTH) return false;
  const head = Base64Url.decode(consent.slice(0, HEAD_CHARACTERS));
  if (IntEncoder.decode(head.slice(0, BitLength.version), BitLength.version) !== 2) return false;
  return FixedVectorEncoder.decode(head.slice(PURPOSES_AT, PURPOSES_END), BitLength.purposeConsents).has(STORAGE);
};

const coreLength = (consent: string): number => {
  const end = consent.indexOf('.');
  return end === -1 ? consent.length : end;
};
