import { pointerStep, type Fault } from '../base/fault.ts';
import { isSealMark, sealMark } from '../base/seal-mark.ts';
import type { SecretBox } from '../base/secret-box.ts';
import type { CatalogRow } from '../catalog/model/catalog-reading.ts';
import type { SealedColumn } from './entity-kind.ts';

export type SealedMembers =
  { readonly ok: true; readonly members: Readonly<Record<string, string>> } | { readonly ok: false; readonly faults: readonly Fault[] };

/**
 * The members of a column with each new text sealed for the column's name, and the stored value in place of its mark.
 *
 * @param before the row as it is stored; undefined: a new one
 */
export const sealMembers = (
  { canSeal, seal }: SecretBox,
  { column, boundTo }: SealedColumn,
  given: Readonly<Record<string, string>>,
  after: CatalogRow,
  before: CatalogRow | undefined,
): SealedMembers => {
  const stored = before && boundTo(before) === boundTo(after) ? Object.values(before[column] as Record<string, string>) : [];
  const known = new Map(stored.map((sealed) => [sealMark(sealed), sealed]));
  const faults: Fault[] = [];
  const sealOne = ([name, text]: [string, string]): [string, string] => {
    const kept = known.get(text);
    if (kept !== undefined) return [name, kept];
    const pointer = `/${column}${pointerStep(name)}`;
    if (isSealMark(text)) faults.push({ pointer, detail: 'must be entered again: it is kept only for the same endpoint host' });
    else if (!canSeal) faults.push({ pointer, detail: 'cannot be stored, because SEAL_KEYS is not set' });
    return [name, canSeal ? seal(text, column) : ''];
  };
  const members = Object.fromEntries(Object.entries(given).map(sealOne));
  return faults.length > 0 ? { ok: false, faults } : { ok: true, members };
};
