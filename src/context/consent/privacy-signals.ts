/**
 * The privacy signals of an ad request, as received. null: not sent. A text is '' when what was sent
 * cannot be one.
 */
export interface PrivacySignals {
  /** Whether the GDPR applies. */
  readonly gdpr: boolean | null;
  /** The TCF v2 string. */
  readonly consent: string | null;
  readonly usPrivacy: string | null;
  readonly gpp: string | null;
  /** The GPP sections that apply; empty: not sent. */
  readonly gppSid: readonly number[];
  /** Whether the page or app is for children. */
  readonly coppa: boolean | null;
  /** Whether Global Privacy Control is set, by the header `Sec-GPC` or by `regs.ext.gpc`. */
  readonly gpc: boolean;
  /** Whether the device limits the tracking of its user (OpenRTB `device.lmt`). */
  readonly lmt: boolean | null;
}

/** Where the signals are; the types are not trusted to be those of OpenRTB. */
export interface SignalSources {
  /** OpenRTB `regs`. */
  readonly regs?: unknown;
  /** OpenRTB `user`. */
  readonly user?: unknown;
  /** OpenRTB `device`. */
  readonly device?: unknown;
  /** The header `Sec-GPC`. */
  readonly secGpc?: string | undefined;
}

/**
 * Longer strings count as malformed: consent platforms do not write them, and every bidder would
 * receive them.
 */
const MAX_STRING_LENGTH = 8_192;
const MAX_SECTION_IDS = 32;

/** Of a request without signals: one object, so that the ordinary request allocates nothing. */
export const NO_SIGNALS: PrivacySignals = {
  ...{ gdpr: null, consent: null, usPrivacy: null, gpp: null, gppSid: [], coppa: null, gpc: false, lmt: null },
};

/**
 * Reads the signals from their OpenRTB 2.6 fields, or from `ext` as in 2.5. Never throws: malformed
 * flags count as absent, and a string that is too long or of another type as one that cannot be read.
 */
export const readSignals = ({ regs, user, device, secGpc }: SignalSources): PrivacySignals => {
  const isGpc = secGpc === '1';
  const lmt = member(device, 'lmt');
  const isSilent = regs === undefined && !isGpc && lmt === undefined;
  if (isSilent && member(user, 'consent') === undefined && member(user, 'ext') === undefined) return NO_SIGNALS;
  return {
    gdpr: flagOf(field(regs, 'gdpr')),
    consent: textOf(field(user, 'consent')),
    usPrivacy: textOf(field(regs, 'us_privacy')),
    gpp: textOf(field(regs, 'gpp')),
    gppSid: sectionsOf(field(regs, 'gpp_sid')),
    coppa: flagOf(field(regs, 'coppa')),
    gpc: isGpc || flagOf(field(regs, 'gpc')) === true,
    lmt: flagOf(lmt),
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

const textOf = (value: unknown): string | null => {
  if (value === undefined || value === null || value === '') return null;
  return typeof value === 'string' && value.length <= MAX_STRING_LENGTH ? value : '';
};

const sectionsOf = (value: unknown): readonly number[] =>
  Array.isArray(value) ? value.slice(0, MAX_SECTION_IDS).filter((id): id is number => Number.isInteger(id)) : [];
