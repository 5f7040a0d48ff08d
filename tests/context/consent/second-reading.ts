import type { PublisherPrivacy } from '../../../src/catalog/model/entities.ts';

/*
 * The rules of docs/privacy.md, read a second time: from what signals mean, not from how they are written, and without
 * anything of src/context/consent. It shares no code with the decision, so that one mistake is not made twice.
 */

/** What a TCF string says: of the publisher's purposes, and of the vendor of the examples. */
export interface SaidByTcf {
  readonly purpose1: boolean;
  readonly purpose2: boolean;
  readonly purpose4: boolean;
  readonly purpose7: boolean;
  readonly vendorMayUse: boolean;
}
export const UNREADABLE = 'unreadable';
type Unreadable = typeof UNREADABLE;

/** Of us_privacy or a US section of the GPP. */
export type SaidByUs = 'no opt-out' | 'opt-out' | Unreadable;

/** What the signals of a request mean. null: not sent. */
export interface Meaning {
  readonly privacy: Pick<PublisherPrivacy, 'consentWhenSilent' | 'usOptOutEndsCaps'>;
  readonly isGdprCountry: boolean;
  readonly gdprApplies: boolean | null;
  readonly tcf: SaidByTcf | Unreadable | null;
  readonly isForChildren: boolean;
  readonly usPrivacy: SaidByUs | null;
  readonly globalPrivacyControl: boolean;
  readonly limitsTracking: boolean;
  /** By the ids of the sections. */
  readonly gpp: ReadonlyMap<number, SaidByTcf | SaidByUs> | Unreadable | null;
  /** `gpp_sid`; empty: not sent. */
  readonly applying: readonly number[];
}

/** The bidder of a share: the vendor that strings may name, one that they do not, and one that is no vendor. */
export const BIDDERS = ['vendor', 'another vendor', 'no vendor'] as const;
export type Uses = Readonly<Record<'remember' | 'measure' | 'profile' | `share with ${(typeof BIDDERS)[number]}`, boolean>>;

const all = (may: boolean): Uses => ({
  ...{ remember: may, measure: may, profile: may },
  ...{ 'share with vendor': may, 'share with another vendor': may, 'share with no vendor': may },
});

/** The row of the table of each law that applies; every one of them must allow a use. */
export const readByTheDocument = (meaning: Meaning): Uses => {
  if (meaning.isForChildren) return all(false);
  if (isSilence(meaning)) {
    const { consentWhenSilent } = meaning.privacy;
    if (consentWhenSilent === 'deny' && !hasSpokenOtherwise(meaning)) return all(false);
    if (consentWhenSilent === 'by_country' && meaning.isGdprCountry) return all(false);
  }
  const rows: Uses[] = [all(true)];
  if (isUnderGdpr(meaning)) rows.push(underTcf(meaning.tcf ?? sectionOf(meaning, 2)));
  if (sectionsThatApply(meaning).includes(5)) rows.push(underTcf(sectionOf(meaning, 5)));
  if (hasOptedOut(meaning)) rows.push({ ...notShared, remember: !meaning.privacy.usOptOutEndsCaps });
  if (meaning.limitsTracking) rows.push(notShared);
  return rows.reduce((allowed, row) => ({
    remember: allowed.remember && row.remember,
    measure: allowed.measure && row.measure,
    profile: allowed.profile && row.profile,
    'share with vendor': allowed['share with vendor'] && row['share with vendor'],
    'share with another vendor': allowed['share with another vendor'] && row['share with another vendor'],
    'share with no vendor': allowed['share with no vendor'] && row['share with no vendor'],
  }));
};

const notShared: Uses = { ...all(false), remember: true, measure: true };

/** `gpp_sid`, or without it all sections of the string. [-1] says that none applies. */
const sectionsThatApply = ({ gpp, applying }: Meaning): readonly number[] =>
  applying.length > 0 ? applying : gpp instanceof Map ? [...(gpp.keys() as Iterable<number>)] : [];

/** A section that applies and that the string does not have cannot be read. */
const sectionOf = ({ gpp }: Meaning, id: number) =>
  gpp instanceof Map ? ((gpp.get(id) as SaidByTcf | undefined) ?? UNREADABLE) : UNREADABLE;

const isUnderGdpr = (meaning: Meaning): boolean => meaning.gdprApplies ?? (meaning.tcf !== null || sectionsThatApply(meaning).includes(2));

/** Without `regs.gdpr`, a TCF string and section 2 of the GPP. */
const isSilence = (meaning: Meaning): boolean =>
  meaning.gdprApplies === null && meaning.tcf === null && !sectionsThatApply(meaning).includes(2);

const isOfUs = (id: number): boolean => id >= 6 && id <= 27;

const hasSpokenOtherwise = (meaning: Meaning): boolean =>
  meaning.usPrivacy !== null || sectionsThatApply(meaning).some((id) => id === 5 || isOfUs(id));

const underTcf = (said: SaidByTcf | SaidByUs): Uses => {
  if (typeof said === 'string') return all(false);
  const { purpose1, purpose2, purpose4, purpose7, vendorMayUse } = said;
  return {
    ...all(false),
    ...{ remember: purpose1 && purpose2, measure: purpose7, profile: purpose1 && purpose4, 'share with vendor': vendorMayUse },
  };
};

/** By us_privacy, a US section that applies, Global Privacy Control, or what nobody can read. */
const hasOptedOut = (meaning: Meaning): boolean => {
  const sections = sectionsThatApply(meaning).filter(isOfUs);
  const { gpp, usPrivacy, globalPrivacyControl } = meaning;
  return (
    globalPrivacyControl ||
    (usPrivacy !== null && usPrivacy !== 'no opt-out') ||
    (gpp === UNREADABLE && meaning.applying.length === 0) ||
    sections.length > 4 ||
    sections.some((id) => !(gpp instanceof Map) || gpp.get(id) !== 'no opt-out')
  );
};
