/** An expression of Lua. */
export type LuaExpression =
  | { readonly is: 'value'; readonly text: 'nil' | 'true' | 'false' }
  | { readonly is: 'number'; readonly text: string }
  | { readonly is: 'string'; readonly value: string }
  | { readonly is: 'name'; readonly name: string }
  | { readonly is: 'index'; readonly of: LuaExpression; readonly key: LuaExpression }
  | LuaCall
  | LuaFunction
  | { readonly is: 'binary'; readonly operator: string; readonly left: LuaExpression; readonly right: LuaExpression }
  | { readonly is: 'unary'; readonly operator: string; readonly operand: LuaExpression }
  | { readonly is: 'paren'; readonly inner: LuaExpression }
  | { readonly is: 'table'; readonly items: readonly LuaItem[] };

export interface LuaCall {
  readonly is: 'call';
  readonly callee: LuaExpression;
  /** Of `callee:method()`. */
  readonly method: string | undefined;
  readonly args: readonly LuaExpression[];
}

export interface LuaFunction {
  readonly is: 'function';
  readonly parameters: readonly string[];
  readonly body: LuaBlock;
}

export interface LuaItem {
  /** undefined: it is one of a list. */
  readonly key: LuaExpression | undefined;
  readonly value: LuaExpression;
}

export type LuaBlock = readonly LuaStatement[];

export type LuaStatement =
  | { readonly is: 'local'; readonly names: readonly string[]; readonly values: readonly LuaExpression[] }
  | { readonly is: 'assign'; readonly targets: readonly LuaExpression[]; readonly values: readonly LuaExpression[] }
  | { readonly is: 'define'; readonly name: string; readonly isLocal: boolean; readonly defined: LuaFunction }
  | { readonly is: 'call'; readonly call: LuaCall }
  | { readonly is: 'do'; readonly body: LuaBlock }
  | { readonly is: 'while'; readonly condition: LuaExpression; readonly body: LuaBlock }
  | { readonly is: 'if'; readonly branches: readonly { readonly condition: LuaExpression | undefined; readonly body: LuaBlock }[] }
  | { readonly is: 'count'; readonly name: string; readonly bounds: readonly LuaExpression[]; readonly body: LuaBlock }
  | { readonly is: 'each'; readonly names: readonly string[]; readonly of: LuaExpression; readonly body: LuaBlock }
  | { readonly is: 'return'; readonly values: readonly LuaExpression[] }
  | { readonly is: 'break' };

const TOKEN =
  /\s+|--[^\n]*|(?<name>[A-Za-z_]\w*)|(?<number>0x[\da-f]+|\d+(?:\.\d+)?(?:e[+-]?\d+)?)|(?<string>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")|(?<sign>\.\.\.?|==|~=|<=|>=|[-+*/%^#<>=(){}[\];:,.])/giy;

const KEYWORDS = new Set(
  'and break do else elseif end false for function if in local nil not or repeat return then true until while'.split(' '),
);

/** How tightly binary operators bind; `..` and `^` to the right. */
const BINDING: Readonly<Record<string, number>> = {
  ...{ or: 1, and: 2, '<': 3, '>': 3, '<=': 3, '>=': 3, '~=': 3, '==': 3, '..': 4, '+': 5, '-': 5, '*': 6, '/': 6, '%': 6, '^': 8 },
};
const UNARY_BINDING = 7;

type Kind = 'name' | 'keyword' | 'number' | 'string' | 'sign' | 'end';
interface Token {
  readonly kind: Kind;
  readonly text: string;
  readonly at: number;
}

/**
 * Parses the part of Lua 5.1 that the scripts of the ledger are written in.
 * @throws when a text is not in it: there are no repeat loops, variable arguments and long strings
 */
export const parseLua = (source: string): LuaBlock => {
  const tokens = tokensOf(source);
  let position = 0;
  const peek = (): Token => tokens[position]!;
  const fail = (expected: string): never => {
    const line = source.slice(0, peek().at).split('\n').length;
    throw new Error(`Lua, line ${line}: ${expected} was expected, not "${peek().text}"`);
  };
  const isNext = (text: string): boolean => peek().text === text && (peek().kind === 'sign' || peek().kind === 'keyword');
  const skip = (text: string): boolean => isNext(text) && ++position > 0;
  const expect = (text: string): void => void (skip(text) || fail(`"${text}"`));
  const name = (): string => (peek().kind === 'name' ? tokens[position++]!.text : fail('a name'));
  const list = <T>(read: () => T): T[] => {
    const all = [read()];
    while (skip(',')) all.push(read());
    return all;
  };

  const block = (): LuaBlock => {
    const statements: LuaStatement[] = [];
    while (!['end', 'else', 'elseif'].some(isNext) && peek().kind !== 'end') {
      statements.push(statement());
      skip(';');
    }
    return statements;
  };
  const closed = (): LuaBlock => {
    const body = block();
    expect('end');
    return body;
  };
  const functionBody = (): LuaFunction => {
    expect('(');
    const parameters = isNext(')') ? [] : list(name);
    expect(')');
    return { is: 'function', parameters, body: closed() };
  };

  const statement = (): LuaStatement => {
    if (skip('local')) {
      if (skip('function')) return { is: 'define', name: name(), isLocal: true, defined: functionBody() };
      const names = list(name);
      return { is: 'local', names, values: skip('=') ? list(expression) : [] };
    }
    if (skip('function')) return { is: 'define', name: name(), isLocal: false, defined: functionBody() };
    if (skip('do')) return { is: 'do', body: closed() };
    if (skip('break')) return { is: 'break' };
    if (skip('return')) {
      const isBare = ['end', 'else', 'elseif', ';'].some(isNext) || peek().kind === 'end';
      return { is: 'return', values: isBare ? [] : list(expression) };
    }
    if (skip('while')) {
      const condition = expression();
      expect('do');
      return { is: 'while', condition, body: closed() };
    }
    if (skip('if')) return branches();
    if (skip('for')) return loop();
    const first = suffixed();
    if (first.is === 'call') return { is: 'call', call: first };
    const targets: LuaExpression[] = [first];
    while (skip(',')) targets.push(suffixed());
    expect('=');
    return { is: 'assign', targets, values: list(expression) };
  };

  const branches = (): LuaStatement => {
    const found: { condition: LuaExpression | undefined; body: LuaBlock }[] = [];
    do {
      const condition = expression();
      expect('then');
      found.push({ condition, body: block() });
    } while (skip('elseif'));
    if (skip('else')) found.push({ condition: undefined, body: block() });
    expect('end');
    return { is: 'if', branches: found };
  };

  const loop = (): LuaStatement => {
    const names = list(name);
    if (skip('=')) {
      const bounds = list(expression);
      expect('do');
      return { is: 'count', name: names[0]!, bounds, body: closed() };
    }
    expect('in');
    const of = expression();
    expect('do');
    return { is: 'each', names, of, body: closed() };
  };

  const suffixed = (): LuaExpression => {
    let found: LuaExpression;
    if (skip('(')) {
      found = { is: 'paren', inner: expression() };
      expect(')');
    } else found = { is: 'name', name: name() };
    for (;;) {
      if (skip('.')) found = { is: 'index', of: found, key: { is: 'string', value: name() } };
      else if (skip('[')) {
        found = { is: 'index', of: found, key: expression() };
        expect(']');
      } else if (isNext('(') || isNext(':')) {
        const method = skip(':') ? name() : undefined;
        expect('(');
        const args = isNext(')') ? [] : list(expression);
        expect(')');
        found = { is: 'call', callee: found, method, args };
      } else return found;
    }
  };

  const table = (): LuaExpression => {
    const items: LuaItem[] = [];
    while (!skip('}')) {
      const isNamed = peek().kind === 'name' && tokens[position + 1]?.text === '=';
      const key = isNamed ? ({ is: 'string', value: name() } as const) : undefined;
      if (isNamed) expect('=');
      else if (isNext('[')) fail('a name or a value');
      items.push({ key, value: expression() });
      if (!skip(',')) skip(';');
    }
    return { is: 'table', items };
  };

  const simple = (): LuaExpression => {
    const { kind, text } = peek();
    if (kind === 'number' || kind === 'string') {
      position++;
      return kind === 'number' ? { is: 'number', text } : { is: 'string', value: text.slice(1, -1).replace(/\\(.)/g, escaped) };
    }
    for (const value of ['nil', 'true', 'false'] as const) if (skip(value)) return { is: 'value', text: value };
    if (skip('function')) return functionBody();
    if (skip('{')) return table();
    return suffixed();
  };

  const expression = (least = 0): LuaExpression => {
    const operator = ['not', '-', '#'].find(isNext);
    if (operator !== undefined) position++;
    let left: LuaExpression = operator === undefined ? simple() : { is: 'unary', operator, operand: expression(UNARY_BINDING) };
    for (;;) {
      const { text, kind } = peek();
      const binding = kind === 'sign' || kind === 'keyword' ? BINDING[text] : undefined;
      if (binding === undefined || binding <= least) return left;
      position++;
      left = { is: 'binary', operator: text, left, right: expression(text === '..' || text === '^' ? binding - 1 : binding) };
    }
  };

  const whole = block();
  return peek().kind === 'end' ? whole : fail('a statement');
};

const escaped = (_: string, character: string): string => (character === 'n' ? '\n' : character);

const tokensOf = (source: string): readonly Token[] => {
  const tokens: Token[] = [];
  let at = 0;
  TOKEN.lastIndex = 0;
  for (let found = TOKEN.exec(source); found; found = TOKEN.exec(source)) {
    const { name, number, string, sign } = found.groups ?? {};
    if (name !== undefined) tokens.push({ kind: KEYWORDS.has(name) ? 'keyword' : 'name', text: name, at });
    else if (number !== undefined) tokens.push({ kind: 'number', text: number, at });
    else if (string !== undefined) tokens.push({ kind: 'string', text: string, at });
    else if (sign !== undefined) tokens.push({ kind: 'sign', text: sign, at });
    at = TOKEN.lastIndex;
  }
  if (at < source.length) throw new Error(`Lua: "${source.slice(at, at + 20)}" cannot be read`);
  return [...tokens, { kind: 'end', text: 'the end', at }];
};
