import type { Fault } from '../base/fault.ts';
import type { CreativeRecord } from '../catalog/entities/creative.ts';
import { misfitWords } from '../decision/ad-query.ts';
import type { ReferredPlacement } from './check-references.ts';
import type { EntityKind } from './entity-kind.ts';

/**
 * What a write accepts, and is probably not meant: a creative that fits none of its placements is
 * shown only where a request asks for another size.
 *
 * @param placements those of the creative
 */
export const writeWarnings = (kind: EntityKind, record: object, placements: readonly ReferredPlacement[]): readonly Fault[] => {
  if (kind.table !== 'creatives') return [];
  const { width, height } = record as CreativeRecord;
  const misfit = misfitWords({ width, height }, placements);
  return misfit === undefined
    ? []
    : [
        {
          pointer: width === null ? '/height' : '/width',
          detail: `${misfit}: it is shown only where a request asks for a size that it fits`,
        },
      ];
};
