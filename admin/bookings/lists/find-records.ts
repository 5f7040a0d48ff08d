import type { Option } from '../../parts/combobox.ts';
import type { Api } from '../../api/api.ts';
import type { CampaignWire, Kind, PlacementWire, Records } from '../../api/wire.ts';
import { flight } from '../../words/dates.ts';
import { titleOf } from '../../words/kinds.ts';

const MAX_FOUND = 20;

/**
 * Finds records of a kind for a combobox, at the service.
 *
 * @param filter further parameters of the list, as text
 */
export const findRecords =
  <K extends Kind>(api: Api, kind: K, filter = '') =>
  async (text: string): Promise<readonly Option[]> => {
    const query = new URLSearchParams(filter);
    query.set('q', text);
    query.set('limit', String(MAX_FOUND));
    query.set('sort', kind === 'placements' ? 'id' : 'name');
    const answer = await api.records.list(kind, query.toString());
    return answer.ok
      ? answer.value.map((record) => ({ value: String(record.id), label: titleOf(kind, record), note: noteOf(kind, record) }))
      : [];
  };

const noteOf = (kind: Kind, record: Records[Kind]): string => {
  if (kind === 'placements') return `${(record as PlacementWire).width} × ${(record as PlacementWire).height}`;
  return `${kind === 'campaigns' ? `${flight(record as CampaignWire)} · ` : ''}#${record.id}`;
};
