import type { Chance } from '../../testkit/chance.ts';

/** A JSON value that is written only when it is sent, so that a small gene can stand for a large body. */
export type Shape =
  | { readonly kind: 'json'; readonly text: string }
  /** A string of repeated characters. */
  | { readonly kind: 'text'; readonly unit: string; readonly times: number }
  /** A string that differs in every replay, or between `of` of them in a row. */
  | { readonly kind: 'fresh'; readonly prefix: string; readonly of?: number }
  | { readonly kind: 'list'; readonly items: readonly Shape[]; readonly times: number }
  | { readonly kind: 'object'; readonly members: readonly Member[]; readonly more: Crowd | undefined }
  | { readonly kind: 'nested'; readonly open: '[' | '{"a":'; readonly times: number; readonly inner: Shape };

export type Member = readonly [name: string, value: Shape];

/** Further members of an object; `same`: all with one name. */
export interface Crowd {
  readonly value: Shape;
  readonly times: number;
  readonly same: boolean;
  readonly nameLength: number;
}

export const json = (value: unknown): Shape => ({ kind: 'json', text: JSON.stringify(value) });
export const fresh: Shape = { kind: 'fresh', prefix: 'fresh-' };
export const list = (...items: readonly Shape[]): Shape => ({ kind: 'list', items, times: 1 });
export const object = (members: Readonly<Record<string, Shape>>): Shape => ({
  kind: 'object',
  members: Object.entries(members),
  more: undefined,
});

/** Writes a shape as JSON of about `max` characters at most: what is repeated stops there. */
export const writeShape = (shape: Shape, replay: number, max: number): string => {
  let left = max;
  const counted = (text: string): string => {
    left -= text.length;
    return text;
  };
  const write = (value: Shape): string => {
    switch (value.kind) {
      case 'json':
        return counted(value.text);
      case 'fresh':
        return counted(`"${value.prefix}${value.of === undefined ? replay : replay % value.of}"`);
      case 'text':
        return counted(JSON.stringify(value.unit.repeat(Math.max(0, Math.min(value.times, Math.floor(left / value.unit.length))))));
      case 'list': {
        const items: string[] = [];
        for (let i = 0; i < value.times && left > 0; i++) for (const item of value.items) items.push(write(item));
        return `[${items.join(',')}]`;
      }
      case 'object': {
        const members = value.members.map(([name, inner]) => `${counted(JSON.stringify(name))}:${write(inner)}`);
        const { more } = value;
        for (let i = 0; more && i < more.times && left > 0; i++) {
          const name = more.same ? 'a' : `k${i}`.padEnd(more.nameLength, 'x');
          members.push(`${counted(JSON.stringify(name))}:${write(more.value)}`);
        }
        return `{${members.join(',')}}`;
      }
      case 'nested': {
        const times = Math.max(0, Math.min(value.times, Math.floor(left / 6)));
        left -= times * 6;
        return value.open.repeat(times) + write(value.inner) + (value.open === '[' ? ']' : '}').repeat(times);
      }
    }
  };
  return write(shape);
};

/** A count between 1 and 32,768 whose logarithm is uniform. */
export const manyTimes = (chance: Chance): number => Math.floor(2 ** (chance() * 15));

const EDGES = [
  'null',
  'true',
  '0',
  '-0',
  '-1',
  '1e400',
  '1e-400',
  '2147483648',
  '9007199254740993',
  '0.1',
  '""',
  '{}',
  '[]',
  '"__proto__"',
];
const UNITS = ['x', '\u0000', 'é', '😀', '"', '\\', '/', '~', ' ', '<', '%', ',', '-1', 'a.b'];

/** A value as no honest client sends it. */
export const rareShape = (chance: Chance, depth = 0): Shape => {
  const pick = <T>(values: readonly T[]): T => values[Math.floor(chance() * values.length)] as T;
  const inner = (): Shape => (depth > 1 || chance() < 0.6 ? { kind: 'json', text: pick(EDGES) } : rareShape(chance, depth + 1));
  return pick<() => Shape>([
    () => ({ kind: 'json', text: pick(EDGES) }),
    () => ({ kind: 'text', unit: pick(UNITS), times: manyTimes(chance) }),
    () => ({ kind: 'list', items: [inner()], times: manyTimes(chance) }),
    () => ({ kind: 'object', members: [], more: crowd(chance, inner()) }),
    () => ({ kind: 'nested', open: pick(['[', '{"a":']), times: manyTimes(chance), inner: inner() }),
    () => fresh,
  ])();
};

const crowd = (chance: Chance, value: Shape): Crowd => ({
  value,
  times: manyTimes(chance),
  same: chance() < 0.1,
  nameLength: chance() < 0.2 ? manyTimes(chance) : 1,
});

const childrenOf = (shape: Shape): readonly Shape[] => {
  switch (shape.kind) {
    case 'list':
      return shape.items;
    case 'object':
      return [...shape.members.map(([, value]) => value), ...(shape.more ? [shape.more.value] : [])];
    case 'nested':
      return [shape.inner];
    default:
      return [];
  }
};

const withChildren = (shape: Shape, children: readonly Shape[]): Shape => {
  const at = (i: number): Shape => children[i] ?? json(null);
  switch (shape.kind) {
    case 'list':
      return { ...shape, items: children };
    case 'object': {
      const { members, more } = shape;
      return { ...shape, members: members.map(([name], i) => [name, at(i)]), more: more && { ...more, value: at(members.length) } };
    }
    case 'nested':
      return { ...shape, inner: at(0) };
    default:
      return shape;
  }
};

const sizeOf = (shape: Shape): number => childrenOf(shape).reduce((sum, child) => sum + sizeOf(child), 1);

/** Changes one place of a shape; every place has the same chance. */
export const mutateShape = (shape: Shape, chance: Chance): Shape => {
  let left = Math.floor(chance() * sizeOf(shape));
  const visit = (value: Shape): Shape => {
    if (left-- === 0) return mutatePlace(value, chance);
    if (left < 0) return value;
    return withChildren(
      value,
      childrenOf(value).map((child) => (left < 0 ? child : visit(child))),
    );
  };
  return visit(shape);
};

const mutatePlace = (shape: Shape, chance: Chance): Shape => {
  const turn = chance();
  if (turn < 0.2) return rareShape(chance);
  const scaled = (times: number): number => Math.max(1, Math.floor(times * 2 ** (chance() * 8 - 2)));
  switch (shape.kind) {
    case 'json':
    case 'fresh':
      return rareShape(chance);
    case 'text':
    case 'nested':
    case 'list':
      return { ...shape, times: scaled(shape.times) };
    case 'object': {
      const { members, more } = shape;
      if (more && turn < 0.6) return { ...shape, more: { ...more, times: scaled(more.times) } };
      if (turn < 0.9) return { ...shape, more: crowd(chance, rareShape(chance, 1)) };
      const gone = Math.floor(chance() * members.length);
      return { ...shape, members: members.filter((_, i) => i !== gone) };
    }
  }
};

/** In one line. */
export const describeShape = (shape: Shape): string => {
  switch (shape.kind) {
    case 'json':
      return shape.text.slice(0, 20);
    case 'fresh':
      return 'fresh';
    case 'text':
      return `${JSON.stringify(shape.unit)} × ${shape.times}`;
    case 'list':
      return `[${shape.items.map(describeShape).join()}]${shape.times === 1 ? '' : ` × ${shape.times}`}`;
    case 'nested':
      return `${shape.open} × ${shape.times}`;
    case 'object': {
      const { members, more } = shape;
      const crowd = more ? [`${more.times} × ${more.same ? 'same name' : 'name'}: ${describeShape(more.value)}`] : [];
      return `{${[...members.map(([name, inner]) => `${name}: ${describeShape(inner)}`), ...crowd].join(', ')}}`;
    }
  }
};
