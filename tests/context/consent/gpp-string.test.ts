import * as cmpapi from '@iabgpp/cmpapi';
import { GppModel, Sections } from '@iabgpp/cmpapi';
import fc from 'fast-check';
import { isUsOptOut, isUsPrivacyOptOut, isUsSection, readGppSections } from '../../../src/context/consent/gpp-string.ts';
import { expectCpuBelow } from '../../setup/expect-cpu-below.ts';

interface UsSection {
  encode(): string;
  hasField(name: string): boolean;
  setFieldValue(name: string, value: unknown): void;
}
const sections = [...Sections.SECTION_ID_NAME_MAP].flatMap(([id, name]) => {
  const Section = Object.values(cmpapi).find((one) => (one as { readonly NAME?: string }).NAME === name) as unknown as new () => UsSection;
  return isUsSection(id) ? [{ id, name, Section }] : [];
});

test('the sections of every US state are known: 7 to 27', () => {
  expect(sections.map(({ id }) => id).toSorted((a, b) => a - b)).toEqual(Array.from({ length: 21 }, (_, i) => i + 7));
});

describe.each(sections)('section $id, $name', ({ id, Section }) => {
  const fields = ['SaleOptOut', 'SharingOptOut', 'TargetedAdvertisingOptOut'].filter((field) => new Section().hasField(field));

  test('says nothing, and no opt-out', () => {
    expect(isUsOptOut(id, new Section().encode())).toBe(false);
    const section = new Section();
    for (const field of fields) section.setFieldValue(field, 2);
    expect(isUsOptOut(id, section.encode())).toBe(false);
  });

  test('says an opt-out, each by itself', () => {
    expect(fields.length).toBeGreaterThan(0);
    for (const field of fields) {
      const section = new Section();
      section.setFieldValue(field, 1);
      expect([field, isUsOptOut(id, section.encode())]).toEqual([field, true]);
    }
  });

  test('carries Global Privacy Control, where it has a place for it', () => {
    const section = new Section();
    if (!section.hasField('Gpc')) return;
    section.setFieldValue('GpcSegmentIncluded', true);
    section.setFieldValue('Gpc', true);
    expect(isUsOptOut(id, section.encode())).toBe(true);
  });

  test.each(['', '!', 'AAAA', 'B'.repeat(200)])('%j counts as an opt-out', (text) => {
    expect(isUsOptOut(id, text)).toBe(true);
  });
});

test('a known child without consent counts as an opt-out', () => {
  const section = new cmpapi.UsNat();
  section.setFieldValue('KnownChildSensitiveDataConsents', [1, 0, 0]);
  expect(isUsOptOut(7, section.encode())).toBe(true);
});

test('sections are found by the header as @iabgpp/cmpapi writes it', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.constantFrom('uspv1', ...sections.map(({ name }) => name)), { maxLength: 22 }), (names) => {
      const model = new GppModel();
      for (const name of names) model.setFieldValue(name, name === 'uspv1' ? 'OptOutSale' : 'SaleOptOutNotice', name === 'uspv1' ? 'N' : 1);
      const read = readGppSections(model.encode());
      expect([...(read?.keys() ?? [])].toSorted((a, b) => a - b)).toEqual([...model.getSectionIds()].toSorted((a, b) => a - b));
      for (const id of model.getSectionIds()) expect(read?.get(id)).toBe(model.encodeSection(Sections.SECTION_ID_NAME_MAP.get(id)!));
    }),
    { numRuns: 100 },
  );
});

test.each(['', '!', 'DBABMA!', 'CBABMA', '~', 'D', `DB${'_'.repeat(40)}`, 'DBAEB'])('%j has no readable header', (text) => {
  expect(readGppSections(text)).toBeUndefined();
});

test('a US Privacy string: the third letter is the opt-out, and what cannot be read is one', () => {
  expect(['1---', '1YNN', '1NNY', '1ynn'].map(isUsPrivacyOptOut)).toEqual([false, false, false, false]);
  expect(['1YYN', '1-Y-', '1yyn', '', '2YNN', 'hello', '1YN'].map(isUsPrivacyOptOut)).toEqual(Array(7).fill(true));
});

test('8 kB of hostile header take less than 1 ms', async () => {
  for (const text of ['DBAB'.repeat(2_048), `DB${'P'.repeat(8_190)}`, `DBAB${'~'.repeat(8_188)}`, `DB__${'BVVV'.repeat(2_000)}`]) {
    await expectCpuBelow(100, () => {
      for (let i = 0; i < 100; i++) readGppSections(text);
    });
  }
});
