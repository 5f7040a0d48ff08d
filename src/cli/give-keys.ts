import { isMap, isSeq, parseDocument, type YAMLMap } from 'yaml';
import { under } from '../base/under.ts';
import { LISTS, PARTS } from './declared-lists.ts';

/** Lists of a file and within records. */
const ALL_LISTS = [...Object.keys(LISTS), ...Object.values(PARTS).map(([list]) => list)];

/** Gives each record that is known by its id alone a key made of its name: the file says both until it is applied. */
export const giveKeys = (text: string): string => {
  const document = parseDocument(text);
  const used = new Map<string, Set<string>>();
  const keysOf = (list: string): Set<string> => under(used, list, () => new Set());
  const walk = (record: YAMLMap, list: string, give: boolean): void => {
    const key = record.get('key');
    if (typeof key === 'string') keysOf(list).add(key);
    else if (give && record.has('id') && list !== 'placements') {
      const [named, id] = [record.get('name'), record.get('id')];
      const name = (typeof named === 'string' ? slugOf(named) : '') || `${list.replace(/s$/, '').replaceAll('_', '-')}-${Number(id)}`;
      let free = name;
      for (let n = 2; keysOf(list).has(free); n++) free = `${name}-${n}`;
      keysOf(list).add(free);
      record.items.unshift(document.createPair('key', free));
    }
    for (const part of ALL_LISTS) {
      const parts = record.get(part);
      if (isSeq(parts)) for (const one of parts.items) if (isMap(one)) walk(one, part, give);
    }
  };
  const root = document.contents;
  if (!isMap(root)) return text;
  for (const give of [false, true]) {
    const publisher = root.get('publisher');
    if (isMap(publisher)) walk(publisher, 'publishers', give);
    walk(root, '', give);
  }
  return document.toString({ lineWidth: 0 });
};

const slugOf = (name: string): string =>
  name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 60);
