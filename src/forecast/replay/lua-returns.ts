import type { LuaBlock, LuaCall, LuaExpression, LuaFunction, LuaStatement } from './lua-parser.ts';

/** Library functions that return several values. */
const SEVERAL = ['string.match'];

/** The names of functions that return several values, or what one of these returns. */
export const severalOf = (chunk: LuaBlock): ReadonlySet<string> => {
  const functions = new Map<string, LuaFunction>();
  const visit = (block: LuaBlock): void => {
    for (const statement of block) {
      if (statement.is === 'define') functions.set(statement.name, statement.defined);
      for (const inner of blocksIn(statement)) visit(inner);
    }
  };
  visit(chunk);
  const several = new Set(SEVERAL);
  for (let before = -1; before < several.size;) {
    before = several.size;
    for (const [name, { body }] of functions) {
      const returned = returnsIn(body);
      if (returned.some((values) => values.length > 1 || (values[0]?.is === 'call' && several.has(nameOf(values[0]))))) several.add(name);
    }
  }
  return several;
};

const blocksIn = (statement: LuaStatement): readonly LuaBlock[] => {
  switch (statement.is) {
    case 'define':
      return [statement.defined.body];
    case 'if':
      return statement.branches.map(({ body }) => body);
    case 'do':
    case 'while':
    case 'count':
    case 'each':
      return [statement.body];
    default:
      return [];
  }
};

const returnsIn = (block: LuaBlock): readonly (readonly LuaExpression[])[] =>
  block.flatMap((statement) => {
    if (statement.is === 'return') return [statement.values];
    return statement.is === 'define' ? [] : blocksIn(statement).flatMap(returnsIn);
  });

/** The name of the function that is called; '': it has none. */
export const nameOf = ({ callee }: LuaCall): string => {
  if (callee.is === 'name') return callee.name;
  if (callee.is === 'index' && callee.of.is === 'name' && callee.key.is === 'string') return `${callee.of.name}.${callee.key.value}`;
  return '';
};
