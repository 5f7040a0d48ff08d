import {
  UsCa,
  UsCo,
  UsCt,
  UsDe,
  UsFl,
  UsIa,
  UsIn,
  UsKy,
  UsMd,
  UsMn,
  UsMt,
  UsNat,
  UsNe,
  UsNh,
  UsNj,
  UsOr,
  UsRi,
  UsTn,
  UsTx,
  UsUt,
  UsVa,
} from '@iabgpp/cmpapi';
import { createBitReader } from './bit-reader.ts';

/** GPP section ids (IAB GPP, "Section Information"). */
export const GPP_TCF_EU = 2;
export const GPP_TCF_CANADA = 5;
export const GPP_US_PRIVACY = 6;

/** Sections of one string that are read; consent platforms write one to three. */
const MAX_SECTIONS = 32;

/** The type and the version of a GPP header. */
const HEADER_TYPE = 3;
const HEADER_VERSION = 1;

/**
 * The sections of a GPP string by their ids; undefined when the header cannot be read. The header is
 * decoded here: @iabgpp/cmpapi expands its ranges, and 30 hostile characters name more sections than
 * memory holds.
 */
export const readGppSections = (text: string): ReadonlyMap<number, string> | undefined => {
  const [header = '', ...texts] = text.split('~', MAX_SECTIONS + 1);
  const bits = createBitReader(header);
  if (!/^[A-Za-z0-9_-]+$/.test(header) || bits.number(6) !== HEADER_TYPE || bits.number(6) !== HEADER_VERSION) return undefined;
  const ids: number[] = [];
  let last = 0;
  for (let count = bits.number(12); count > 0; count--) {
    const isRange = bits.number(1) === 1;
    const first = last + bits.fibonacci();
    const end = isRange ? first + bits.fibonacci() : first;
    if (first <= last || (isRange && end <= first) || ids.length + end - first >= MAX_SECTIONS) return undefined;
    for (let id = first; id <= end; id++) ids.push(id);
    last = end;
  }
  return bits.isPast() ? undefined : new Map(ids.flatMap((id, i) => (texts[i] === undefined ? [] : [[id, texts[i]] as const])));
};

/** The US sections that @iabgpp/cmpapi decodes: national, then the states. */
const US_SECTIONS = new Map(
  [UsNat, UsCa, UsVa, UsCo, UsUt, UsCt, UsFl, UsMt, UsOr, UsTx, UsDe, UsIa, UsNe, UsNh, UsNj, UsTn, UsMn, UsMd, UsIn, UsKy, UsRi].map(
    (Section) => [Section.ID, Section],
  ),
);

/** The ids of US national and the states. */
export const isUsSection = (id: number): boolean => id >= 7 && id <= 27;

/** A core segment has up to 22 characters; one or two short segments may follow. */
export const MAX_US_SECTION_LENGTH = 100;

const OPT_OUTS = ['SaleOptOut', 'SharingOptOut', 'TargetedAdvertisingOptOut'];
const CHILD = 'KnownChildSensitiveDataConsents';

/** In all sections 0 is not applicable, and 2 is no opt-out, or consent for a known child. */
const isHarmless = (value: unknown): boolean => value === undefined || value === 0 || value === 2;

/**
 * Whether a US section says that the user has opted out of the sale or sharing of personal data or of
 * targeted advertising, sends Global Privacy Control, or is a known child without consent. What cannot
 * be read counts as an opt-out. Never throws. Takes 70 µs.
 */
export const isUsOptOut = (id: number, text: string): boolean => {
  const Section = US_SECTIONS.get(id);
  if (!Section || text === '' || text.length > MAX_US_SECTION_LENGTH) return true;
  try {
    const section = new Section(text);
    const value = (name: string): unknown => (section.hasField(name) ? section.getFieldValue(name) : undefined);
    // Without a version the text is of another section, or noise.
    return (
      (value('Version') ?? value('MspaVersion')) === 0 || value('Gpc') === true || ![...OPT_OUTS, CHILD].flatMap(value).every(isHarmless)
    );
  } catch {
    return true;
  }
};

/** `1YNN`: the version, notice given, opted out of the sale, limited service provider agreement. */
const US_PRIVACY = /^1[YN-]{3}$/i;

/** Whether a US Privacy string says that the user has opted out; what cannot be read counts as an opt-out. */
export const isUsPrivacyOptOut = (text: string): boolean => !US_PRIVACY.test(text) || /^..y/i.test(text);
