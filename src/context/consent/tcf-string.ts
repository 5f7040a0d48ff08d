import { createBitReader, type BitReader } from './bit-reader.ts';
import { readRanges, readVendorList, type IdCoding, type VendorList } from './vendor-list.ts';

/** What a TCF string allows. Purposes are numbered as in the policy: 1 storage, 2 selection, 4 selection by profiles, 7 measurement. */
export interface TcfString {
  /** The publisher's own purposes: those of the publisher segment, or of the core when there is none. */
  allowsPublisher(purpose: Purpose): boolean;
  /** Whether a vendor may receive an identifier and use it to select an ad: purposes 1 and 2. */
  allowsVendor(vendorId: number): boolean;
}

export type Purpose = 1 | 2 | 4 | 7;

/** The two legal bases of the TCF: consent and legitimate interest; in Canada express and implied consent. */
interface Bases<T> {
  readonly consent: T;
  readonly other: T;
}

interface Core {
  readonly lastUpdatedDs: number;
  readonly purposes: Bases<number>;
  readonly vendors: Bases<VendorList>;
  readonly restrictions: readonly Restriction[];
}

/** A publisher restriction: 0 the purpose is not allowed, 1 only with consent, 2 only on the other basis. */
interface Restriction {
  readonly purpose: number;
  readonly type: number;
  readonly vendors: VendorList;
}

/** Where the TCF for Europe and for Canada differ. */
interface Dialect {
  readonly version: number;
  /** Bits between the version of the policy and the purposes. */
  readonly bitsBeforePurposes: number;
  /** Bits between the purposes and the vendors. */
  readonly bitsAfterPurposes: number;
  readonly coding: IdCoding;
  /** How restrictions list their vendors: as ranges, or as a vendor section. */
  readonly readRestricted: typeof readRanges;
  /** Strings of older platforms end before the restrictions. */
  readonly restrictionsMayBeMissing: boolean;
  /** Whether purpose 1 may rest on the other basis. */
  readonly storageByOther: boolean;
  /** Decisecond from which a string without DisclosedVendors discloses no vendor. */
  readonly disclosureSinceDs: number;
}

/** IAB TCF v2.3. The segment DisclosedVendors is mandatory in strings created after 28 February 2026. */
const EUROPE: Dialect = {
  version: 2,
  bitsBeforePurposes: 14,
  bitsAfterPurposes: 13,
  coding: 'fixed',
  readRestricted: readRanges,
  restrictionsMayBeMissing: false,
  storageByOther: false,
  disclosureSinceDs: Date.UTC(2026, 2, 1) / 100,
};

/** IAB TCF Canada v1.1, section 5 of the GPP. */
const CANADA: Dialect = {
  version: 1,
  bitsBeforePurposes: 13,
  bitsAfterPurposes: 0,
  coding: 'fibonacci',
  readRestricted: readVendorList,
  restrictionsMayBeMissing: true,
  storageByOther: true,
  disclosureSinceDs: Infinity,
};

const TCF_STRING = /^[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+){0,3}$/;
/** Fields of 6, 36, 36, 12, 12, 6, 12, 12 and 6 bits: the version to that of the policy. */
const BITS_BEFORE_LAST_UPDATED = 36;
const BITS_AFTER_LAST_UPDATED = 60;

const SEGMENT_DISCLOSED_VENDORS = 1;
const SEGMENT_PUBLISHER = 3;

/** The TCF v2 string for Europe; undefined when it cannot be read. Never throws. */
export const readTcfString = (text: string): TcfString | undefined => readDialect(text, EUROPE);

/** The TCF string for Canada; undefined when it cannot be read. Never throws. */
export const readTcfCanada = (text: string): TcfString | undefined => readDialect(text, CANADA);

/**
 * Reads purposes and vendors without expanding ranges. `TCString.decode` of @iabtcf/core expands
 * them, up to 65,535 ids for each 33 bits: a hostile string of 600 characters took 168 ms, one of
 * 5,500 took 1.6 s, on the thread that handles all requests.
 */
const readDialect = (text: string, dialect: Dialect): TcfString | undefined => {
  if (!TCF_STRING.test(text)) return undefined;
  const [coreText = '', ...segments] = text.split('.');
  const core = readCore(coreText, dialect);
  if (!core) return undefined;
  let own = core.purposes;
  let disclosed: VendorList | undefined;
  for (const segment of segments) {
    const bits = createBitReader(segment);
    const type = bits.number(3);
    if (type === SEGMENT_PUBLISHER) own = readPurposes(bits);
    if (type === SEGMENT_DISCLOSED_VENDORS) disclosed = readVendorList(bits, dialect.coding);
    // A truncated segment hides what was restricted.
    if (bits.isPast()) return undefined;
  }
  const isDisclosed = (id: number): boolean => (disclosed ? disclosed.has(id) : core.lastUpdatedDs < dialect.disclosureSinceDs);
  /** Storage and profiles need consent; in Canada it may be implied. */
  const mayUseOther = (purpose: Purpose): boolean => (purpose !== 1 && purpose !== 4) || dialect.storageByOther;

  const allowsVendorFor = (purpose: Purpose, id: number): boolean => {
    const restricted = (type: number) =>
      core.restrictions.some((one) => one.purpose === purpose && one.type === type && one.vendors.has(id));
    if (restricted(0)) return false;
    const byConsent = hasPurpose(core.purposes.consent, purpose) && core.vendors.consent.has(id) && !restricted(2);
    return byConsent || (mayUseOther(purpose) && hasPurpose(core.purposes.other, purpose) && core.vendors.other.has(id) && !restricted(1));
  };

  return {
    allowsPublisher: (purpose) => hasPurpose(own.consent, purpose) || (mayUseOther(purpose) && hasPurpose(own.other, purpose)),
    allowsVendor: (id) => isDisclosed(id) && allowsVendorFor(1, id) && allowsVendorFor(2, id),
  };
};

const readCore = (text: string, dialect: Dialect): Core | undefined => {
  const bits = createBitReader(text);
  if (bits.number(6) !== dialect.version) return undefined;
  bits.skip(BITS_BEFORE_LAST_UPDATED);
  const lastUpdatedDs = bits.number(36);
  bits.skip(BITS_AFTER_LAST_UPDATED + dialect.bitsBeforePurposes);
  const purposes = readPurposes(bits);
  bits.skip(dialect.bitsAfterPurposes);
  const vendors = { consent: readVendorList(bits, dialect.coding), other: readVendorList(bits, dialect.coding) };
  if (bits.isPast()) return undefined;
  const restrictions = bits.left() < COUNT && dialect.restrictionsMayBeMissing ? [] : readRestrictions(bits, dialect);
  return bits.isPast() || !restrictions ? undefined : { lastUpdatedDs, purposes, vendors, restrictions };
};

const COUNT = 12;
/** One for each of 24 purposes and 3 types. */
const MAX_RESTRICTIONS = 72;

const readRestrictions = (bits: BitReader, { coding, readRestricted }: Dialect): readonly Restriction[] | undefined => {
  const count = bits.number(COUNT);
  if (count > MAX_RESTRICTIONS) return undefined;
  return Array.from({ length: count }, () => ({ purpose: bits.number(6), type: bits.number(2), vendors: readRestricted(bits, coding) }));
};

const PURPOSES = 24;

const readPurposes = (bits: BitReader): Bases<number> => ({ consent: bits.number(PURPOSES), other: bits.number(PURPOSES) });

/** Purpose 1 is the first of the 24 bits. */
const hasPurpose = (purposes: number, purpose: Purpose): boolean => ((purposes >> (PURPOSES - purpose)) & 1) === 1;
